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

/* Observed objects --------------------------------------------------------- */

/* Of the process, by address, of the C library's memory: a context's would be
   counted there. */
static struct {
    struct obv__lock lock;
    struct obv_hash_table objects;
} observed;

/* Without memory an object is not looked for. */
void obv__misuse_observed(const struct obv_object *object)
{
    struct obv_hash_entry *made = malloc(sizeof *made);
    obv__lock_enter(&observed.lock);
    if (made && !obv__hash_table_find(&observed.objects, (uintptr_t)object)) {
        obv__hash_table_add(&observed.objects, &obv__system_allocator, made,
                            (uintptr_t)object);
        made = NULL;
    }
    obv__lock_leave(&observed.lock);
    free(made);
}

void obv__misuse_unobserved(const struct obv_object *object)
{
    obv__lock_enter(&observed.lock);
    struct obv_hash_entry *found =
        obv__hash_table_find(&observed.objects, (uintptr_t)object);
    if (found) {
        obv__hash_table_take(&observed.objects, &obv__system_allocator, found);
    }
    obv__lock_leave(&observed.lock);
    free(found);
}

bool obv__misuse_is_observed(const struct obv_object *object)
{
    obv__lock_enter(&observed.lock);
    bool is =
        obv__hash_table_find(&observed.objects, (uintptr_t)object) != NULL;
    obv__lock_leave(&observed.lock);
    return is;
}

/* Observations that have begun -------------------------------------------- */

struct noted {
    struct obv_hash_entry entry; /* must stand first */
    struct obv__begun begun;
};

/* As above. */
static struct {
    struct obv__lock lock;
    struct obv_hash_table observations;
} begun_ones;

/* Without memory it is not named. */
void obv__misuse_begun(const struct obv__begun *begun)
{
    struct noted *made = malloc(sizeof *made);
    if (made) {
        made->begun = *begun;
        obv__lock_enter(&begun_ones.lock);
        obv__hash_table_add(&begun_ones.observations, &obv__system_allocator,
                            &made->entry, (uintptr_t)begun->observation);
        obv__lock_leave(&begun_ones.lock);
    }
}

void obv__misuse_over(const struct obv__watcher *observation)
{
    obv__lock_enter(&begun_ones.lock);
    struct obv_hash_entry *found =
        obv__hash_table_find(&begun_ones.observations, (uintptr_t)observation);
    if (found) {
        obv__hash_table_take(&begun_ones.observations, &obv__system_allocator,
                             found);
    }
    obv__lock_leave(&begun_ones.lock);
    free(found);
}

bool obv__misuse_left(const struct obv_context *context,
                      struct obv__begun **first)
{
    struct obv_hash_entry *at = NULL;
    bool has_memory = true;
    *first = NULL;
    obv__lock_enter(&begun_ones.lock);
    while (has_memory &&
           (at = obv__hash_table_next(&begun_ones.observations, at)) != NULL) {
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
