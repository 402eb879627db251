/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuses that would be silent: told to the diagnostics hook in a build with
 * OBV_CHECK_MISUSE. Any other build pays nothing.
 */
#ifndef OBV_MISUSE_H
#define OBV_MISUSE_H

#include "platform/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct obv__watcher;
struct obv_class;
struct obv_context;
struct obv_object;

#ifdef OBV_CHECK_MISUSE
enum { OBV__CHECKS_MISUSE = 1 };
#else
enum { OBV__CHECKS_MISUSE = 0 };
#endif

/** Whether this build tells; for tests. */
bool obv__misuse_is_checked(void);

/** The misuse; its sentence is in misuse.c. */
enum obv__misuse {
    OBV__INIT_AGAIN,
    OBV__OTHER_NUMBER,
    OBV__BATCH_LEFT_OPEN,
    OBV__TOKEN_WITHOUT_HANDLE,
    OBV__EDIT_NOT_TOLD
};

/** Tells of a misuse of objects of a class (NULL: of none); `path`: as that of
    a diagnostic. No lock held. */
void obv__tell_misuse(struct obv_context *context, enum obv__misuse misuse,
                      const struct obv_class *cls, const char *path);

/** Notes that an object has got a node, and that it goes, and whether it had
    one. So another init in between is found, which may not look at the
    memory. */
void obv__misuse_observed(const struct obv_object *object);
bool obv__misuse_unobserved(const struct obv_object *object);

/** The data kept of an observation from its beginning until its memory goes, so
    that a context which will not end can name it. */
struct obv__begun {
    struct obv__begun *next; /* of a list of copies */
    struct obv_context *context;
    struct obv__watcher *observation;
    const char *file; /* or NULL; a constant */
    uint32_t line;
    bool has_label;
    char label[64]; /* its beginning: that of the kind may have gone */
};

/** An observation has begun; its memory goes. */
void obv__misuse_begun(const struct obv__begun *begun);
void obv__misuse_over(const struct obv__watcher *observation);

/** Copies of what is kept of a context's observations, for the caller to
    free(), one by one; false: no memory. */
bool obv__misuse_left(const struct obv_context *context,
                      struct obv__begun **first);

#endif
