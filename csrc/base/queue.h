/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue from many threads to one: intrusive, unbounded, allocates nothing.
 * Any thread pushes; one consumer takes everything at once, in the order in
 * which it was pushed. It is not a list: nothing can be taken out of the
 * middle, and it does not know how many nodes it holds.
 *
 *     tail --> C      push(D):  1. prev = exchange(tail, D)    prev is C
 *     stub -> A -> B -> C       2. prev->next = D
 *
 *     take:  last = exchange(tail, the other stub); the chain stub.next..last
 *            is the consumer's alone, new nodes gather behind the other stub.
 *
 * Between steps 1 and 2 of a push the chain is torn behind `prev`. A walk there
 * waits for that producer, which has one store left to do. So a push never
 * waits, and only the consumer can: if a producer is suspended exactly there,
 * what was pushed after it cannot be reached until it goes on.
 *
 * Owed:
 *   - A taken chain holds what was pushed before the take, in the order of the
 *     pushes; two pushes that are ordered (by one thread, or by the program's
 *     own synchronisation) come out in that order.
 *   - Writes of a thread before it pushed a node are seen by the consumer that
 *     gets the node.
 *   - Exactly one push into an empty queue answers that it was empty. It is
 *     the one that has to wake the consumer.
 *
 * Synchronisation: X needs exclusion by the caller, - does not.
 *
 *               push  take  chain_next  is_empty  end
 *     push       -     -        -          -       X
 *     take       -     X        -          -       X
 *     is_empty   -     -        -          -       X
 *
 * A chain belongs to whoever took it, on one thread at a time. Not for signal
 * handlers on the consumer's side.
 *
 * The operations are inline: a delivery passes through each of them once.
 * queue.c says why they are right.
 */
#ifndef OBV_QUEUE_H
#define OBV_QUEUE_H

#include "platform/atomic.h"
#include "platform/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The link that a queued object embeds. Needs no initialisation; belongs to
    the queue from the push until obv__chain_next() has answered it. */
struct obv__queue_node {
    /** Written by the producer of the node that follows. */
    struct obv__queue_node *next;
};

/** The result of one take; empty when `first` is NULL. The links between may
    still be missing: walk it with obv__chain_next() only. */
struct obv__queue_chain {
    struct obv__queue_node *first;
    /** Without meaning while `first` is NULL. Its `next` is not part of the
        chain. */
    struct obv__queue_node *last;
};

/* Blocks are aligned to 16 bytes, so a hot word's line is kept free of others
   by padding on both sides, not by alignment. */
#define OBV__QUEUE_LINE 64

struct obv__queue {
    struct obv__queue_node *stub; /* in use, one of the two; consumer only */
    char before[OBV__QUEUE_LINE];
    /* Written by every producer and the consumer. */
    struct obv__queue_node *tail;    /* last node, or the stub in use */
    struct obv__queue_node stubs[2]; /* `next` is the first node, or NULL */
    char after[OBV__QUEUE_LINE];
};

/** Makes an empty queue in the caller's memory; there is no deinit. */
void obv__queue_init(struct obv__queue *queue);

static inline bool obv__queue_is_stub(const struct obv__queue *queue,
                                      const struct obv__queue_node *node)
{
    /* One comparison: no node lies between the two. */
    return (uintptr_t)node - (uintptr_t)queue->stubs < sizeof queue->stubs;
}

/** Pushes; answers the node that was the last. */
OBV__INLINE struct obv__queue_node *
obv__queue_push_behind(struct obv__queue *queue, struct obv__queue_node *node)
{
    /* Relaxed: the exchange below releases it, to the push that will get this
       node and to the take. */
    obv__store_relaxed(&node->next, NULL);
    /* Acquire and release: pairs with the exchange of the push before (its
       clearing of prev->next comes before our link, point 2) and with the one
       in obv__queue_take() (the consumer sees what the caller wrote).
       seq_cst: callers lean on it as the full barrier of a post. From here to
       the next line the consumer sees a chain torn behind `prev`. */
    struct obv__queue_node *prev = obv__exchange_seq_cst(&queue->tail, node);
    /* Release, pairs with the load in obv__queue_linked(): without it the
       consumer could follow the link into a node whose clearing it has not
       seen. */
    obv__store_release(&prev->next, node);
    return prev;
}

/**
 * Appends `node`, which is in no queue and stays valid until the consumer has
 * got it. Answers whether the queue was empty, so that the consumer has to be
 * woken. Any thread; wait-free: two stores and one exchange.
 */
OBV__INLINE bool obv__queue_push(struct obv__queue *queue,
                                 struct obv__queue_node *node)
{
    return obv__queue_is_stub(queue, obv__queue_push_behind(queue, node));
}

/** Waits for the link behind a node that is not the last of its chain. */
OBV__NOINLINE struct obv__queue_node *
obv__queue_wait_for_link(const struct obv__queue_node *node);

/** The node behind `node`, which is not the last of its chain. */
static inline struct obv__queue_node *
obv__queue_linked(const struct obv__queue_node *node)
{
    /* Acquire, pairs with the link in obv__queue_push(). */
    struct obv__queue_node *next = obv__load_acquire(&node->next);
    return OBV__UNLIKELY(!next) ? obv__queue_wait_for_link(node) : next;
}

/**
 * Takes everything that is in the queue, oldest first. Answers whether there
 * was anything. The consumer; one load if the queue is empty, else one exchange.
 * Waits for a producer that is between the two steps of the first push.
 */
OBV__INLINE bool obv__queue_take(struct obv__queue *queue,
                                 struct obv__queue_chain *chain)
{
    struct obv__queue_node *used = queue->stub;
    struct obv__queue_node *other = &queue->stubs[used == &queue->stubs[0]];
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

/** Whether nothing is queued at this moment. Any thread; while others push the
    answer may be old when it arrives. A push that happened before this call,
    and was not taken, is seen. */
static inline bool obv__queue_is_empty(const struct obv__queue *queue)
{
    /* Acquire, pairs with the exchange of a push: who finds the queue filled
       sees what that producer did before. Without it an owner that orders
       itself behind the push could still append in front of it. Seq_cst, as
       the push: callers that say something and then look, against producers
       that push and then look, lean on it. */
    return obv__queue_is_stub(queue, obv__load_seq_cst(&queue->tail));
}

/** The same for the consumer, which knows its stub. */
static inline bool obv__queue_is_empty_here(const struct obv__queue *queue)
{
    /* Acquire, as above. */
    return obv__load_acquire(&queue->tail) == queue->stub;
}

/* Chains: on the owner's thread; only obv__chain_next() waits. */

/** Takes the first node out, which its owner may use again at once; NULL at the
    end. */
static inline struct obv__queue_node *
obv__chain_next(struct obv__queue_chain *chain)
{
    struct obv__queue_node *node = chain->first;
    if (node) {
        chain->first = node == chain->last ? NULL : obv__queue_linked(node);
    }
    return node;
}

static inline void obv__chain_append(struct obv__queue_chain *chain,
                                     struct obv__queue_node *node)
{
    if (chain->first) {
        chain->last->next = node;
    } else {
        chain->first = node;
    }
    chain->last = node;
}

/** Moves what is in `tail` behind `chain`; `tail` is empty then. */
static inline void obv__chain_join(struct obv__queue_chain *chain,
                                   struct obv__queue_chain *tail)
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
