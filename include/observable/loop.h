/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery loops: where delayed handlers wait and run.
 *
 * A loop is a queue, not a thread: whoever drains it runs the handlers. It
 * fits a program's own event loop in one of three ways:
 *
 *     manual       obv_loop_drain() whenever it suits
 *     descriptor   poll obv_loop_descriptor() for reading, then drain
 *     hook         `wake` is called when the loop becomes non-empty; it asks
 *                  the program's event loop for a drain
 *
 * Changes come from any thread. One thread drains at a time; a drain inside a
 * handler is nested: it belongs to the outer one, and a handler that was called
 * is not called again before the next outermost drain.
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
    /** Called when the loop becomes non-empty, on the thread of the change, or
        of the drain that leaves something; outside locks. It must not drain.
        May be called once more than needed, never once less; a change under
        way on another thread may still call it while the loop is destroyed. */
    void (*OBV_NULLABLE wake)(void *OBV_NULLABLE context);
    void *OBV_NULLABLE wake_context;
    /** Called once, when nobody can call `wake` any more: when the loop was
        destroyed and no observation names it. On any thread, perhaps under
        locks of the library, which it must not call. NULL: nothing. */
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
 * Ends a loop. What was pending is dropped and counted, its ends are
 * released. Its observations stay registered until they are stopped; whatever
 * would schedule them later is dropped and counted, immediate ones go on.
 * Allowed inside its own drain: that drain then calls nothing more.
 *
 * The loop is not to be used after this call, but by whoever has kept its
 * memory (obv_loop_retain()). A context's own loop goes with its context: for
 * it this is OBV_E_ARGUMENT.
 *
 * @return OBV_OK; OBV_E_BUSY while another thread drains it;
 *         OBV_E_THREAD for a bound loop on a foreign thread.
 */
OBV_API enum obv_status obv_loop_destroy(struct obv_loop *OBV_NULLABLE loop);

/**
 * Keeps the memory of a loop, beyond its destruction too: what another thread
 * may still drain while it is destroyed. Of a destroyed one obv_loop_drain()
 * and obv_loop_pending() answer 0, and obv_loop_destroy() OBV_E_ENDED.
 *
 * @return the loop.
 *
 * Threads: any.
 */
OBV_API struct obv_loop *OBV_NULLABLE
obv_loop_retain(struct obv_loop *OBV_NULLABLE loop);

/** Gives back what obv_loop_retain() has kept. NULL is ignored. */
OBV_API void obv_loop_release(struct obv_loop *OBV_NULLABLE loop);

/**
 * Calls every handler that is pending, in the order of scheduling, and those
 * that these make pending, each at most once. Waits for no work of another
 * thread. Inside 96 nested handlers it answers 0.
 *
 * @return the number of handlers called, without those of nested drains;
 *         OBV_E_BUSY (negative) while another thread drains this loop;
 *         OBV_E_THREAD on a foreign thread of a bound loop; OBV_E_ARGUMENT for
 *         NULL.
 */
OBV_API ptrdiff_t obv_loop_drain(struct obv_loop *OBV_NULLABLE loop);

/** The same, ending after `limit` handlers; what is left comes first in the
    next drain. */
OBV_API ptrdiff_t obv_loop_drain_some(struct obv_loop *OBV_NULLABLE loop,
                                      size_t limit);

/**
 * A file descriptor that is readable while something is pending: to poll, not
 * to read. Made at the first call, owned by the loop, closed with it.
 *
 * @return OBV_OK; OBV_E_SYSTEM if the system has none left; OBV_E_ARGUMENT.
 *
 * Threads: the one that drains the loop.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_loop_descriptor(struct obv_loop *OBV_NONNULL loop,
                    int *OBV_NONNULL descriptor);

/** Observations that wait in this loop. Cost: O(that number).
    Threads: the one that drains it, or any while none does; exact while no
    other thread changes anything. */
OBV_API size_t obv_loop_pending(const struct obv_loop *OBV_NONNULL loop);

OBV_END_DECLS

#endif
