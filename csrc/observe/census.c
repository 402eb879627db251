/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of observations: see census.h.
 */
#include "observe/census.h"

#include "dispatch/delivery.h"
#include "model/node.h"
#include "observe/observation.h"
#include "wiring/path_instance.h"

#include <string.h>

void obv__census_init(struct obv__census *census, struct obv_context *context)
{
    *census = (struct obv__census){.context = context};
}

void obv__census_deinit(struct obv__census *census)
{
    obv__context_free(census->context, census->table,
                      census->capacity * sizeof *census->table);
}

static size_t place_of(const struct obv__census *census,
                       const struct obv__watcher *observation)
{
    size_t at = ((uintptr_t)observation >> 4) * 11400714819323198485u;
    at &= census->capacity - 1;
    while (census->table[at] && census->table[at] != observation) {
        at = (at + 1) & (census->capacity - 1);
    }
    return at;
}

static bool grow_census(struct obv__census *census)
{
    struct obv__census larger = {census->context, census->count,
                                 census->capacity ? census->capacity * 2 : 64,
                                 NULL};
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
    obv__census_deinit(census);
    *census = larger;
    return true;
}

static void add_leaf(void *context, struct obv__watcher *leaf)
{
    struct obv__census *census = context;
    struct obv__watcher *observation = obv__observation(leaf);
    if (!obv__has_state(leaf, OBV__LINKED) || obv__is_instance(observation)) {
        return; /* class-level observations are not counted */
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

void obv__census_add_list(struct obv__census *census, const uintptr_t *head)
{
    for (struct obv__watcher *w = head ? obv__first(head) : NULL; w;
         w = obv__next(w)) {
        if (!obv__is_binding(w)) {
            add_leaf(census, w);
            continue;
        }
        obv__lock_enter(&census->context->paths);
        const struct obv__path_instance *instance = w->of;
        obv__leaves_below_locked(instance->node, add_leaf, census);
        obv__lock_leave(&census->context->paths);
    }
}

size_t obv__census_end_the_gone(struct obv__census *census)
{
    size_t gone = 0;
    for (size_t i = 0; i < census->capacity; i++) {
        struct obv__watcher *observation = census->table[i];
        if (observation && (observation->type & OBV__MORTAL)) {
            gone += obv__end_if_gone(census->context, observation);
        }
    }
    return gone;
}

static void add_list(void *census, uint32_t slot, uintptr_t *head)
{
    (void)slot;
    obv__census_add_list(census, head);
}

void obv__end_of_the_gone(struct obv_object *root)
{
    struct obv_detail_node *node = obv__node(root);
    struct obv__census census;
    if (!node || !(obv__load_relaxed(&obv__mortal_observers))) {
        return;
    }
    obv__census_init(&census, obv__class_of(root)->context);
    obv__each_list(node, add_list, &census);
    (void)obv__census_end_the_gone(&census);
    obv__census_deinit(&census);
}
