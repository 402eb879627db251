/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery loops: making and ending them, draining, waking.
 *
 * Who drains. `drainer` names the thread inside a drain: a compare-exchange
 * from NULL takes the loop, so two threads never drain at once, and the thread
 * that finds itself there is nested.
 *
 * No lost wake-up. A push that found the set empty wakes. A drain clears the
 * descriptor before it takes the queue, so whatever is pushed after that finds
 * the queue empty and wakes again. At its end it clears once more (a push that
 * it took may have woken meanwhile) and then looks whether something is left;
 * if so it wakes by itself.
 *
 * The end. `ended` is set, then the set is emptied. A poster pushes, then looks
 * at `ended`. Both are seq_cst: either the emptying finds the push, or the
 * poster finds the end and empties by itself, or leaves that to the thread that
 * has the loop.
 */
#include "loop.h"

#include "delivery.h"
#include "node.h"

#include <string.h>

struct obv__numbering obv__loops;

/* Threads get numbers, since an address may be another thread's later. */
static uint64_t threads_numbered;

uintptr_t obv__thread_number(struct obv__thread *thread)
{
    if (!thread->slots[OBV__THREAD_NUMBER]) {
        uintptr_t number =
            (uintptr_t)obv__fetch_add_relaxed(&threads_numbered, 1) + 1;
        thread->slots[OBV__THREAD_NUMBER] = (void *)number;
    }
    return (uintptr_t)thread->slots[OBV__THREAD_NUMBER];
}

/* Called by each outermost drain, when the cycle's number is odd already. */
static void drain_has_begun(void *loop)
{
    (void)loop;
    obv__moment_moves_on();
}

enum obv_status obv_loop_create(struct obv_context *context,
                                const struct obv_loop_options *options,
                                struct obv_loop **loop)
{
    if (!loop || (options && options->size != sizeof *options)) {
        return OBV_E_ARGUMENT;
    }
    context = obv__context_or_default(context);
    struct obv_loop *made =
        context ? obv__context_allocate(context, sizeof *made) : NULL;
    if (!made) {
        return OBV_E_MEMORY;
    }
    memset(made, 0, sizeof *made);
    obv__coalescing_init(&made->set, drain_has_begun, made);
    made->context = context;
    made->references = 1;
    if (options) {
        made->wake = options->wake;
        made->wake_context = options->wake_context;
        made->wake_dispose = options->wake_dispose;
        made->owner =
            options->bound ? obv__thread_number(obv__thread_self()) : 0;
    }
    enum obv_status status =
        obv__number_take(&obv__loops, UINT16_MAX, made, &made->tag);
    if (status != OBV_OK) {
        obv__context_free(context, made, sizeof *made);
        return status;
    }
    obv__lock_enter(&context->lists);
    made->next = context->loops;
    context->loops = made;
    if (context->any_thread) {
        obv_coalescing_allow_any_thread(&made->set);
    }
    obv__lock_leave(&context->lists);
    *loop = made;
    return OBV_OK;
}

void obv__loops_allow_any_thread(struct obv_context *context)
{
    obv__lock_enter(&context->lists);
    context->any_thread = true;
    for (struct obv_loop *loop = context->loops; loop; loop = loop->next) {
        obv_coalescing_allow_any_thread(&loop->set);
    }
    obv__lock_leave(&context->lists);
}

void obv__loop_retain(struct obv_loop *loop)
{
    if (loop != loop->context->loop) {
        obv__fetch_add_relaxed(&loop->references, 1);
    }
}

static void free_loop(struct obv_loop *loop)
{
    obv__fetch_add_relaxed(&loop->context->called, loop->called);
    obv__number_give_back(&obv__loops, loop->tag);
    if (loop->has_descriptor) {
        obv__wake_close(&loop->descriptor);
    }
    if (loop->wake_dispose) {
        loop->wake_dispose(loop->wake_context);
    }
    obv__context_free(loop->context, loop, sizeof *loop);
}

void obv__loop_release(struct obv_loop *loop)
{
    /* Acquire and release: the last one sees what the others did. */
    if (loop != loop->context->loop &&
        obv__fetch_add_acq_rel(&loop->references, (uint64_t)-1) == 1) {
        free_loop(loop);
    }
}

void obv__loop_wake(struct obv_loop *loop)
{
    if (obv__loop_has_ended(loop)) {
        return;
    }
    /* Acquire, pairs with obv_loop_descriptor(): it is open. */
    if (obv__load_acquire(&loop->has_descriptor)) {
        obv__wake_signal(&loop->descriptor);
    }
    if (loop->wake) {
        loop->wake(loop->wake_context);
    }
}

static void clear_descriptor(struct obv_loop *loop)
{
    if (obv__load_acquire(&loop->has_descriptor)) {
        obv__wake_clear(&loop->descriptor);
    }
}

void obv__loop_count_dropped(struct obv_loop *loop)
{
    obv__fetch_add_relaxed(&loop->context->dropped, 1);
}

/* Taking the loop --------------------------------------------------------- */

enum taken { TAKEN, NESTED, BUSY };

static enum taken take(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__thread *nobody = NULL;
    if (obv__loop_is_drained_by(loop, self)) {
        return NESTED;
    }
    /* Acquire, pairs with give_back(): the last drainer's own fields. */
    return obv__cas_acq_rel(&loop->drainer, &nobody, self) ? TAKEN : BUSY;
}

static void give_back(struct obv_loop *loop)
{
    struct obv__thread *nobody = NULL;
    obv__store_release(&loop->drainer, nobody);
}

static void drop_all(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv_coalescing_item *item;
    obv__section_enter(self);
    while ((item = obv__coalescing_take_any(&loop->set)) != NULL) {
        obv__loop_count_dropped(loop);
        obv__drop(self, loop, obv__of_item(item));
    }
    obv__section_leave(self);
    /* Marks may stand for what was pending here. */
    obv__moment_moves_on();
}

void obv__loop_drop_pending(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__thread *nobody = NULL;
    enum taken taken;
    /* Repeats when something was pushed while we emptied. Who finds the loop
       taken leaves its push to that thread, which looks again after it has
       given the loop back: both are seq_cst, so one of the two sees the
       other, and nobody waits. */
    do {
        taken = take(loop, self);
        if (taken == BUSY) {
            return;
        }
        drop_all(loop, self);
        if (taken == TAKEN) {
            (void)obv__exchange_seq_cst(&loop->drainer, nobody);
        }
    } while (taken == TAKEN && !obv_queue_is_empty(&loop->set.shared));
}

/* Gives a destroyed loop back, empty, with the reference of its creation. */
static void let_go_ended(struct obv_loop *loop)
{
    give_back(loop);
    obv__loop_drop_pending(loop);
    obv__loop_release(loop);
}

/* Draining ---------------------------------------------------------------- */

static size_t call_pending(struct obv_loop *loop, struct obv__thread *self,
                           size_t limit)
{
    size_t called = 0;
    while (called < limit && obv__coalescing_may_have_next(&loop->set) &&
           !obv__loop_has_ended(loop)) {
        /* A section a call, so that a long drain holds no memory up. */
        obv__section_enter(self);
        struct obv_coalescing_item *item = obv__coalescing_take(&loop->set);
        if (item) {
            called += obv__deliver(self, loop, obv__of_item(item));
        }
        obv__section_leave(self);
    }
    return called;
}

/* The outermost drain is over: what is left wakes the loop again. */
static void rest(struct obv_loop *loop)
{
    clear_descriptor(loop);
    if (!obv_coalescing_is_empty(&loop->set)) {
        obv__loop_wake(loop);
    }
}

/* The outermost drain gives the loop back; a handler may have destroyed it. */
static void leave_drain(struct obv_loop *loop, struct obv__thread *self)
{
    /* Relaxed: what is put there later is the next drain's. */
    if (OBV__UNLIKELY(obv__load_relaxed(&loop->context->unsettled) != NULL)) {
        obv__section_enter(self);
        obv__settle_again(loop->context);
        obv__section_leave(self);
    }
    if (loop->destroyed) {
        loop->destroyed = false; /* whoever drains it later finds it ended */
        let_go_ended(loop);
    } else {
        rest(loop);
        give_back(loop);
    }
}

static bool is_empty_for(const struct obv_loop *loop, enum taken taken)
{
    return taken == TAKEN && obv_coalescing_is_empty(&loop->set) &&
           !obv__load_relaxed(&loop->has_descriptor);
}

static size_t drain_taken(struct obv_loop *loop, struct obv__thread *self,
                          enum taken taken, size_t limit)
{
    if (is_empty_for(loop, taken) || obv__loop_has_ended(loop) ||
        obv__running_is_full(self)) {
        return 0;
    }
    bool between = loop->between;
    loop->between = false;
    clear_descriptor(loop);
    obv_coalescing_begin(&loop->set);
    size_t called = call_pending(loop, self, limit);
    (void)obv_coalescing_end(&loop->set);
    loop->between = between;
    /* Relaxed: one drainer at a time writes it. */
    obv__store_relaxed(&loop->called,
                       obv__load_relaxed(&loop->called) + called);
    return called;
}

ptrdiff_t obv_loop_drain_some(struct obv_loop *loop, size_t limit)
{
    struct obv__thread *self = obv__thread_self();
    if (!loop) {
        return OBV_E_ARGUMENT;
    }
    if (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)) {
        return OBV_E_THREAD;
    }
    enum taken taken = take(loop, self);
    if (taken == BUSY) {
        return OBV_E_BUSY;
    }
    size_t called = drain_taken(loop, self, taken, limit);
    if (taken == TAKEN) {
        leave_drain(loop, self);
    }
    return (ptrdiff_t)called;
}

ptrdiff_t obv_loop_drain(struct obv_loop *loop)
{
    return obv_loop_drain_some(loop, SIZE_MAX);
}

size_t obv_loop_pending(const struct obv_loop *loop)
{
    return loop ? obv_coalescing_pending(&loop->set) : 0;
}

enum obv_status obv_loop_descriptor(struct obv_loop *loop, int *descriptor)
{
    if (!loop || !descriptor) {
        return OBV_E_ARGUMENT;
    }
    if (!obv__load_acquire(&loop->has_descriptor)) {
        if (!obv__wake_open(&loop->descriptor)) {
            return OBV_E_SYSTEM;
        }
        /* Release publishes it to those who wake. */
        obv__store_release(&loop->has_descriptor, 1);
        if (!obv_coalescing_is_empty(&loop->set)) {
            obv__wake_signal(&loop->descriptor);
        }
    }
    *descriptor = loop->descriptor.read_fd;
    return OBV_OK;
}

/* The end ----------------------------------------------------------------- */

static void unlist(struct obv_loop *loop)
{
    struct obv_context *context = loop->context;
    obv__lock_enter(&context->lists);
    struct obv_loop **place = &context->loops;
    while (*place != loop) {
        place = &(*place)->next;
    }
    *place = loop->next;
    obv__lock_leave(&context->lists);
}

static void end_loop(struct obv_loop *loop, struct obv__thread *self)
{
    size_t pending = obv_coalescing_pending(&loop->set);
    /* Seq_cst, pairs with obv__loop_has_ended() after a push. */
    obv__exchange_seq_cst(&loop->ended, 1);
    drop_all(loop, self);
    if (pending != 0) {
        obv__diagnose(loop->context, OBV_DIAGNOSTIC_LOOP_DESTROYED,
                      "a loop was destroyed with calls pending", NULL, NULL);
    }
    unlist(loop);
}

enum obv_status obv_loop_destroy(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_self();
    if (!loop || loop == loop->context->loop) {
        return OBV_E_ARGUMENT;
    }
    if (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)) {
        return OBV_E_THREAD;
    }
    enum taken taken = take(loop, self);
    if (taken == BUSY) {
        return OBV_E_BUSY;
    }
    if (obv__loop_has_ended(loop)) {
        if (taken == TAKEN) {
            give_back(loop);
        }
        return OBV_E_ENDED;
    }
    end_loop(loop, self);
    if (taken == TAKEN) {
        let_go_ended(loop);
    } else {
        loop->destroyed = true; /* the drain under way lets go of it */
    }
    return OBV_OK;
}

struct obv_loop *obv_loop_retain(struct obv_loop *loop)
{
    if (loop) {
        obv__loop_retain(loop);
    }
    return loop;
}

void obv_loop_release(struct obv_loop *loop)
{
    if (loop) {
        obv__loop_release(loop);
    }
}

uint64_t obv__loops_called(struct obv_context *context)
{
    obv__lock_enter(&context->lists);
    uint64_t called = obv__load_relaxed(&context->called);
    for (struct obv_loop *loop = context->loops; loop; loop = loop->next) {
        called += obv__load_relaxed(&loop->called);
    }
    obv__lock_leave(&context->lists);
    return called;
}

void obv__loop_destroy_any(struct obv_loop *loop)
{
    unlist(loop);
    free_loop(loop);
}
