/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuses that would be silent: told to the diagnostics hook in a build with
 * OBV_CHECK_MISUSE. Any other build pays nothing.
 */
#ifndef OBV_MISUSE_H
#define OBV_MISUSE_H

#include "platform/compiler.h"

#include <stdbool.h>

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

/** An object has been given a node, by which it is observed, and it goes: so
    that another init in between is found, which may not look at the memory. */
void obv__misuse_observed(const struct obv_object *object);
void obv__misuse_unobserved(const struct obv_object *object);

/** Whether it has one. */
bool obv__misuse_is_observed(const struct obv_object *object);

#endif
