/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of observations: see observation_set.h.
 */
#include "observe/observation_set.h"

#include "dispatch/delivery.h"
#include "model/node.h"
#include "observe/observation.h"
#include "model/path_node.h"

#include <stdlib.h>

static void add_leaf(struct obv__observation_set *set,
                     struct obv__watcher *leaf)
{
    struct obv__watcher *observation = obv__observation(leaf);
    if (!obv__has_state(leaf, OBV__LINKED) || obv__is_instance(observation) ||
        obv__path_end_of(leaf) != OBV__PATH_GOES_ON) {
        return; /* class-level observations are not counted */
    }
    if (set->count == set->capacity) {
        struct obv__watcher **more = obv__context_grown(
            set->context, set->items, NULL, &set->capacity, sizeof *set->items);
        if (!more) {
            set->lost++;
            return;
        }
        set->items = more;
    }
    set->items[set->count++] = observation;
}

void obv__observation_set_add_list(struct obv__observation_set *set,
                                   const uintptr_t *head)
{
    for (struct obv__watcher *w = head ? obv__first(head) : NULL; w;
         w = obv__next_at(set->at, w)) {
        if (!obv__is_binding(w)) {
            add_leaf(set, w);
            continue;
        }
        obv__lock_enter(&set->context->paths);
        const struct obv__path_node *node =
            ((const struct obv__path_instance *)w->of)->node;
        struct obv__watcher *leaf = NULL;
        /* Bindings move under the lock: one that came from where another had gone
           to and back is not here. */
        while (obv__binding_place(w) == set->at &&
               (leaf = obv__next_leaf_locked(NULL, node, leaf)) != NULL) {
            add_leaf(set, leaf);
        }
        obv__lock_leave(&set->context->paths);
    }
}

static int by_address(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (struct obv__watcher *const *)a;
    uintptr_t right = (uintptr_t) * (struct obv__watcher *const *)b;
    return (left > right) - (left < right);
}

size_t obv__observation_set_count_living(struct obv__observation_set *set)
{
    size_t living = set->lost;
    if (set->count != 0) {
        qsort(set->items, set->count, sizeof *set->items, by_address);
    }
    for (size_t i = 0; i < set->count; i++) {
        struct obv__watcher *observation = set->items[i];
        bool is_new = i == 0 || observation != set->items[i - 1];
        living += is_new && !obv__end_if_dead(set->context, observation);
    }
    obv__context_free(set->context, set->items,
                      set->capacity * sizeof *set->items);
    return living;
}

static void add_list(void *set, uint32_t slot, uintptr_t *head)
{
    (void)slot;
    obv__observation_set_add_list(set, head);
}

void obv__end_dead_observers(struct obv_object *root)
{
    struct obv_detail_node *node = obv__node(root);
    if (node && obv__load_relaxed(&obv__mortal_observers)) {
        struct obv__observation_set set = {
            .context = obv__class_of(root)->context, .at = root};
        obv__each_list(node, add_list, &set);
        (void)obv__observation_set_count_living(&set);
    }
}
