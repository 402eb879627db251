/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multi-producer single-consumer queue of observable/queue.h: one tail,
 * two stubs. Not a general list; no node is ever re-inserted or reversed.
 *
 * The operations stand in queue.h. Why they are right:
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

#include "base/memory.h"
#include "platform/lock.h"

struct owned_queue {
    struct obv_queue queue;
    struct obv_allocator allocator;
};

void obv__queue_init(struct obv_queue *queue)
{
    queue->stub = &queue->stubs[0];
    /* Relaxed: whoever shows the queue to other threads orders this. */
    obv__store_relaxed(&queue->stubs[0].next, NULL);
    obv__store_relaxed(&queue->stubs[1].next, NULL);
    obv__store_relaxed(&queue->tail, &queue->stubs[0]);
}

enum obv_status obv_queue_create(const struct obv_allocator *allocator,
                                 struct obv_queue **queue)
{
    if (!queue) {
        return OBV_E_ARGUMENT;
    }
    struct obv_allocator given;
    obv__allocator_init(&given, allocator);
    struct owned_queue *owned = obv__allocate(&given, sizeof *owned);
    if (!owned) {
        return OBV_E_MEMORY;
    }
    owned->allocator = given;
    obv__queue_init(&owned->queue);
    *queue = &owned->queue;
    return OBV_OK;
}

void obv_queue_destroy(struct obv_queue *queue)
{
    if (!queue) {
        return;
    }
    struct owned_queue *owned = (struct owned_queue *)queue;
    struct obv_allocator allocator = owned->allocator;
    obv__free(&allocator, owned, sizeof *owned);
}

bool obv_queue_push_mpsc(struct obv_queue *queue, struct obv_queue_node *node)
{
    return obv__queue_push(queue, node);
}

struct obv_queue_node *
obv__queue_wait_for_link(const struct obv_queue_node *node)
{
    struct obv_queue_node *next;
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

bool obv_queue_take_mpsc(struct obv_queue *queue, struct obv_queue_chain *chain)
{
    return obv__queue_take(queue, chain);
}

struct obv_queue_node *obv_queue_chain_next(struct obv_queue_chain *chain)
{
    return obv__chain_next(chain);
}

bool obv_queue_is_empty(const struct obv_queue *queue)
{
    return obv__queue_is_empty(queue);
}

size_t obv__queue_count(const struct obv_queue *queue)
{
    size_t count = 0;
    /* Acquire, pairs with the links; a link that is missing ends the count. */
    const struct obv_queue_node *node = obv__load_acquire(&queue->stub->next);
    while (node) {
        count++;
        node = obv__load_acquire(&node->next);
    }
    return count;
}

bool obv__queue_check(const struct obv_queue *queue)
{
    if (!obv__queue_is_stub(queue, queue->stub)) {
        return false;
    }
    const struct obv_queue_node *tail = obv__load_acquire(&queue->tail);
    const struct obv_queue_node *node = queue->stub;
    if (obv__queue_is_stub(queue, tail)) {
        return tail == queue->stub && !obv__load_acquire(&node->next);
    }
    while (node && node != tail) {
        node = obv__load_acquire(&node->next);
    }
    return node == tail;
}
