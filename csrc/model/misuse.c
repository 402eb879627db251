/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuses: their sentences, and which objects are observed.
 */
#include "model/misuse.h"

#include "model/class.h"
#include "model/context.h"
#include "model/nearest.h"
#include "platform/bsd.h"
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

struct observed {
    uintptr_t address;
    RB_ENTRY(observed) entry;
};

RB_HEAD(observed_objects, observed);

static int compare_observed(const struct observed *a, const struct observed *b)
{
    return (a->address > b->address) - (a->address < b->address);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(observed_objects, observed, entry, compare_observed,
                     __attribute__((unused)) static)

/* Of the process. */
static struct {
    struct obv__lock lock;
    struct observed_objects objects;
} observed_objects;

/* No allocator of a context: it would be counted there. Without memory an object
   is not looked for. */
void obv__misuse_observed(const struct obv_object *object)
{
    struct observed *made = malloc(sizeof *made);
    if (made) {
        made->address = (uintptr_t)object;
        obv__lock_enter(&observed_objects.lock);
        struct observed *before =
            RB_INSERT(observed_objects, &observed_objects.objects, made);
        obv__lock_leave(&observed_objects.lock);
        if (before) {
            free(made);
        }
    }
}

void obv__misuse_unobserved(const struct obv_object *object)
{
    const struct observed like = {.address = (uintptr_t)object};
    obv__lock_enter(&observed_objects.lock);
    struct observed *found =
        RB_FIND(observed_objects, &observed_objects.objects,
                (struct observed *)(uintptr_t)&like);
    if (found) {
        RB_REMOVE(observed_objects, &observed_objects.objects, found);
    }
    obv__lock_leave(&observed_objects.lock);
    free(found);
}

bool obv__misuse_is_observed(const struct obv_object *object)
{
    const struct observed like = {.address = (uintptr_t)object};
    obv__lock_enter(&observed_objects.lock);
    bool is = RB_FIND(observed_objects, &observed_objects.objects,
                      (struct observed *)(uintptr_t)&like) != NULL;
    obv__lock_leave(&observed_objects.lock);
    return is;
}
