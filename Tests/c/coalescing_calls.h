/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the coalescing set: posts and takes in one call each, where the
 * core makes two steps, and a check of all invariants.
 */
#ifndef COALESCING_CALLS_H
#define COALESCING_CALLS_H

#include "base/coalescing_set.h"

enum coalescing_posted {
    COALESCING_FIRST, /* the set was empty */
    COALESCING_POSTED,
    COALESCING_NOT /* it is pending or closed */
};

static inline enum coalescing_posted
coalescing_post(struct obv__coalescing_set *set,
                struct obv__coalescing_item *item)
{
    return !obv__coalescing_claim_with(item, 0) ? COALESCING_NOT
           : obv__coalescing_push(set, item)    ? COALESCING_FIRST
                                                : COALESCING_POSTED;
}

static inline enum coalescing_posted
coalescing_post_owner(struct obv__coalescing_set *set,
                      struct obv__coalescing_item *item)
{
    obv__coalescing_will_own(set);
    return !obv__coalescing_claim_with(item, 0)    ? COALESCING_NOT
           : obv__coalescing_push_owner(set, item) ? COALESCING_FIRST
                                                   : COALESCING_POSTED;
}

static inline enum coalescing_posted
coalescing_post_within(struct obv__coalescing_set *set,
                       struct obv__coalescing_item *item)
{
    bool is_ours = obv__coalescing_claim_within(set, item, 0);
    if (is_ours) {
        obv__coalescing_push_within(set, item);
    }
    return is_ours ? COALESCING_POSTED : COALESCING_NOT;
}

/** Takes the next item, which is idle and called then. */
static inline struct obv__coalescing_item *
coalescing_next(struct obv__coalescing_set *set)
{
    struct obv__coalescing_item *item = obv__coalescing_take(set);
    if (item) {
        obv__coalescing_mark_called(set, item);
    }
    return item;
}

/** Takes an item out without calling it. */
static inline struct obv__coalescing_item *
coalescing_drop(struct obv__coalescing_set *set)
{
    struct obv__coalescing_item *item = obv__coalescing_take_any(set);
    if (item) {
        obv__coalescing_withdraw(item);
    }
    return item;
}

/** Ends a cycle; whether anything is left. */
static inline bool coalescing_end(struct obv__coalescing_set *set)
{
    obv__coalescing_end(set);
    return !obv__coalescing_is_empty(set);
}

/** The number of nodes in the queue, while nobody takes; -1: it is damaged. */
static inline int queue_count(const struct obv__queue *queue)
{
    const struct obv__queue_node *tail = obv__load_acquire(&queue->tail);
    const struct obv__queue_node *node = queue->stub;
    int count = 0;
    if (!obv__queue_is_stub(queue, node)) {
        return -1;
    }
    while (node != tail && (node = obv__load_acquire(&node->next)) != NULL) {
        count++;
    }
    return node ? count : -1;
}

/** Whether everything in a chain is pending. */
static inline bool chain_is_pending(struct obv__queue_chain chain)
{
    struct obv__queue_node *node;
    while ((node = obv__chain_next(&chain)) != NULL) {
        const struct obv__coalescing_item *item = obv__coalescing_item_of(node);
        if (!obv__item_is_pending(obv__load_relaxed(&item->word))) {
            return false;
        }
    }
    return true;
}

/** Whether all invariants hold. Threads: the consumer, while nobody posts. */
static inline bool coalescing_check(const struct obv__coalescing_set *set)
{
    bool odd = (obv__coalescing_cycle(set) & 1) != 0;
    struct obv__queue_chain shared = {
        obv__load_acquire(&set->shared.stub->next),
        obv__load_acquire(&set->shared.tail)};
    return odd == (set->depth != 0) && queue_count(&set->shared) >= 0 &&
           chain_is_pending(set->current) && chain_is_pending(set->later) &&
           chain_is_pending(set->owned) && chain_is_pending(shared);
}

#endif
