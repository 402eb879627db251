/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop with a thread of the library's own, which waits for the loop's
 * descriptor and drains. The loop is bound to this thread. Decision 0040 says
 * why it is made so.
 *
 * The end. The thread that moves `ended` from LIVES to ENDING ends the loop,
 * and joins the thread or detaches it. From then on the drain under way calls
 * nothing more; posters find the loop ended and leave what they have pushed to
 * the thread, which ends the loop as any is ended and returns. It holds a
 * reference until then.
 */
#define _GNU_SOURCE
#include "dispatch/loop.h"

#include <poll.h>
#include <signal.h>

/* Whether this thread must not wait for another of the library's own: it is one
   itself, and two whose handlers end each other's loops would wait for ever. */
static bool must_not_wait(const struct obv__thread *self)
{
    return self->is_loops_thread || obv__running_outermost(self);
}

static void wait_until_readable(const struct obv_loop *loop)
{
    struct pollfd descriptor = {.fd = loop->descriptor.read_fd,
                                .events = POLLIN};
    /* Any other answer, an interruption, costs a drain of nothing. */
    (void)poll(&descriptor, 1, -1);
}

static void *run(void *argument)
{
    struct obv_loop *loop = argument;
    struct obv_context *context = loop->context;
    struct obv__thread *self = obv__thread_self();
    self->slots[OBV__THREAD_NUMBER] = (void *)loop->owner;
    self->is_loops_thread = true;
    while (!obv__loop_has_ended(loop)) {
        wait_until_readable(loop);
        (void)obv_loop_drain(loop);
    }
    if (obv__load_seq_cst(&loop->ended) == OBV__LOOP_ENDING) {
        obv__loop_end(loop, self, obv__loop_take(loop, self));
    }
    obv__loop_release(loop);
    /* Release, pairs with obv__loop_threads_end(): our last look at the
       context comes before its end. */
    obv__fetch_add_acq_rel(&context->loop_threads, (uint32_t)-1);
    return NULL;
}

/* Signals are for the threads of the program. */
static bool create_thread(struct obv_loop *loop)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    bool made = pthread_create(&loop->thread, NULL, run, loop) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

enum obv_status obv__loop_thread_start(struct obv_loop *loop)
{
    struct obv_context *context = loop->context;
    obv__loop_retain(loop);
    obv__fetch_add_relaxed(&context->loop_threads, 1);
    if (create_thread(loop)) {
        return OBV_OK;
    }
    obv__fetch_add_relaxed(&context->loop_threads, (uint32_t)-1);
    obv__loop_release(loop);
    return OBV_E_SYSTEM;
}

/* From outside: the thread ends the loop, and is waited for if that is safe. */
static void end_from_outside(struct obv_loop *loop, struct obv__thread *self)
{
    obv__loop_ring(loop);
    if (must_not_wait(self)) {
        (void)pthread_detach(loop->thread);
    } else {
        (void)pthread_join(loop->thread, NULL);
    }
}

enum obv_status obv__loop_thread_end(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_self();
    uint8_t lives = OBV__LOOP_LIVES;
    enum obv_status status = OBV_E_ENDED;
    obv__loop_retain(loop);
    /* Seq_cst, pairs with obv__loop_has_ended() after a push: that poster
       leaves its push to the thread, whose emptying comes later. */
    if (obv__cas_seq_cst(&loop->ended, &lives, OBV__LOOP_ENDING)) {
        status = OBV_OK;
        if (obv__loop_is_bound_to(loop, self)) {
            (void)pthread_detach(pthread_self());
            obv__loop_end(loop, self, obv__loop_take(loop, self));
        } else {
            end_from_outside(loop, self);
        }
    }
    obv__loop_release(loop);
    return status;
}

/* A loop of the context's that has a thread, with a reference. */
static struct obv_loop *find_with_thread(struct obv_context *context)
{
    obv__lock_enter(&context->lists);
    struct obv_loop *loop = context->loops;
    while (loop && !loop->has_thread) {
        loop = loop->next;
    }
    if (loop) {
        obv__loop_retain(loop);
    }
    obv__lock_leave(&context->lists);
    return loop;
}

bool obv__loop_threads_end(struct obv_context *context)
{
    struct obv_loop *loop;
    unsigned round = 0;
    /* Acquire, both: pairs with the end of run(). */
    if (obv__load_acquire(&context->loop_threads) == 0) {
        return true;
    }
    if (must_not_wait(obv__thread_self())) {
        return false;
    }
    while ((loop = find_with_thread(context)) != NULL) {
        (void)obv__loop_thread_end(loop);
        obv__loop_release(loop);
    }
    /* And those that were detached. */
    while (obv__load_acquire(&context->loop_threads) != 0) {
        obv__backoff(&round);
    }
    return true;
}
