/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue from many threads to one: intrusive, unbounded, allocates nothing
 * but itself. Any thread pushes; one consumer takes everything at once, in the
 * order in which it was pushed. It is not a list: nothing can be taken out of
 * the middle, and it does not know how many nodes it holds.
 *
 *     tail --> C      push(D):  1. prev = exchange(tail, D)    prev is C
 *     stub -> A -> B -> C       2. prev->next = D
 *
 *     take:  last = exchange(tail, the other stub); the chain stub.next..last
 *            is the consumer's alone, new nodes gather behind the other stub.
 *
 * Between steps 1 and 2 of a push the chain is torn behind `prev`. Whoever
 * walks it there waits for that producer, which has one store left to do. So a
 * push never waits, and only the consumer can: if a producer is suspended
 * exactly there, what was pushed after it cannot be reached until it goes on.
 *
 * Behaviour
 *   - A taken chain holds what was pushed before the take, in the order of the
 *     pushes; two pushes that are ordered (by one thread, or by the program's
 *     own synchronisation) come out in that order.
 *   - What a thread wrote before it pushed a node is seen by the consumer that
 *     gets the node.
 *   - Exactly one push into an empty queue answers that it was empty. It is
 *     the one that has to wake the consumer.
 *
 * Synchronisation: X needs exclusion by the caller, - does not.
 *
 *               push  take  chain_next  is_empty  destroy
 *     push       -     -        -          -         X
 *     take       -     X        -          -         X
 *     is_empty   -     -        -          -         X
 *
 * A chain belongs to whoever took it, on one thread at a time.
 *
 * Callbacks: none. Not for signal handlers on the consumer's side; a push is
 * safe there unless it interrupts the consumer's own wait.
 */
#ifndef OBSERVABLE_QUEUE_H
#define OBSERVABLE_QUEUE_H

#include <observable/allocator.h>
#include <observable/base.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

/** A queue; opaque. */
struct obv_queue;

/** What a queued object embeds. Needs no initialisation; belongs to the queue
    from the push until obv_queue_chain_next() has answered it. */
struct obv_queue_node {
    /** Written by the producer of the node that follows. */
    struct obv_queue_node *OBV_NULLABLE next;
};

/** What one take has got; empty when `first` is NULL. The links between may
    still be missing: walk it with obv_queue_chain_next() only. */
struct obv_queue_chain {
    struct obv_queue_node *OBV_NULLABLE first;
    /** Without meaning while `first` is NULL. Its `next` is not part of the
        chain. */
    struct obv_queue_node *OBV_NULLABLE last;
};

/**
 * Makes an empty queue.
 *
 * @param allocator  copied; NULL: the C library's.
 * @param queue      receives the queue.
 * @return OBV_OK; OBV_E_ARGUMENT if `queue` is NULL; OBV_E_MEMORY.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_queue_create(const struct obv_allocator *OBV_NULLABLE allocator,
                 struct obv_queue *OBV_NULLABLE *OBV_NONNULL queue);

/**
 * Frees the queue. Nodes that are still in it are their owners' again; they
 * are not looked at.
 *
 * @param queue  not to be used after this call; NULL does nothing.
 *
 * Threads: none may use the queue any more.
 */
OBV_API void obv_queue_destroy(struct obv_queue *OBV_NULLABLE queue);

/**
 * Appends `node`.
 *
 * @param node  the caller's memory; in no queue. It must stay valid until the
 *              consumer has got it.
 * @return whether the queue was empty, so that the consumer has to be woken.
 *
 * Threads:  any.
 * Ordering: release; the consumer that gets the node sees what was written
 *           before. Also a full barrier where an exchange is one (x86).
 * Cost:     wait-free: two stores and one exchange.
 */
OBV_API bool obv_queue_push_mpsc(struct obv_queue *OBV_NONNULL queue,
                                 struct obv_queue_node *OBV_NONNULL node);

/**
 * Takes everything that is in the queue.
 *
 * @param chain  receives the nodes, oldest first; empty if there were none.
 * @return whether there were any.
 *
 * Threads:  the consumer.
 * Ordering: acquire; pairs with every push whose node is taken.
 * Cost:     one load if the queue is empty, else one exchange, whatever the
 *           number of nodes. Waits for a producer that is between the two
 *           steps of the first push.
 */
OBV_API bool obv_queue_take_mpsc(struct obv_queue *OBV_NONNULL queue,
                                 struct obv_queue_chain *OBV_NONNULL chain);

/**
 * Takes the first node out of a chain.
 *
 * @return the node, which its owner may use again at once; NULL at the end.
 *
 * Threads: whoever owns the chain.
 * Cost:    O(1); waits for a producer that is between its two steps.
 */
OBV_API struct obv_queue_node *OBV_NULLABLE
obv_queue_chain_next(struct obv_queue_chain *OBV_NONNULL chain);

/**
 * Whether nothing is queued at this moment.
 *
 * Threads:  any; while others push the answer may be old when it arrives. A
 *           push that happened before this call, and was not taken, is seen.
 * Ordering: sequentially consistent, as a push.
 * Cost:     one load.
 */
OBV_API bool obv_queue_is_empty(const struct obv_queue *OBV_NONNULL queue);

OBV_END_DECLS

#endif
