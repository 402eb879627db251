/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of observations: see observation_set.h.
 */
#include "observe/observation_set.h"

#include "dispatch/delivery.h"
#include "model/node.h"
#include "observe/observation.h"
#include "wiring/path_instance.h"

#include <string.h>

void obv__observation_set_init(struct obv__observation_set *set,
                               struct obv_context *context)
{
    *set = (struct obv__observation_set){.context = context};
}

void obv__observation_set_deinit(struct obv__observation_set *set)
{
    obv__context_free(set->context, set->table,
                      set->capacity * sizeof *set->table);
}

static size_t place_of(const struct obv__observation_set *set,
                       const struct obv__watcher *observation)
{
    size_t at = ((uintptr_t)observation >> 4) * 11400714819323198485u;
    at &= set->capacity - 1;
    while (set->table[at] && set->table[at] != observation) {
        at = (at + 1) & (set->capacity - 1);
    }
    return at;
}

static bool grow_observation_set(struct obv__observation_set *set)
{
    struct obv__observation_set larger = {
        set->context, set->count, set->capacity ? set->capacity * 2 : 64, NULL};
    size_t size = larger.capacity * sizeof *larger.table;
    larger.table = obv__context_allocate(set->context, size);
    if (!larger.table) {
        return false;
    }
    memset(larger.table, 0, size);
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->table[i]) {
            larger.table[place_of(&larger, set->table[i])] = set->table[i];
        }
    }
    obv__observation_set_deinit(set);
    *set = larger;
    return true;
}

static void add_leaf(void *context, struct obv__watcher *leaf)
{
    struct obv__observation_set *set = context;
    struct obv__watcher *observation = obv__observation(leaf);
    if (!obv__has_state(leaf, OBV__LINKED) || obv__is_instance(observation) ||
        obv__pair_is_over(leaf)) {
        return; /* class-level observations are not counted */
    }
    if (set->count * 2 >= set->capacity && !grow_observation_set(set) &&
        set->count + 1 >= set->capacity) {
        set->count++;
        return;
    }
    size_t at = place_of(set, observation);
    if (!set->table[at]) {
        set->table[at] = observation;
        set->count++;
    }
}

void obv__observation_set_add_list(struct obv__observation_set *set,
                                   const uintptr_t *head)
{
    for (struct obv__watcher *w = head ? obv__first(head) : NULL; w;
         w = obv__next(w)) {
        if (!obv__is_binding(w)) {
            add_leaf(set, w);
            continue;
        }
        obv__lock_enter(&set->context->paths);
        const struct obv__path_instance *instance = w->of;
        obv__leaves_below_locked(instance->node, add_leaf, set);
        obv__lock_leave(&set->context->paths);
    }
}

size_t obv__observation_set_end_dead(struct obv__observation_set *set)
{
    size_t gone = 0;
    for (size_t i = 0; i < set->capacity; i++) {
        struct obv__watcher *observation = set->table[i];
        if (observation && (observation->type & OBV__MORTAL)) {
            gone += obv__end_if_dead(set->context, observation);
        }
    }
    return gone;
}

static void add_list(void *set, uint32_t slot, uintptr_t *head)
{
    (void)slot;
    obv__observation_set_add_list(set, head);
}

void obv__end_dead_observers(struct obv_object *root)
{
    struct obv_detail_node *node = obv__node(root);
    struct obv__observation_set set;
    if (!node || !(obv__load_relaxed(&obv__mortal_observers))) {
        return;
    }
    obv__observation_set_init(&set, obv__class_of(root)->context);
    obv__each_list(node, add_list, &set);
    (void)obv__observation_set_end_dead(&set);
    obv__observation_set_deinit(&set);
}
