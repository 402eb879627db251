/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations left in a context, an entry each.
 */
#include "observe/left.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/misuse.h"
#include "model/node.h"
#include "path/path.h"
#include "platform/exception.h"
#include "model/path_node.h"

#include <stdio.h>
#include <stdlib.h>

static const char *class_name_of(const struct obv_object *object)
{
    return object ? obv__class_of(object)->table->name : NULL;
}

/* The class of an observer that is an object: it lives while it is linked. */
static const char *observer_class(struct obv__watcher *observation)
{
    const char *name = NULL;
    if (observation->type & OBV__OBSERVER_LINKED) {
        struct obv__lock *stripe = obv__lock_stripe(observation->of);
        obv__lock_enter(stripe);
        if (obv__observer_link(observation)->place) {
            name = class_name_of(observation->of);
        }
        obv__lock_leave(stripe);
    }
    return name;
}

void obv__fill_entry(struct obv_observer_entry *entry,
                     struct obv__watcher *observation)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    entry->observer = observation->of;
    entry->observer_class = observer_class(observation);
    entry->kind = kind;
    entry->label = kind->label;
    entry->file = obv__begun_at(observation, &entry->line);
    entry->is_immediate = obv__is_immediate(observation);
    entry->is_token = (observation->type & OBV__TOKEN) != 0;
    if (observation->type & OBV__HAS_ITEM) {
        struct obv__coalescing_item *item = obv__item(observation);
        entry->loop = obv__loop_of(observation);
        entry->is_pending = obv__item_is_pending(obv__item_word(item));
    }
}

/* Pairs -------------------------------------------------------------------- */

void obv__fill_pair(struct obv_observer_entry *entry, struct obv__watcher *pair,
                    uintptr_t place, struct obv__printable *path)
{
    const struct obv__recording_member *noted = obv__recording_member(pair);
    struct obv_object *root = obv__root(pair);
    entry->root = root;
    entry->root_class = class_name_of(root);
    entry->is_unresolved = noted && noted->is_nowhere;
    path->path = noted ? noted->path : NULL;
    path->count = 0;
    if (place & OBV__PATH_NODE_TAG) {
        path->count =
            obv__path_node_elements(obv__path_node_of(place), path->elements);
    } else if (root && pair->slot != OBV__SLOT_NONE) {
        bool is_every = pair->slot > OBV__SLOT_LAST;
        const struct obv_class *cls = obv__class_of(root);
        path->count = 1;
        path->elements[0] = (struct obv_element){
            is_every ? OBV_ELEMENT_ANY : OBV_ELEMENT_NAME, OBV_NAME_NONE, 0};
        obv__element_by_name(cls->context->names, path->elements,
                             is_every ? OBV_NAME_NONE
                                      : obv__property_name(cls, pair->slot));
    }
}

/* False: it has ended meanwhile. */
static bool look_at_pair(struct obv_context *context, struct obv__watcher *pair,
                         struct obv_observer_entry *entry,
                         struct obv__printable *written)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    struct obv__lock *lock = place & OBV__PATH_NODE_TAG
                                 ? &context->paths
                                 : obv__lock_stripe((void *)place);
    obv__lock_enter(lock);
    bool is_there = place != 0 && obv__load_acquire(&pair->place) == place &&
                    obv__has_state(pair, OBV__LINKED);
    if (is_there) {
        obv__fill_pair(entry, pair, place, written);
    }
    obv__lock_leave(lock);
    return is_there;
}

/* Telling ------------------------------------------------------------------ */

struct left_teller {
    struct obv_context *context;
    void (*each)(void *argument, const struct obv_observer_entry *entry);
    void *argument;
    bool is_short; /* of memory */
};

static void tell_written(struct left_teller *teller,
                         const struct obv__printable *written,
                         struct obv_observer_entry *entry)
{
    size_t length =
        obv__printable_print(teller->context->names, written, NULL, 0);
    char *text = obv__context_allocate(teller->context, length + 1);
    teller->is_short = teller->is_short || !text;
    if (text && length != 0) {
        (void)obv__printable_print(teller->context->names, written, text,
                                   length + 1);
        entry->path = text;
    }
    {
        OBV__NO_EXCEPTION_LEAVES();
        teller->each(teller->argument, entry);
    }
    obv__context_free(teller->context, text, length + 1);
}

static void tell_left_observation(struct left_teller *teller,
                                  struct obv__thread *self,
                                  const struct obv__begun *begun)
{
    static const struct obv_handler_kind gone;
    struct obv__watcher *observation = begun->observation;
    struct obv_observer_entry entry = {.index = OBV_EVERY_PROPERTY,
                                       .kind = &gone,
                                       .label = begun->has_label ? begun->label
                                                                 : NULL,
                                       .file = begun->file,
                                       .line = begun->line,
                                       .is_over = true};
    struct obv__printable path = {.count = 0};
    struct obv__watcher *pair = NULL;
    if (obv__pin(self, observation)) {
        entry.is_over = false;
        obv__fill_entry(&entry, observation);
        pair = obv__pair_next(observation, NULL);
    }
    if (!entry.is_over && obv__is_class_subscription(observation)) {
        const struct obv__class_subscription *whole =
            obv__class_subscription(observation);
        entry.root_class = whole->cls->table->name;
        path.path = whole->path;
    }
    if (!pair) {
        tell_written(teller, &path, &entry);
    }
    for (; pair; pair = obv__pair_next(observation, pair)) {
        struct obv_observer_entry of_pair = entry;
        if (look_at_pair(teller->context, pair, &of_pair, &path)) {
            tell_written(teller, &path, &of_pair);
        }
    }
    obv__unpin(self, teller->context, observation);
}

enum obv_status obv_debug_each_left(
    struct obv_context *context,
    void (*each)(void *argument, const struct obv_observer_entry *entry),
    void *argument)
{
    struct obv__thread *self = obv__thread_self();
    struct left_teller teller = {.each = each, .argument = argument};
    struct obv__begun *first;
    teller.context = obv__context_or_default(context);
    if (!each || !teller.context) {
        return each ? OBV_E_MEMORY : OBV_E_ARGUMENT;
    }
    if (!OBV__CHECKS_MISUSE) {
        return OBV_E_UNKNOWN;
    }
    if (obv__running_is_full(self)) {
        return OBV_E_LIMIT; /* no handler kind could be pinned */
    }
    obv__epoch_enter(self);
    teller.is_short = !obv__misuse_left(teller.context, &first);
    while (first) {
        struct obv__begun *begun = first;
        first = begun->next;
        tell_left_observation(&teller, self, begun);
        free(begun);
    }
    obv__epoch_leave(self);
    return teller.is_short ? OBV_E_MEMORY : OBV_OK;
}

/* As a diagnostic each. */

struct report {
    struct obv_context *context;
    size_t count;
};

/* Those that a report names; the first says how many there are. */
#define REPORTED 16

static void report_left(void *context, const struct obv_observer_entry *entry)
{
    struct report *report = context;
    char text[200];
    if (report->count++ >= REPORTED) {
        return;
    }
    const char *cls = entry->root_class;
    (void)snprintf(text, sizeof text,
                   entry->is_over
                       ? "left in the context: an observation that has ended, "
                         "whose handle was not released, or whose call has not "
                         "come"
                   : cls ? "left in the context: an observation of an object "
                           "of the class `%.100s`"
                         : "left in the context: an observation",
                   cls);
    const struct obv_diagnostic diagnostic = {.kind = OBV_DIAGNOSTIC_LEFT,
                                              .text = text,
                                              .path = entry->path,
                                              .label = entry->label,
                                              .file = entry->file,
                                              .line = entry->line};
    obv__diagnose(report->context, &diagnostic);
}

void obv__tell_left(struct obv_context *context)
{
    struct report report = {.context = context};
    char text[120];
    (void)snprintf(text, sizeof text,
                   "a context does not end: %llu observations or handles are "
                   "left",
                   (unsigned long long)obv__load_relaxed(&context->live));
    const struct obv_diagnostic diagnostic = {.kind = OBV_DIAGNOSTIC_LEFT,
                                              .text = text};
    obv__diagnose(context, &diagnostic);
    (void)obv_debug_each_left(context, report_left, &report);
}
