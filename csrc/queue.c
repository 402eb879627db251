/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multi-producer single-consumer queue of observable/queue.h: one tail,
 * two stubs. Not a general list; no node is ever re-inserted or reversed.
 *
 * Why it is right
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
#include "queue.h"

#include "memory.h"
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

static bool is_stub(const struct obv_queue *queue,
                    const struct obv_queue_node *node)
{
    return node == &queue->stubs[0] || node == &queue->stubs[1];
}

bool obv_queue_push_mpsc(struct obv_queue *queue, struct obv_queue_node *node)
{
    /* Relaxed: the exchange below releases it, to the push that will get this
       node and to the take. */
    obv__store_relaxed(&node->next, NULL);
    /* Acquire and release: pairs with the exchange of the push before (its
       clearing of prev->next comes before our link, point 2) and with the one
       in obv_queue_take_mpsc() (the consumer sees what the caller wrote).
       seq_cst: callers lean on it as the full barrier of a post. From here to
       the next line the consumer sees a chain torn behind `prev`. */
    struct obv_queue_node *prev = obv__exchange_seq_cst(&queue->tail, node);
    /* Release, pairs with the load in linked(): without it the consumer could
       follow the link into a node whose clearing it has not seen. */
    obv__store_release(&prev->next, node);
    return is_stub(queue, prev);
}

/* The node behind `node`, which is not the last of its chain. */
static struct obv_queue_node *linked(const struct obv_queue_node *node)
{
    /* Acquire, pairs with the link in obv_queue_push_mpsc(). */
    struct obv_queue_node *next = obv__load_acquire(&node->next);
    unsigned round = 0;
    while (!next) {
        /* Waits for the producer that has exchanged and not yet linked: one
           store of its; bounded unless that thread is suspended. */
        obv__backoff(&round);
        next = obv__load_acquire(&node->next);
    }
    return next;
}

bool obv_queue_take_mpsc(struct obv_queue *queue, struct obv_queue_chain *chain)
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
       (point 4). Without acquire the nodes' contents could be old. */
    chain->last = obv__exchange_acq_rel(&queue->tail, other);
    queue->stub = other;
    chain->first = linked(used);
    /* Relaxed: published by the next take's exchange, which brings the stub
       back; the one link to it has arrived. */
    obv__store_relaxed(&used->next, NULL);
    return true;
}

struct obv_queue_node *obv_queue_chain_next(struct obv_queue_chain *chain)
{
    struct obv_queue_node *node = chain->first;
    if (node) {
        chain->first = node == chain->last ? NULL : linked(node);
    }
    return node;
}

bool obv_queue_is_empty(const struct obv_queue *queue)
{
    /* Acquire, pairs with the exchange of a push: who finds the queue filled
       sees what that producer did before. Without it an owner that orders
       itself behind the push could still append in front of it. */
    return is_stub(queue, obv__load_acquire(&queue->tail));
}

size_t obv__chain_count(const struct obv_queue_chain *chain)
{
    struct obv_queue_chain rest = *chain;
    size_t count = 0;
    while (obv_queue_chain_next(&rest)) {
        count++;
    }
    return count;
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
    if (!is_stub(queue, queue->stub)) {
        return false;
    }
    const struct obv_queue_node *tail = obv__load_acquire(&queue->tail);
    const struct obv_queue_node *node = queue->stub;
    if (is_stub(queue, tail)) {
        return tail == queue->stub && !obv__load_acquire(&node->next);
    }
    while (node && node != tail) {
        node = obv__load_acquire(&node->next);
    }
    return node == tail;
}
