/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue's struct, for modules that embed one, and its operations as inline
 * functions: a delivery passes through each of them once. queue.c says what the
 * fields mean and why the operations are right.
 */
#ifndef OBV_QUEUE_H
#define OBV_QUEUE_H

#include <observable/queue.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

#include <stdbool.h>

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

static inline bool obv__queue_is_stub(const struct obv_queue *queue,
                                      const struct obv_queue_node *node)
{
    /* One comparison: no node lies between the two. */
    return (uintptr_t)node - (uintptr_t)queue->stubs < sizeof queue->stubs;
}

/** Pushes; answers the node that was the last. */
OBV__INLINE struct obv_queue_node *
obv__queue_push_behind(struct obv_queue *queue, struct obv_queue_node *node)
{
    /* Relaxed: the exchange below releases it, to the push that will get this
       node and to the take. */
    obv__store_relaxed(&node->next, NULL);
    /* Acquire and release: pairs with the exchange of the push before (its
       clearing of prev->next comes before our link, point 2) and with the one
       in obv__queue_take() (the consumer sees what the caller wrote).
       seq_cst: callers lean on it as the full barrier of a post. From here to
       the next line the consumer sees a chain torn behind `prev`. */
    struct obv_queue_node *prev = obv__exchange_seq_cst(&queue->tail, node);
    /* Release, pairs with the load in obv__queue_linked(): without it the
       consumer could follow the link into a node whose clearing it has not
       seen. */
    obv__store_release(&prev->next, node);
    return prev;
}

/** obv_queue_push_mpsc(). */
OBV__INLINE bool obv__queue_push(struct obv_queue *queue,
                                 struct obv_queue_node *node)
{
    return obv__queue_is_stub(queue, obv__queue_push_behind(queue, node));
}

/** Waits for the link behind a node that is not the last of its chain. */
OBV__NOINLINE struct obv_queue_node *
obv__queue_wait_for_link(const struct obv_queue_node *node);

/** The node behind `node`, which is not the last of its chain. */
static inline struct obv_queue_node *
obv__queue_linked(const struct obv_queue_node *node)
{
    /* Acquire, pairs with the link in obv__queue_push(). */
    struct obv_queue_node *next = obv__load_acquire(&node->next);
    return OBV__UNLIKELY(!next) ? obv__queue_wait_for_link(node) : next;
}

/** obv_queue_take_mpsc(). */
OBV__INLINE bool obv__queue_take(struct obv_queue *queue,
                                 struct obv_queue_chain *chain)
{
    struct obv_queue_node *used = queue->stub;
    struct obv_queue_node *other = &queue->stubs[used == &queue->stubs[0]];
    chain->first = NULL;
    chain->last = NULL;
    /* Relaxed: only this thread puts a stub there, so finding ours is the
       truth of a moment ago; any other answer is asked again below. */
    if (obv__load_relaxed(&queue->tail) == used) {
        return false;
    }
    /* Acquire, pairs with the exchange of every push of the chain; release,
       for the push that will get `other` and link behind its cleared `next`
       (point 4). Without acquire the nodes' contents could be old. seq_cst:
       callers lean on it as the full barrier of a take. */
    chain->last = obv__exchange_seq_cst(&queue->tail, other);
    queue->stub = other;
    chain->first = obv__queue_linked(used);
    /* Relaxed: published by the next take's exchange, which brings the stub
       back; the one link to it has arrived. */
    obv__store_relaxed(&used->next, NULL);
    return true;
}

/** obv_queue_is_empty(). */
static inline bool obv__queue_is_empty(const struct obv_queue *queue)
{
    /* Acquire, pairs with the exchange of a push: who finds the queue filled
       sees what that producer did before. Without it an owner that orders
       itself behind the push could still append in front of it. Seq_cst, as
       the push: callers that say something and then look, against producers
       that push and then look, lean on it. */
    return obv__queue_is_stub(queue, obv__load_seq_cst(&queue->tail));
}

/** The same for the consumer, which knows its stub. */
static inline bool obv__queue_is_empty_here(const struct obv_queue *queue)
{
    /* Acquire, as above. */
    return obv__load_acquire(&queue->tail) == queue->stub;
}

/* Chains: on the owner's thread; only obv__chain_next() waits. */

/** obv_queue_chain_next(). */
static inline struct obv_queue_node *
obv__chain_next(struct obv_queue_chain *chain)
{
    struct obv_queue_node *node = chain->first;
    if (node) {
        chain->first = node == chain->last ? NULL : obv__queue_linked(node);
    }
    return node;
}

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

#endif
