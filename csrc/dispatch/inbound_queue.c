/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queues of inbound edits.
 *
 * Each edit waits once, and none is lost. A set stores, then looks whether its
 * edit waits. A drain takes the edit out, then reads the value. Both are
 * seq_cst: either the set finds that its edit does not wait any more, or the
 * drain reads the value that the set has stored.
 */
#include "dispatch/inbound_queue.h"

#include "dispatch/change_records.h"
#include "model/computed.h"
#include "model/path_node.h"

/* Guards every queue, and where each waits. No code of the program runs under
   it. */
static struct obv__lock queues;

/* Which loop --------------------------------------------------------------- */

uint32_t obv__inbound_loop_of(struct obv__watcher *watcher)
{
    if (obv__is_edge(watcher)) {
        return 0;
    }
    if (obv__is_binding(watcher)) {
        const struct obv__path_instance *instance = watcher->of;
        return obv__load_relaxed(&instance->node->paths->loop);
    }
    struct obv__watcher *observation = obv__observation(watcher);
    return (observation->type & OBV__HAS_ITEM) ? obv__loop_id_of(observation)
                                               : 0;
}

/* The loop's id of the first path that leads through a slot, unless `id` is one
   already. `is_path`: a watcher that is no edge waits there. */
static uint32_t inbound_loop_of_list(const uintptr_t *head, uint32_t id,
                                     bool *is_path)
{
    struct obv__watcher *w = head ? obv__first(head) : NULL;
    for (; w; w = obv__next(w)) {
        if (!obv__is_edge(w) && obv__has_state(w, OBV__SLOW)) {
            *is_path = true;
            id = id == 0 && obv__is_binding(w) ? obv__inbound_loop_of(w) : id;
        }
    }
    return id;
}

/* The loop if no other can be found. */
static struct obv_loop *loop_in_place(struct obv_context *context)
{
    struct obv_loop *loop = obv__load_acquire(&context->inbound_loop);
    return loop && !obv__loop_has_ended(loop) ? loop : context->loop;
}

/* The loop of an inbound edit, which the caller releases. NULL: only readers of
   computed properties wait, and a read sees that these are not valid. */
static struct obv_loop *loop_for(const struct obv__inbound *inbound)
{
    struct obv_detail_node *node = obv__node(inbound->object);
    struct obv_context *context = obv__class_of(inbound->object)->context;
    bool is_path = false;
    uint32_t id =
        inbound_loop_of_list(obv__list(node, inbound->slot), 0, &is_path);
    id = inbound_loop_of_list(obv__list(node, OBV__SLOT_EVERY), id, &is_path);
    id = id ? id : obv__load_relaxed(&inbound->loop);
    struct obv_loop *loop = obv__loop_retain_by_id(id, context);
    if (!loop) {
        if (!is_path && obv__load_acquire(&context->inbound_loop)) {
            return NULL;
        }
        loop = obv_loop_retain(loop_in_place(context));
    }
    return loop;
}

void obv_detail_inbound_loop(struct obv_loop *loop)
{
    obv_loop_release(obv__exchange_seq_cst(&loop->context->inbound_loop,
                                           obv_loop_retain(loop)));
}

/* Waiting ------------------------------------------------------------------ */

static void enqueue_locked(struct obv__inbound *inbound,
                           struct obv__inbound_queue *queue)
{
    TAILQ_INSERT_TAIL(&queue->list, inbound, entry);
    obv__fetch_add_seq_cst(&queue->count, 1);
    (void)obv__exchange_seq_cst(&inbound->queue, queue);
}

static void dequeue_locked(struct obv__inbound *inbound)
{
    struct obv__inbound_queue *nowhere = NULL;
    TAILQ_REMOVE(&inbound->queue->list, inbound, entry);
    obv__fetch_add_seq_cst(&inbound->queue->count, (size_t)-1);
    (void)obv__exchange_seq_cst(&inbound->queue, nowhere);
}

/* Puts an edit into a loop's queue; whether that was empty, so that the loop is
   to be notified. */
static bool enter_loop_locked(struct obv__inbound *inbound,
                              struct obv_loop *loop)
{
    bool first = TAILQ_EMPTY(&loop->inbound.list);
    inbound->is_batchs = false;
    enqueue_locked(inbound, &loop->inbound);
    return first;
}

static void post_inbound(struct obv__thread *self, struct obv__inbound *inbound)
{
    struct obv_object *object = inbound->object;
    struct obv__batch *batch = obv__batch_of(self);
    struct obv_loop *loop = loop_for(inbound);
    bool held, is_ours = false, first = false;
    if (!loop) {
        return;
    }
    if (!obv__object_hold_or_go_on(object, &held)) {
        obv_loop_release(loop);
        return; /* at its end: who hangs there is told of that */
    }
    obv__loop_make_special(loop);
    obv__lock_enter(&queues);
    if (inbound->queue && inbound->is_batchs && !batch) {
        dequeue_locked(inbound); /* what holds it still does */
        first = enter_loop_locked(inbound, loop);
    } else if (!inbound->queue) {
        inbound->is_held = is_ours = held;
        if (batch) {
            inbound->is_batchs = true;
            enqueue_locked(inbound, &batch->inbound);
        } else {
            first = enter_loop_locked(inbound, loop);
        }
    }
    obv__lock_leave(&queues);
    obv__loop_notify_posted(loop, first);
    obv_loop_release(loop);
    obv__object_let_go(object, held && !is_ours);
}

void obv__inbound_post(struct obv__thread *self, struct obv__inbound *inbound)
{
    if (obv__stamps_are_told()) {
        uint64_t stamp = 0, before = obv__load_relaxed(&inbound->stamp);
        (void)obv__stamp_of_change(&stamp);
        while (before < stamp &&
               !obv__cas_seq_cst(&inbound->stamp, &before, stamp)) {
        }
    }
    /* Seq_cst: behind the store, and before the owner can be told of it. */
    obv__fetch_add_seq_cst(&inbound->version, 1);
    obv__fetch_add_seq_cst(&obv__inbound_sets, 1);
    const struct obv__inbound_queue *queue = obv__load_seq_cst(&inbound->queue);
    if (!queue || (obv__batches_are_open() && !obv__batch_of(self))) {
        post_inbound(self, inbound);
    }
}

void obv__inbound_leave_record(struct obv__inbound *inbound,
                               struct obv__computed *computed, bool computes,
                               bool tells_every)
{
    struct obv__inbound *record =
        computes || tells_every
            ? obv__inbound_make(computed->object, computed->slot)
            : NULL;
    if (!record) {
        return;
    }
    obv__lock_enter(&queues);
    record->record = computed;
    record->computes |= computes;
    record->tells_every |= tells_every;
    if (!record->queue) {
        record->is_held = false; /* at its end it is taken out */
        enqueue_locked(record, &inbound->left);
    }
    obv__lock_leave(&queues);
}

/* A batch's ---------------------------------------------------------------- */

void obv__inbound_end_batch(struct obv__thread *self, struct obv__batch *batch)
{
    struct obv__inbound *inbound;
    bool held;
    while (obv__load_seq_cst(&batch->inbound.count) != 0 &&
           (inbound = obv__inbound_take(&batch->inbound, &held)) != NULL) {
        /* The object is held, or the thread that has set it knows that it
           lives. */
        struct obv_object *object = inbound->object;
        post_inbound(self, inbound);
        obv__object_let_go(object, held);
    }
}

/* A loop's ----------------------------------------------------------------- */

struct obv__inbound *obv__inbound_take(struct obv__inbound_queue *queue,
                                       bool *held)
{
    obv__lock_enter(&queues);
    struct obv__inbound *inbound = TAILQ_FIRST(&queue->list);
    *held = inbound && inbound->is_held;
    if (inbound) {
        dequeue_locked(inbound);
    }
    obv__lock_leave(&queues);
    return inbound;
}

/* Moves all edits of a queue to the loop that stands in for another. */
static void move_to_loop(struct obv__inbound_queue *queue,
                         struct obv_context *context)
{
    struct obv_loop *own = loop_in_place(context);
    struct obv__inbound *inbound;
    bool first = false;
    obv__loop_make_special(own);
    obv__lock_enter(&queues);
    while ((inbound = TAILQ_FIRST(&queue->list)) != NULL) {
        dequeue_locked(inbound);
        first = enter_loop_locked(inbound, own) || first;
    }
    obv__lock_leave(&queues);
    obv__loop_notify_posted(own, first);
}

void obv__inbound_leave_loop(struct obv_loop *loop)
{
    if (loop != loop->context->loop && obv__loop_inbound_count(loop) != 0) {
        move_to_loop(&loop->inbound, loop->context);
    }
}

void obv__inbound_drop_all(struct obv_context *context)
{
    struct obv__inbound *inbound;
    bool held;
    while ((inbound = obv__inbound_take(&context->loop->inbound, &held)) !=
           NULL) {
        obv__object_let_go(inbound->object, held);
    }
}

/* The end of an object ----------------------------------------------------- */

void obv__inbounds_withdraw(const struct obv_detail_node *node)
{
    const struct obv__more *more = obv__more(node);
    struct obv__inbound *at = more ? obv__load_acquire(&more->inbound) : NULL;
    for (; at; at = at->next_of_object) {
        obv__lock_enter(&queues);
        if (at->queue) {
            dequeue_locked(at);
        }
        obv__lock_leave(&queues);
        if (obv__load_acquire(&at->left.count) != 0) {
            move_to_loop(&at->left, obv__class_of(at->object)->context);
        }
    }
}
