/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inspecting observations: counts, lists, unresolved paths.
 */
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/class.h"
#include "model/container.h"
#include "model/node.h"
#include "observe/observation_set.h"
#include "observe/class_subscription.h"
#include "observe/observation.h"
#include "path/path.h"
#include "wiring/matcher.h"
#include "model/path_node.h"

#include <string.h>

/* Counts and lists --------------------------------------------------------- */

/* Adds the list of a slot; NULL: there is no object. */
static void add_slot(struct obv__observation_set *set,
                     struct obv_object *object, uint32_t slot)
{
    set->at = object;
    obv__observation_set_add_list(
        set, object ? obv__list(obv__node(object), slot) : NULL);
}

/* The observations of a slot, and of every one of `any` (NULL: nobody), each once,
   those whose observer is gone left out and ended. */
static size_t count_in(struct obv_context *context, struct obv_object *at,
                       uint32_t slot, struct obv_object *any)
{
    struct obv__observation_set set = {.context = context};
    add_slot(&set, at, slot);
    add_slot(&set, any, OBV__SLOT_EVERY);
    return obv__observation_set_count_living(&set);
}

/* The place at which a text's property is observed: an object, or NULL, and its
   slot; false: the object has no such property. A property is named without
   escapes. */
static bool find_place(struct obv_object *object, const char *text,
                       struct obv_object **at, uint32_t *slot)
{
    struct obv_context *context = obv__class_of(object)->context;
    struct obv_path *path;
    *at = object;
    if (strcmp(text, "*") != 0 &&
        obv_class_property(obv__class_of(object), text, slot) == OBV_OK) {
        return true;
    }
    if (obv_path_find(context->names, text, strlen(text), &path, NULL) !=
        OBV_OK) {
        return false;
    }
    const struct obv_element *element = obv_path_elements(path);
    *slot = obv_path_count(path) == 1 ? obv__slot_on(element, object)
                                      : OBV__NO_SLOT;
    *slot = *slot <= OBV__SLOT_LAST ? OBV__NO_SLOT : *slot;
    if (*slot != OBV__NO_SLOT) {
        obv__lock_enter(&context->paths);
        const struct obv__aim aim =
            obv__matcher_place(element, object, *slot, NULL, false);
        *at = aim.target;
        *slot = aim.slot;
        obv__lock_leave(&context->paths);
    }
    obv_path_destroy(path);
    return *at != object || *slot != OBV__NO_SLOT;
}

size_t obv_observer_count(struct obv_object *object, const char *property)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_object *at;
    uint32_t slot;
    size_t count = 0;
    if (!obv__class_or_null(object) || !property ||
        obv__object_has_ended(object)) {
        return 0;
    }
    obv__epoch_enter(self);
    if (find_place(object, property, &at, &slot)) {
        obv__class_subscriptions_end_dead(object);
        count = count_in(obv__class_of(object)->context, at, slot, object);
    }
    obv__epoch_leave(self);
    return count;
}

static void list_cells(struct obv_object *container,
                       void (*each)(void *context, const char *name),
                       void *context)
{
    char text[OBV__CELL_NAME];
    struct obv_object *cell = container;
    while ((cell = obv__place_behind(container, cell)) != NULL) {
        if (count_in(obv__class_of(container)->context, cell, 0, NULL) != 0) {
            obv__elements_kind(container)->print(obv__cell(cell), text,
                                                 sizeof text);
            each(context, text);
        }
    }
}

void obv_observed_properties(struct obv_object *object,
                             void (*each)(void *context, const char *name),
                             void *context)
{
    struct obv__thread *self = obv__thread_self();
    if (!obv__class_or_null(object) || !each || obv__object_has_ended(object)) {
        return;
    }
    const struct obv_class *cls = obv__class_of(object);
    obv__epoch_enter(self);
    for (uint32_t slot = 0; slot < obv__slots_by_now(cls); slot++) {
        if (count_in(cls->context, object, slot, NULL) != 0) {
            each(context, obv_class_property_name(cls, slot));
        }
    }
    list_cells(object, each, context);
    if (count_in(cls->context, object, OBV__SLOT_EVERY, NULL) != 0) {
        each(context, "*");
    }
    obv__epoch_leave(self);
}

/* Unresolved paths -------------------------------------------------------- */

/* Whether a pair leads nowhere, from its beginning or since memory was short for it
   (FA-1) or a component has turned out to be no observable property (KP-12); and
   its path. */
static bool is_unresolved(struct obv__watcher *pair,
                          struct obv__printable *path)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    const struct obv__path_node *node =
        place & OBV__PATH_NODE_TAG ? obv__path_node_of(place) : NULL;
    bool is_lost =
        node &&
        (obv__path_node_is_unwired(node) || obv__path_node_is_unknown(node) ||
         obv__path_node_furthest_end(node) == OBV__PATH_PAST_END);
    path->path = obv__unresolved_of(pair);
    path->count =
        is_lost ? obv__path_node_elements(node, path->elements) : (size_t)0;
    return path->path || is_lost;
}

ptrdiff_t obv_unresolved_path(const struct obv_observation *handle,
                              size_t index, char *buffer, size_t size)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *observation = (struct obv__watcher *)(uintptr_t)handle;
    ptrdiff_t length = -1;
    if (!handle) {
        return -1;
    }
    obv__epoch_enter(self);
    struct obv__watcher *pair = obv__is_class_subscription(observation)
                                    ? observation
                                    : obv__pair_next(observation, NULL);
    while (length < 0 && pair) {
        struct obv__printable path;
        if (is_unresolved(pair, &path) && index-- == 0) {
            length = (ptrdiff_t)obv__printable_print(
                obv__observation_context(observation)->names, &path, buffer,
                size);
        }
        pair = pair == observation ? NULL : obv__pair_next(observation, pair);
    }
    obv__epoch_leave(self);
    return length;
}

void obv_context_counters(const struct obv_context *context,
                          struct obv_counters *counters)
{
    /* Relaxed: exact at rest, and then whoever rests us has ordered them. */
    counters->called =
        obv__loops_called((struct obv_context *)(uintptr_t)context);
    counters->dropped = obv__load_relaxed(&context->dropped);
    counters->diagnostics = obv__load_relaxed(&context->diagnostics);
    counters->observations = obv__load_relaxed(&context->live);
}
