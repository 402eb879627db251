/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuses: their sentences, and which objects are observed.
 */
#include "model/misuse.h"

#include "base/hash_table.h"
#include "base/memory.h"
#include "model/class.h"
#include "model/context.h"
#include "model/nearest.h"
#include "platform/lock.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const sentences[] = {
    [OBV__INIT_AGAIN] =
        "obv_object_init() of an object that has been observed, which loses "
        "its "
        "observations: it was initialised before, and not given back by "
        "obv_object_deinit()",
    [OBV__OTHER_NUMBER] =
        "an accessor was declared with the number of another property",
    [OBV__BATCH_LEFT_OPEN] =
        "a batch is open while its thread drains again and again: "
        "obv_batch_end() is missing, and what is due waits for it",
    [OBV__TOKEN_WITHOUT_HANDLE] =
        "an observation with OBV_TOKEN was begun without a handle: nothing can "
        "stop it",
    [OBV__EDIT_NOT_TOLD] =
        "edits of a container were told that do not make its count of the one "
        "before: an edit was not told, or told of another place"};

bool obv__misuse_is_checked(void)
{
    return OBV__CHECKS_MISUSE;
}

void obv__tell_misuse(struct obv_context *context, enum obv__misuse misuse,
                      const struct obv_class *cls, const char *path)
{
    char text[320];
    (void)snprintf(text, sizeof text, cls ? "%s (class `%.*s`)" : "%s",
                   sentences[misuse], cls ? obv__readable_name(cls) : 0,
                   cls ? cls->table->name : "");
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_MISUSE, .text = text, .path = path};
    obv__diagnose(context, &diagnostic);
}

/* The registry by address ------------------------------------------------- */

/* Of the process, and of the C library's memory: a context's would be counted
   there. */
struct registry {
    struct obv__lock lock;
    struct obv_hash_table entries;
};

static struct registry observed, begun_ones;

/* `made` is the registry's; NULL: without memory an address is not found. */
static void enter(struct registry *registry, struct obv_hash_entry *made,
                  const void *address)
{
    obv__lock_enter(&registry->lock);
    if (made && !obv__hash_table_find(&registry->entries, (uintptr_t)address)) {
        obv__hash_table_add(&registry->entries, &obv__system_allocator, made,
                            (uintptr_t)address);
        made = NULL;
    }
    obv__lock_leave(&registry->lock);
    free(made);
}

/* Whether it was there. */
static bool leave(struct registry *registry, const void *address)
{
    obv__lock_enter(&registry->lock);
    struct obv_hash_entry *found =
        obv__hash_table_find(&registry->entries, (uintptr_t)address);
    if (found) {
        obv__hash_table_take(&registry->entries, &obv__system_allocator, found);
    }
    obv__lock_leave(&registry->lock);
    bool was_there = found != NULL;
    free(found);
    return was_there;
}

/* Observed objects --------------------------------------------------------- */

void obv__misuse_observed(const struct obv_object *object)
{
    enter(&observed, malloc(sizeof(struct obv_hash_entry)), object);
}

bool obv__misuse_unobserved(const struct obv_object *object)
{
    return leave(&observed, object);
}

/* Observations that have begun -------------------------------------------- */

struct noted {
    struct obv_hash_entry entry; /* must stand first */
    struct obv__begun begun;
};

void obv__misuse_begun(const struct obv__begun *begun)
{
    struct noted *made = malloc(sizeof *made);
    if (made) {
        made->begun = *begun;
        enter(&begun_ones, &made->entry, begun->observation);
    }
}

void obv__misuse_over(const struct obv__watcher *observation)
{
    (void)leave(&begun_ones, observation);
}

bool obv__misuse_left(const struct obv_context *context,
                      struct obv__begun **first)
{
    struct obv_hash_entry *at = NULL;
    bool has_memory = true;
    *first = NULL;
    obv__lock_enter(&begun_ones.lock);
    while (has_memory &&
           (at = obv__hash_table_next(&begun_ones.entries, at)) != NULL) {
        const struct noted *noted = (const struct noted *)(void *)at;
        if (noted->begun.context == context) {
            struct obv__begun *copy = malloc(sizeof *copy);
            has_memory = copy != NULL;
            if (copy) {
                *copy = noted->begun;
                copy->next = *first;
                *first = copy;
            }
        }
    }
    obv__lock_leave(&begun_ones.lock);
    return has_memory;
}
