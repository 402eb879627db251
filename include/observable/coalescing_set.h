/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A coalescing set: items that wait to be called, each at most once, in the
 * order in which they were posted. It is what a delivery loop does with
 * observations, without knowing what an observation is; any program that wants
 * "something happened, look once" may embed it. It is not an event queue: an
 * item carries no payload, and how often it was posted is not counted.
 *
 *     post(a) post(b) post(a) post(a)          a waits once, before b
 *     begin                                    a cycle begins
 *       next -> a      a is idle; "called in this cycle"
 *         post(b)      on another thread: b waits already
 *       next -> b      sees what was stored before every post of b so far
 *         post(a)      on another thread: a waits for the next cycle
 *       next -> NULL
 *     end -> true                              something is pending: a
 *
 * An item is 16 bytes of the caller's memory, and posting allocates nothing.
 * It belongs to one set from its initialisation on. Its states:
 *
 *             post                       next
 *     idle ---------> pending --------------------------> idle
 *      |                 |  post_within, waits outside     ^
 *      |                 `-----> wanted in this cycle -----'
 *      `-- close --> closed, for ever
 *
 * Three ways to post. obv_coalescing_post() from any thread: one
 * compare-exchange, one exchange. obv_coalescing_post_owner() on the thread
 * that a set is bound to, outside its cycles: the compare-exchange only.
 * obv_coalescing_post_within() on the thread that runs the cycle, while it
 * runs: that is where an item that has been called is told from one that has
 * not.
 *
 * Cycles. One thread at a time consumes: begin, next until NULL (or until a
 * limit is reached), end. A cycle may be nested in what the caller does with
 * an item; nested cycles belong to the outermost one. What is called in a
 * cycle is not called again before the next outermost one:
 *
 *     posted within the cycle    to an item not yet called: called in this one
 *                                to one called: dropped, or kept for the next
 *     posted by another thread   waits for the next or for a nested one; but
 *                                is called in this one if it was pending in it,
 *                                or is posted within it as well
 *
 * Behaviour
 *   - An item is called at most once in a cycle, and at least once after each
 *     post that answered POSTED, FIRST or PENDING: that call sees what the
 *     poster stored before it (see Values).
 *   - Items are called in the order of posting, as far as posts are ordered
 *     (by one thread or by the program's synchronisation). What a limit left
 *     comes first in the next cycle, then what was kept, then the rest; items
 *     posted within a cycle come behind what the cycle has taken.
 *   - A post that makes the set non-empty answers FIRST: wake the consumer.
 *     obv_coalescing_end() says whether something is left: wake it again.
 *   - Nothing waits for another thread but next and begin, which wait for a
 *     producer inside its push, a few instructions (observable/queue.h).
 *
 * Values. If the values that posts tell of are guarded by the program (a lock,
 * one thread), nothing more is needed. Values that any thread reads and writes
 * at any time need three things, or a change between a post and a call is lost
 * on processors with store buffers (all of today's): the writer stores with
 * seq_cst order before it posts, the consumer reads with seq_cst order, and
 * obv_coalescing_allow_any_thread() was called before.
 *
 * Synchronisation: X needs exclusion by the caller, - does not. "consume"
 * stands for post_owner, post_within, begin, next, end, drop, pending and
 * is_empty; all of them belong to the thread that consumes at that time.
 *
 *                 post  close  consume  in_cycle, cycle  destroy
 *     post         -      -       -            -            X
 *     close        -      -       -            -            X
 *     consume      -      -       X            -            X
 *
 * Callbacks: `begun` from obv_coalescing_begin(); no others.
 */
#ifndef OBSERVABLE_COALESCING_SET_H
#define OBSERVABLE_COALESCING_SET_H

#include <observable/allocator.h>
#include <observable/base.h>
#include <observable/queue.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

/** A coalescing set; opaque. */
struct obv_coalescing_set;

/** What can be posted; embedded in the caller's memory. Its fields are the
    set's. It must stay valid while it is pending. */
struct obv_coalescing_item {
    struct obv_queue_node link;
    /** Bits 0-1 state, 2-47 cycle of the last call, 48-63 the caller's tag. */
    uint64_t word;
};

/** Where an item is. Bit 0 is set exactly while it is pending. */
enum obv_coalescing_state {
    OBV_COALESCING_IDLE = 0,
    OBV_COALESCING_PENDING = 1,
    /** Takes no more posts. */
    OBV_COALESCING_CLOSED = 2,
    /** Pending, and the running cycle's own thread has posted it as well. */
    OBV_COALESCING_WANTED = 3
};

/** What became of a post. */
enum obv_coalescing_post {
    /** The set was empty: wake its consumer. */
    OBV_POSTED_FIRST,
    OBV_POSTED,
    /** It is in already; that call will see what was stored before. */
    OBV_POST_PENDING,
    /** It was called in this cycle, and was not to be kept. */
    OBV_POST_DROPPED,
    /** It is closed. */
    OBV_POST_CLOSED
};

/** What became of a close; true in C exactly if the item is closed now. */
enum obv_coalescing_close {
    /** It is pending; nothing was changed. */
    OBV_CLOSE_PENDING = 0,
    /** This call closed it; exactly one call ever answers this. */
    OBV_CLOSED = 1,
    OBV_CLOSED_ALREADY = 2
};

/** How a set is made. Zero everything but `size` for the defaults. */
struct obv_coalescing_options {
    /** sizeof(struct obv_coalescing_options). */
    size_t size;
    /** Called by each outermost begin, after in_cycle has become true and
        before anything is taken; it must not use the set. */
    void (*OBV_NULLABLE begun)(void *OBV_NULLABLE context);
    void *OBV_NULLABLE begun_context;
};

/**
 * Makes an empty set.
 *
 * @param allocator  copied; NULL: the C library's.
 * @param options    copied; NULL: the defaults.
 * @param set        receives the set.
 * @return OBV_OK; OBV_E_ARGUMENT if `set` is NULL or the options' size is not
 *         one of this header; OBV_E_MEMORY.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_coalescing_create(const struct obv_allocator *OBV_NULLABLE allocator,
                      const struct obv_coalescing_options *OBV_NULLABLE options,
                      struct obv_coalescing_set *OBV_NULLABLE *OBV_NONNULL set);

/**
 * Frees the set. Items that are pending stay so and are not looked at: drop
 * them first.
 *
 * @param set  not to be used after this call; NULL does nothing.
 *
 * Threads: none may use the set any more.
 */
OBV_API void
obv_coalescing_destroy(struct obv_coalescing_set *OBV_NULLABLE set);

/**
 * From now on calls are ordered for values that any thread reads and writes
 * (see Values). It cannot be taken back.
 *
 * Threads: any, before another thread can post an item that tells of such a
 *          value. Repeating it is harmless.
 * Cost:    each obv_coalescing_next() becomes an exchange: some 5 ns more.
 */
OBV_API void
obv_coalescing_allow_any_thread(struct obv_coalescing_set *OBV_NONNULL set);

/**
 * Makes an item ready: idle, never called.
 *
 * @param tag  any number of the caller's; the set keeps it as it is.
 *
 * Threads: whoever shows the item to other threads orders this.
 */
OBV_API void
obv_coalescing_item_init(struct obv_coalescing_item *OBV_NONNULL item,
                         uint16_t tag);

/** The tag. Threads: any. */
OBV_API uint16_t
obv_coalescing_item_tag(const struct obv_coalescing_item *OBV_NONNULL item);

/**
 * The state at this moment.
 *
 * Threads:  any. CLOSED is final; every other answer may be old.
 * Ordering: seq_cst; PENDING and WANTED promise a call that begins after this
 *           load, under the conditions of Values.
 */
OBV_API enum obv_coalescing_state
obv_coalescing_item_state(const struct obv_coalescing_item *OBV_NONNULL item);

/**
 * Closes an item that is idle: no post gets in any more. Who gets OBV_CLOSED
 * may give the memory back once no other thread can still reach the item to
 * look at its state.
 *
 * Threads: any; safe against posts and other closes.
 * Cost:    lock-free: one compare-exchange.
 */
OBV_API enum obv_coalescing_close
obv_coalescing_item_close(struct obv_coalescing_item *OBV_NONNULL item);

/**
 * Posts an item.
 *
 * @return FIRST, POSTED, PENDING or CLOSED. After FIRST the caller wakes the
 *         consumer; after all but CLOSED a call is to come.
 *
 * Threads:  any.
 * Ordering: seq_cst; the call sees what was stored before (see Values).
 * Cost:     lock-free. Pending: one load. Else a compare-exchange and an
 *           exchange, 10 ns.
 */
OBV_API enum obv_coalescing_post
obv_coalescing_post(struct obv_coalescing_set *OBV_NONNULL set,
                    struct obv_coalescing_item *OBV_NONNULL item);

/**
 * The same on the thread that the set is bound to: the only one that ever
 * consumes. Must not be called while a cycle runs.
 *
 * Cost: a load and a compare-exchange, 5 ns; as obv_coalescing_post() while
 *       something of other threads is queued, so that the order holds.
 */
OBV_API enum obv_coalescing_post
obv_coalescing_post_owner(struct obv_coalescing_set *OBV_NONNULL set,
                          struct obv_coalescing_item *OBV_NONNULL item);

/**
 * Posts an item on the thread that runs the cycle, while it runs: to be called
 * in this cycle, unless it has been called in it.
 *
 * @param keep  if it has been called: false, the post is dropped; true, the
 *              item waits for the next cycle.
 * @return POSTED; PENDING; DROPPED; CLOSED. Never FIRST: obv_coalescing_end()
 *         says what is left.
 *
 * An item that another thread has posted since the cycle began is called in
 * this cycle, too. One exception: if that thread is just between its two
 * steps, so that the item is not queued yet, it is called in the next.
 *
 * Cost: a compare-exchange. When an item was pending outside of the cycle's
 *       list, the cycle's end looks once through what waits for the next one.
 */
OBV_API enum obv_coalescing_post
obv_coalescing_post_within(struct obv_coalescing_set *OBV_NONNULL set,
                           struct obv_coalescing_item *OBV_NONNULL item,
                           bool keep);

/**
 * Begins a cycle, or one nested in the running one, and takes everything that
 * is pending.
 *
 * Ordering: the cycle's number is odd, and `begun` has been called, before
 *           anything is taken or becomes idle.
 * Cost:     one exchange if other threads have posted, else a few loads.
 */
OBV_API void obv_coalescing_begin(struct obv_coalescing_set *OBV_NONNULL set);

/**
 * Takes out the next item to call. From now on it is idle and can be posted
 * again; the caller reads the values after this call.
 *
 * @return NULL when nothing is left for this cycle.
 *
 * Ordering: release and a compiler barrier: an expensive fence on the other
 *           side (membarrier) is enough to see that the item is idle, or to be
 *           seen by the caller's loads after this. After
 *           obv_coalescing_allow_any_thread() seq_cst.
 * Cost:     O(1) amortized.
 */
OBV_API struct obv_coalescing_item *OBV_NULLABLE
obv_coalescing_next(struct obv_coalescing_set *OBV_NONNULL set);

/**
 * Ends the innermost cycle. What was not called stays pending.
 *
 * @return whether anything is pending. After the outermost end the caller
 *         then sees to it that another cycle comes.
 */
OBV_API bool obv_coalescing_end(struct obv_coalescing_set *OBV_NONNULL set);

/**
 * Takes a pending item out without calling it: its post is forgotten, and
 * "called in this cycle" stays what it was.
 *
 * @return NULL when nothing is pending.
 *
 * Threads: the consumer, inside a cycle or outside.
 */
OBV_API struct obv_coalescing_item *OBV_NULLABLE
obv_coalescing_drop(struct obv_coalescing_set *OBV_NONNULL set);

/**
 * Whether a cycle runs.
 *
 * Threads:  any.
 * Ordering: acquire; false after a cycle: what it did is seen.
 */
OBV_API bool
obv_coalescing_in_cycle(const struct obv_coalescing_set *OBV_NONNULL set);

/**
 * The cycle's number: it grows by one at each outermost begin and end, and is
 * odd while a cycle runs. Items keep its low 46 bits: one that was last called
 * exactly 2^45 cycles ago (a year at a million a second) is taken for called.
 *
 * Threads, ordering: as obv_coalescing_in_cycle().
 */
OBV_API uint64_t
obv_coalescing_cycle(const struct obv_coalescing_set *OBV_NONNULL set);

/** Whether nothing is pending; what other threads post meanwhile may be
    missed. Threads: the consumer. Cost: one shared load. */
OBV_API bool
obv_coalescing_is_empty(const struct obv_coalescing_set *OBV_NONNULL set);

/** How many items are pending; exact while no other thread posts. Threads: the
    consumer. Cost: O(that number), it walks them. */
OBV_API size_t
obv_coalescing_pending(const struct obv_coalescing_set *OBV_NONNULL set);

OBV_END_DECLS

#endif
