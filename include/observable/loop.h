/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery loops: where delayed handlers wait and run.
 *
 * A loop is a queue, not a thread: whoever drains it runs the handlers. It
 * fits a program's own event loop in one of four ways:
 *
 *     manual       obv_loop_drain() whenever it suits
 *     descriptor   poll obv_loop_descriptor() for reading, then drain; ready
 *                  made for poll(), GLib, libuv and libdispatch in
 *                  <observable_loops/...>
 *     hook         `wake` is called when the loop becomes non-empty; it asks
 *                  the program's event loop for a drain
 *     thread       <observable/loop_thread.h>: one that waits and drains
 *
 * With a descriptor or a hook that and obv_loop_drain() are all that is needed;
 * obv_loop_prepare() and obv_loop_check() are for event loops that ask before
 * and after they block. A hook is given to obv_loop_create(): the context's own
 * loop, obv_context_loop(), has none.
 *
 *     struct pollfd waiting = {.events = POLLIN};
 *     if (obv_loop_descriptor(loop, &waiting.fd) == OBV_OK) {
 *         while (poll(&waiting, 1, -1) > 0) {
 *             obv_loop_drain(loop);
 *         }
 *     }
 *
 * Words. A change makes observations *due*; the immediate ones are called, the
 * others *scheduled*: they wait in their loop, once each, until it is drained
 * (obv_loop_pending() counts them). A *cycle* is an outermost drain with all
 * drains nested in it; between two drains what is scheduled is for the next
 * cycle.
 *
 * Changes come from any thread. One thread drains at a time; a drain inside a
 * handler is nested, and a handler that was called is not called again in the
 * same cycle.
 *
 * Waking. Something that is scheduled while no drain of the loop runs wakes
 * once, and so does a drain that leaves something, after it has given the loop
 * back. While a drain runs nobody is woken. A thread that was woken and meets
 * another one's drain (OBV_E_BUSY) may forget about it: that drain's end looks
 * again. In the terms of other event loops:
 *
 *     before it blocks    obv_loop_prepare(): true, do not block
 *     while it blocks     the descriptor, or the hook; obv_loop_wake()
 *     after it            obv_loop_check(): true, drain
 *     to be fair          obv_loop_drain_some()
 */
#ifndef OBSERVABLE_LOOP_H
#define OBSERVABLE_LOOP_H

#include <observable/context.h>

OBV_BEGIN_DECLS

struct obv_loop;

/** How a loop is made. Zero everything but `size` for the defaults. */
struct obv_loop_options {
    /** sizeof(struct obv_loop_options). */
    size_t size;
    /** Called when the loop becomes non-empty while no drain of it runs, on the
        thread of the change; when a drain leaves something, on that thread,
        after the drain has given the loop back; and by obv_loop_wake(), on that
        thread or in that signal handler. Outside locks.

        It may be called on several threads at once, once more than needed,
        never once less; a change under way on another thread may still call it
        while the loop is destroyed. So it is safe for any thread, does not
        drain, and does not wait for a thread that may be inside a setter. If
        obv_loop_wake() is called in signal handlers it is async-signal-safe
        as well. */
    void (*OBV_NULLABLE wake)(void *OBV_NULLABLE context);
    void *OBV_NULLABLE wake_context;
    /** Called once, when nobody can call `wake` any more: when the loop was
        destroyed and no observation, no end of a binder and no
        obv_loop_retain() names it. That is inside the call that ends or gives
        back the last of them, or inside obv_loop_destroy(). In a handler it is
        when that has returned. If another thread is inside the library just
        then, it may be a later call of this kind, or obv_context_collect(). On
        any thread, perhaps under locks of the library, which it must not call.
        NULL: nothing. */
    void (*OBV_NULLABLE wake_dispose)(void *OBV_NULLABLE context);
    /** The loop belongs to the thread that makes it: cheaper changes there,
        and a drain elsewhere is refused. When that thread has ended the loop
        goes with its context. */
    bool bound;
};

/**
 * Makes a loop.
 *
 * @param context  NULL: the default one.
 * @param options  NULL: a manual loop.
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_LIMIT past 65,535 loops in the process,
 *         destroyed ones that observations still name among them;
 *         OBV_E_ARGUMENT if `loop` is NULL or the options have no size.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_loop_create(struct obv_context *OBV_NULLABLE context,
                const struct obv_loop_options *OBV_NULLABLE options,
                struct obv_loop *OBV_NULLABLE *OBV_NONNULL loop);

/**
 * Ends a loop. Its scheduled calls are dropped and counted, their ends are
 * released. Its observations stay registered until they are stopped; whatever
 * would schedule them later is dropped and counted, immediate ones go on.
 * Allowed inside its own drain: that drain then calls nothing more.
 *
 * The loop is not to be used after this call, but by whoever has kept its
 * memory (obv_loop_retain()). A context's own loop goes with its context: for
 * it this is OBV_E_ARGUMENT.
 *
 * @return OBV_OK; OBV_E_BUSY while another thread drains it;
 *         OBV_E_THREAD for a bound loop on a foreign thread; OBV_E_ARGUMENT for
 *         NULL.
 */
OBV_API enum obv_status obv_loop_destroy(struct obv_loop *OBV_NULLABLE loop);

/**
 * Keeps the memory of a loop, beyond its destruction too: what another thread
 * may still drain while it is destroyed. Of a destroyed one obv_loop_drain()
 * and obv_loop_pending() answer 0, and obv_loop_destroy() OBV_E_ENDED.
 *
 * @return the loop; NULL for NULL.
 *
 * Threads: any.
 */
OBV_API struct obv_loop *OBV_NULLABLE
obv_loop_retain(struct obv_loop *OBV_NULLABLE loop);

/** Gives back what obv_loop_retain() has kept. NULL is ignored. */
OBV_API void obv_loop_release(struct obv_loop *OBV_NULLABLE loop);

/**
 * Calls every handler that is scheduled, in that order, and those that these
 * make due, each at most once. Waits for no work of another
 * thread. Inside 96 nested handlers it answers 0.
 *
 * @return the number of handlers called, without those of nested drains;
 *         OBV_E_BUSY (negative) while another thread drains this loop;
 *         OBV_E_THREAD on a foreign thread of a bound loop; OBV_E_ARGUMENT for
 *         NULL.
 */
OBV_API ptrdiff_t obv_loop_drain(struct obv_loop *OBV_NULLABLE loop);

/**
 * The same, ending after `limit` handlers, 0 as well; those of nested drains do
 * not count. It ends the cycle: what is left comes first in the next one, in
 * its order, and what was called may be called again there.
 */
OBV_API ptrdiff_t obv_loop_drain_some(struct obv_loop *OBV_NULLABLE loop,
                                      size_t limit);

/**
 * A file descriptor that is readable while something is scheduled and no drain
 * of the loop runs, once the call that scheduled it has returned: to poll, not
 * to read. A drain that leaves nothing leaves it silent. Made at the first
 * call, owned by the loop, and closed with its memory: whoever polls it when
 * the loop is destroyed has kept that (obv_loop_retain()).
 *
 * @return OBV_OK; OBV_E_SYSTEM if the system has none left; OBV_E_ARGUMENT; and
 *         at the first call OBV_E_BUSY while another thread drains the loop,
 *         OBV_E_THREAD for a bound loop on a foreign thread, OBV_E_ENDED for a
 *         destroyed one.
 *
 * Threads: any.
 * Cost:    a change that makes the loop non-empty writes to it, the drain reads
 *          it: a system call each.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_loop_descriptor(struct obv_loop *OBV_NONNULL loop,
                    int *OBV_NONNULL descriptor);

/**
 * Wakes whoever waits for the loop, though nothing may be scheduled: the
 * descriptor becomes readable, the hook is called, the library's thread drains.
 * Inside a drain of the loop, on whatever thread, that happens at its end. Many
 * before a drain are one. Everything before this call happens before the drain
 * that follows it.
 *
 * A manual loop without hook and descriptor, a destroyed loop and NULL:
 * nothing.
 *
 * Threads:         any.
 * Signal handlers: yes, the only function of the library; the loop must not be
 *                  destroyed meanwhile, and `wake` says what a hook owes.
 * Cost:            an atomic operation, and once a drain a system call.
 */
OBV_API void obv_loop_wake(struct obv_loop *OBV_NULLABLE loop);

/**
 * Before the program blocks: whether it should rather drain, since something is
 * scheduled or obv_loop_wake() was called. If false, what comes later makes the
 * descriptor readable and calls the hook.
 *
 * @return false while another thread drains the loop (that drain's end looks
 *         again), for a bound loop on a foreign thread, a destroyed one, NULL.
 *
 * Threads: the one that drains the loop; of a loop that has a hook or a
 *          descriptor any. Never blocks.
 * Cost:    a few loads; of a manual loop an atomic operation.
 */
OBV_API bool obv_loop_prepare(struct obv_loop *OBV_NULLABLE loop);

/** After the program has blocked, for whatever reason it was woken: whether to
    drain. As obv_loop_prepare(), which has another place in event loops. */
static inline bool obv_loop_check(struct obv_loop *OBV_NULLABLE loop)
{
    return obv_loop_prepare(loop);
}

/** Observations that wait in this loop. Cost: O(that number).
    Threads: the one that drains it, or any while none does; exact while no
    other thread changes anything. */
OBV_API size_t obv_loop_pending(const struct obv_loop *OBV_NONNULL loop);

OBV_END_DECLS

#endif
