/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coalescing set's struct, for modules that embed one, and posts in two
 * steps: a claim, which decides who posts, and a push. Between the two the
 * claimer may take references for the call to come, or withdraw.
 *
 * Owed: what observable/coalescing_set.h promises. A claim that is neither
 * pushed nor withdrawn makes its item pending for ever.
 */
#ifndef OBV_COALESCING_SET_H
#define OBV_COALESCING_SET_H

#include <observable/coalescing_set.h>

#include "queue.h"

enum { OBV__ITEM_CYCLE_SHIFT = 2, OBV__ITEM_TAG_SHIFT = 48 };

#define OBV__ITEM_STATE UINT64_C(3)
#define OBV__ITEM_TAG   (UINT64_C(0xFFFF) << OBV__ITEM_TAG_SHIFT)
#define OBV__ITEM_CYCLE (~(OBV__ITEM_TAG | OBV__ITEM_STATE))

struct obv_coalescing_set {
    /* Read by any thread, written by the consumer. */
    uint64_t cycle;      /* odd while a cycle runs */
    uint32_t any_thread; /* 0, then 1 for ever; written by any thread */
    /* The consumer's own. */
    uint32_t depth; /* nested cycles that run */
    bool sift;      /* an item may be wanted outside of `current` */
    void (*begun)(void *context);
    void *begun_context;
    struct obv_queue_chain current; /* this cycle's, or what a limit left */
    struct obv_queue_chain later;   /* for the next cycle or a nested one */
    struct obv_queue_chain owned;   /* posted by the owner, no cycle running */
    struct obv_queue shared;        /* posted by any thread */
};

/** Makes an empty set in the caller's memory; there is no deinit. `begun` may
    be NULL. */
void obv__coalescing_init(struct obv_coalescing_set *set,
                          void (*begun)(void *context), void *begun_context);

/**
 * The first half of a post.
 *
 * @return POSTED: the item is the caller's to push or withdraw; PENDING and
 *         CLOSED as for obv_coalescing_post().
 *
 * Threads: any.
 */
enum obv_coalescing_post
obv__coalescing_claim(struct obv_coalescing_item *item);

/** Takes a claim back; posts that met it meanwhile are lost with it. */
void obv__coalescing_withdraw(struct obv_coalescing_item *item);

/** The second half of obv_coalescing_post(): FIRST or POSTED. */
enum obv_coalescing_post obv__coalescing_push(struct obv_coalescing_set *set,
                                              struct obv_coalescing_item *item);

/** The second half of obv_coalescing_post_owner(): FIRST or POSTED. */
enum obv_coalescing_post
obv__coalescing_push_owner(struct obv_coalescing_set *set,
                           struct obv_coalescing_item *item);

/** The first half of obv_coalescing_post_within(): POSTED, PENDING, DROPPED or
    CLOSED. */
enum obv_coalescing_post
obv__coalescing_claim_within(struct obv_coalescing_set *set,
                             struct obv_coalescing_item *item, bool keep);

/** The second half, in the same outermost cycle: POSTED. */
enum obv_coalescing_post
obv__coalescing_push_within(struct obv_coalescing_set *set,
                            struct obv_coalescing_item *item);

/** Whether obv__coalescing_take() may find something; false is certain. */
static inline bool
obv__coalescing_may_have_next(const struct obv_coalescing_set *set)
{
    return set->current.first != NULL || set->sift;
}

/** The first half of obv_coalescing_next(): the item is out of the lists, and
    pending until the second. */
struct obv_coalescing_item *
obv__coalescing_take(struct obv_coalescing_set *set);

/** The second half: the item is idle, and called in this cycle (D3). */
void obv__coalescing_mark_called(struct obv_coalescing_set *set,
                                 struct obv_coalescing_item *item);

/** The item was not called in this cycle after all: what was marked so has
    nothing to be called for. The consumer, between two takes. */
void obv__coalescing_unmark_called(struct obv_coalescing_set *set,
                                   struct obv_coalescing_item *item);

/** The first half of obv_coalescing_drop(); obv__coalescing_withdraw() is the
    second. */
struct obv_coalescing_item *
obv__coalescing_take_any(struct obv_coalescing_set *set);

/** Whether `item` was called in the cycle that runs. Threads: the consumer. */
bool obv__coalescing_called(const struct obv_coalescing_set *set,
                            const struct obv_coalescing_item *item);

/** Walks all invariants; the consumer, while nobody posts. Cost: O(n). */
bool obv__coalescing_check(const struct obv_coalescing_set *set);

#endif
