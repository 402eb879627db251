/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multi-producer single-consumer queue of queue.h: one tail, two stubs.
 * Why its operations are right:
 *
 *  1. `tail` is changed by exchanges only, so its history is one sequence:
 *     each push gets the node (or stub) of the one before it, and no two get
 *     the same. Each node's `next` therefore has exactly one writer per round.
 *  2. A push clears its own `next` before its exchange, and the one that gets
 *     this node from `tail` sets it after its own. The exchanges order the two
 *     (the second acquires what the first released), so the link, once set,
 *     is never overwritten by the clearing.
 *  3. A take exchanges `tail` for the other stub. Pushes before it in the
 *     sequence form the chain stub.next .. the node it got, complete but for
 *     links on their way; pushes after it get the other stub or a later node
 *     and never touch that chain. So the chain belongs to the consumer, and
 *     its last `next` has no writer.
 *  4. A stub is given back to `tail` one take later. Its `next` was set by the
 *     one push that got it, and the consumer waited for that link before it
 *     cleared it; so no store to it is on its way when it returns.
 *  5. `tail` is a stub exactly while nothing is queued. A push that gets one
 *     was into an empty queue; one per emptiness does.
 *
 * Guarantee: all exchanges of `tail` are one release sequence, so the take
 * synchronizes with every push before it, not only with the last.
 */
#include "base/queue.h"

#include "platform/lock.h"

void obv__queue_init(struct obv__queue *queue)
{
    queue->stub = &queue->stubs[0];
    /* Relaxed: whoever shows the queue to other threads orders this. */
    obv__store_relaxed(&queue->stubs[0].next, NULL);
    obv__store_relaxed(&queue->stubs[1].next, NULL);
    obv__store_relaxed(&queue->tail, &queue->stubs[0]);
}

struct obv__queue_node *
obv__queue_wait_for_link(const struct obv__queue_node *node)
{
    struct obv__queue_node *next;
    unsigned round = 0;
    do {
        /* Waits for the producer that has exchanged and not yet linked: one
           store of its; bounded unless that thread is suspended. */
        obv__backoff(&round);
        /* Acquire, as in obv__queue_linked(). */
        next = obv__load_acquire(&node->next);
    } while (!next);
    return next;
}
