/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue's struct, for modules that embed one. Its fields belong to
 * queue.c; what they mean and why they are right is written there.
 */
#ifndef OBV_QUEUE_H
#define OBV_QUEUE_H

#include <observable/queue.h>

#include "platform/atomic.h"

/* Blocks are aligned to 16 bytes, so a hot word's line is kept free of others
   by padding on both sides, not by alignment. */
#define OBV__QUEUE_LINE 64

struct obv_queue {
    struct obv_queue_node *stub; /* in use, one of the two; consumer only */
    char before[OBV__QUEUE_LINE];
    /* Written by every producer and the consumer. */
    struct obv_queue_node *tail;    /* last node, or the stub in use */
    struct obv_queue_node stubs[2]; /* `next` is the first node, or NULL */
    char after[OBV__QUEUE_LINE];
};

/** Makes an empty queue in the caller's memory; there is no deinit. */
void obv__queue_init(struct obv_queue *queue);

/** Nodes in the queue. No take may run at the same time; pushes may, and may
    be counted or not. Cost: O(n). */
size_t obv__queue_count(const struct obv_queue *queue);

/** Whether the queue is whole. Threads as obv__queue_count(). */
bool obv__queue_check(const struct obv_queue *queue);

/* Chains: on the owner's thread; nothing here waits. */

static inline void obv__chain_append(struct obv_queue_chain *chain,
                                     struct obv_queue_node *node)
{
    if (chain->first) {
        chain->last->next = node;
    } else {
        chain->first = node;
    }
    chain->last = node;
}

/** Moves what is in `tail` behind `chain`; `tail` is empty then. */
static inline void obv__chain_join(struct obv_queue_chain *chain,
                                   struct obv_queue_chain *tail)
{
    if (!tail->first) {
        return;
    }
    if (chain->first) {
        chain->last->next = tail->first;
    } else {
        chain->first = tail->first;
    }
    chain->last = tail->last;
    tail->first = NULL;
}

/** Nodes in a chain. Cost: O(n); waits like obv_queue_chain_next(). */
size_t obv__chain_count(const struct obv_queue_chain *chain);

#endif
