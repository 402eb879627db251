/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for the records of computed properties that a pair follows: from the
 * root on, each once in a search.
 */
#include "dispatch/record_search.h"

#include "dispatch/delivery.h"
#include "model/computed.h"
#include "model/path_node.h"

void obv__record_search_begin(struct obv__record_search *search,
                              struct obv__thread *self)
{
    search->self = self;
    search->only_asks = search->only_kept = false;
    search->is_due = search->is_of_end = false;
    search->added_since = 0;
    search->count = 0;
}

static bool is_awaited(const struct obv__computed *computed)
{
    return obv__first_state(computed) != 0;
}

/* Whether a drain may find something to tell of a record that was marked, or
   has got a value, while the item was pending. After a failure there is nothing
   to be found until the record is marked. */
static bool is_due_again(const struct obv__record_search *search,
                         const struct obv__computed *computed)
{
    uint32_t flags = obv__flags(computed);
    /* The end of its object has marked it as well. */
    bool is_stale =
        (flags & OBV__STALE) && (!(flags & OBV__ENDED) || is_awaited(computed));
    bool is_due = is_stale || (is_awaited(computed)
                                   ? !(flags & OBV__FAILED)
                                   : (flags & (OBV__FAILED | OBV__NO_VALUE)) ==
                                         OBV__NO_VALUE);
    /* A function that runs, and has called for the drain, tells when it has a
       value. */
    return is_due && (search->is_of_end || !(flags & OBV__RUNS));
}

static bool was_seen(const struct obv__record_search *search,
                     const struct obv_object *object, uint32_t slot)
{
    size_t i = 0;
    while (i < search->count &&
           (search->seen[i] != object || search->seen_slots[i] != slot)) {
        i++;
    }
    return i < search->count;
}

/* Looks at the slot of an object where a watcher hangs; whether its record is
   what the search is for. */
static bool look_at_slot(struct obv__record_search *search,
                         struct obv_object *object,
                         const struct obv__watcher *watcher)
{
    uint32_t slot = watcher->slot;
    if (!object || slot > OBV__SLOT_LAST ||
        !obv__slot_is_computed(obv__class_of(object), slot)) {
        return false;
    }
    struct obv__computed *computed = obv__computed_of(object, slot);
    if (search->only_asks) {
        search->is_due =
            search->is_due || (computed && is_due_again(search, computed));
        return false;
    }
    bool is_meant = search->only_kept
                        ? computed && obv__first_is_kept(computed)
                        : !computed || !obv__computed_is_valid(computed) ||
                              is_awaited(computed);
    bool found = is_meant && search->count < OBV_PATH_COUNT_MAX &&
                 !was_seen(search, object, slot);
    if (found) {
        search->object = object;
        search->slot = slot;
    }
    return found;
}

/* The paths lock is held. */
static bool look_at_instances(struct obv__record_search *search,
                              struct obv__path_node *node)
{
    struct obv__path_instance *instance = obv__path_instance_next(node, NULL);
    bool found = false;
    while (instance && !found) {
        const struct obv__watcher *binding = instance->binding;
        found = binding &&
                look_at_slot(search, obv__binding_place(binding), binding);
        instance = obv__path_instance_next(node, instance);
    }
    return found;
}

static bool look_along_path(struct obv__record_search *search,
                            struct obv__path_node *leaf)
{
    struct obv__path_node *nodes[OBV_PATH_COUNT_MAX];
    size_t count = 0;
    bool found = false;
    for (struct obv__path_node *node = leaf; node;
         node = obv__path_node_parent(node)) {
        nodes[count++] = node;
    }
    obv__lock_paths(leaf);
    while (count != 0 && !found) {
        found = look_at_instances(search, nodes[--count]);
    }
    if (found) {
        /* The object's end first takes away what hangs there, and then waits
           for this. */
        obv__hazard_set(search->self, search->object);
    }
    obv__unlock_paths(leaf);
    return found;
}

/* Looks at a pair that hangs at its root itself. */
static bool look_at_root(struct obv__record_search *search,
                         const struct obv__watcher *pair)
{
    struct obv_object *root = obv__root(pair);
    if (!root || pair->slot > OBV__SLOT_LAST) {
        return false;
    }
    obv__hazard_set(search->self, root);
    /* A pair that has ended keeps the address of its root. */
    bool is_there =
        obv__root(pair) == root && obv__has_state(pair, OBV__LINKED);
    bool found = is_there && look_at_slot(search, root, pair);
    if (!found) {
        obv__hazard_clear(search->self);
    }
    return found;
}

bool obv__record_search_find(struct obv__record_search *search,
                             const struct obv__watcher *pair)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    return place & OBV__PATH_NODE_TAG
               ? look_along_path(search, obv__path_node_of(place))
               : look_at_root(search, pair);
}

bool obv__follows_invalid(struct obv__thread *self,
                          const struct obv__watcher *pair, bool is_of_end)
{
    struct obv__record_search search;
    obv__record_search_begin(&search, self);
    search.only_asks = true;
    search.is_of_end = is_of_end;
    (void)obv__record_search_find(&search, pair);
    return search.is_due;
}

struct obv__watcher *obv__first_invalid(struct obv__watcher *observation)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair && !obv__follows_invalid(self, pair, false)) {
        pair = obv__pair_next(observation, pair);
    }
    return pair;
}
