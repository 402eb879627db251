/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who observes what: counts, lists, unresolved paths.
 */
#include "class.h"
#include "node.h"
#include "observation.h"
#include "wiring.h"

#include <stdio.h>
#include <string.h>

/* Counting observations, each once ---------------------------------------- */

/* A set of observations: an open table. Where memory is short it counts on,
   then perhaps the same one twice. */
struct census {
    struct obv_context *context;
    size_t count, capacity;
    const struct obv__watcher **table;
};

static size_t place_of(const struct census *census,
                       const struct obv__watcher *observation)
{
    size_t at = ((uintptr_t)observation >> 4) * 11400714819323198485u;
    at &= census->capacity - 1;
    while (census->table[at] && census->table[at] != observation) {
        at = (at + 1) & (census->capacity - 1);
    }
    return at;
}

static bool grow_census(struct census *census)
{
    struct census larger = {census->context, census->count,
                            census->capacity ? census->capacity * 2 : 64, NULL};
    size_t size = larger.capacity * sizeof *larger.table;
    larger.table = obv__context_allocate(census->context, size);
    if (!larger.table) {
        return false;
    }
    memset(larger.table, 0, size);
    for (size_t i = 0; i < census->capacity; i++) {
        if (census->table[i]) {
            larger.table[place_of(&larger, census->table[i])] =
                census->table[i];
        }
    }
    obv__context_free(census->context, census->table,
                      census->capacity * sizeof *census->table);
    *census = larger;
    return true;
}

static void count_end(void *context, struct obv__watcher *end)
{
    struct census *census = context;
    struct obv__watcher *observation = obv__observation(end);
    if (!obv__has_state(end, OBV__LINKED)) {
        return;
    }
    if (census->count * 2 >= census->capacity && !grow_census(census) &&
        census->count + 1 >= census->capacity) {
        census->count++;
        return;
    }
    size_t at = place_of(census, observation);
    if (!census->table[at]) {
        census->table[at] = observation;
        census->count++;
    }
}

static void count_list(struct census *census, const uintptr_t *head)
{
    for (struct obv__watcher *w = head ? obv__first(head) : NULL; w;
         w = obv__next(w)) {
        if (obv__what(w) != OBV__BINDING) {
            count_end(census, w);
            continue;
        }
        obv__lock_enter(&census->context->paths);
        obv__ends_below_locked(w->of, count_end, census);
        obv__lock_leave(&census->context->paths);
    }
}

static size_t count_slot(struct obv_object *object, uint32_t slot, bool by_any)
{
    struct obv_detail_node *node = obv__node(object);
    struct census census = {.context = obv__class_of(object)->context};
    if (!node) {
        return 0;
    }
    if (slot != OBV__SLOT_EVERY) {
        count_list(&census, obv__list(node, slot));
    }
    if (by_any) {
        count_list(&census, obv__list(node, OBV__SLOT_EVERY));
    }
    obv__context_free(census.context, census.table,
                      census.capacity * sizeof *census.table);
    return census.count;
}

size_t obv_observer_count(struct obv_object *object, const char *property)
{
    struct obv__thread *self = obv__thread_self();
    uint32_t slot = OBV__SLOT_EVERY;
    if (!object || !property || obv__object_has_ended(object)) {
        return 0;
    }
    if (strcmp(property, "*") != 0 &&
        obv_class_property(obv__class_of(object), property, &slot) != OBV_OK) {
        return 0;
    }
    obv__section_enter(self);
    size_t count = count_slot(object, slot, true);
    obv__section_leave(self);
    return count;
}

void obv_observed_properties(struct obv_object *object,
                             void (*each)(void *context, const char *name),
                             void *context)
{
    struct obv__thread *self = obv__thread_self();
    if (!object || !each || obv__object_has_ended(object)) {
        return;
    }
    const struct obv_class *cls = obv__class_of(object);
    obv__section_enter(self);
    for (uint32_t slot = 0; slot < cls->property_count; slot++) {
        if (count_slot(object, slot, false) != 0) {
            each(context, cls->properties[slot]->name);
        }
    }
    if (count_slot(object, OBV__SLOT_EVERY, true) != 0) {
        each(context, "*");
    }
    obv__section_leave(self);
}

/* Unresolved paths -------------------------------------------------------- */

/* A text as snprintf() writes it. */
static ptrdiff_t write_text(const char *text, size_t length, char *buffer,
                            size_t size)
{
    if (size != 0) {
        size_t fits = length < size - 1 ? length : size - 1;
        memcpy(buffer, text, fits);
        buffer[fits] = '\0';
    }
    return (ptrdiff_t)length;
}

/* The text of the index-th entry, copied: diagnostics' memory must not go
   while it is written. */
static ptrdiff_t unresolved_of_group(struct obv__group *group, size_t *index,
                                     char *buffer, size_t size)
{
    ptrdiff_t length = -1;
    obv__lock_enter(&group->lock);
    struct obv__unresolved *entry = group->unresolved;
    while (entry && *index != 0) {
        entry = entry->next;
        --*index;
    }
    if (entry) {
        length = write_text(entry->text, entry->length, buffer, size);
    }
    obv__lock_leave(&group->lock);
    return length;
}

/* Pairs that memory was short for (FA-1). */
static ptrdiff_t unresolved_of_pair(const struct obv__watcher *pair,
                                    struct obv_context *context, size_t *index,
                                    char *buffer, size_t size)
{
    struct obv_element elements[OBV_PATH_COUNT_MAX];
    uintptr_t place = obv__load_acquire(&pair->place);
    if (!(place & OBV__STEP_TAG) || !obv__step_is_short(obv__step_of(place)) ||
        (*index)-- != 0) {
        return -1;
    }
    size_t count = obv__step_elements(obv__step_of(place), elements);
    return (ptrdiff_t)obv_path_print(context->names, elements, count, buffer,
                                     size);
}

ptrdiff_t obv_unresolved_path(const struct obv_observation *handle,
                              size_t index, char *buffer, size_t size)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *observation = (struct obv__watcher *)(uintptr_t)handle;
    if (!handle) {
        return -1;
    }
    struct obv__group *group = obv__group_or_null(observation);
    struct obv_context *context = obv__observation_context(observation);
    ptrdiff_t length = -1;
    obv__section_enter(self);
    if (group) {
        length = unresolved_of_group(group, &index, buffer, size);
    }
    for (struct obv__watcher *pair = obv__pair_next(observation, NULL);
         length < 0 && pair; pair = obv__pair_next(observation, pair)) {
        length = unresolved_of_pair(pair, context, &index, buffer, size);
    }
    obv__section_leave(self);
    return length;
}
