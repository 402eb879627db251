/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery loops, for the core: a coalescing set with a thread that drains it
 * and a way to wake that thread. loop.c drains and ends, loop_turn.c
 * wakes.
 */
#ifndef OBV_LOOP_H
#define OBV_LOOP_H

#include "base/coalescing_set.h"
#include "base/numbering.h"
#include "model/computed.h"
#include "model/context.h"
#include "model/inbound.h"
#include "model/watcher.h"
#include "platform/wake.h"

#include <observable/loop.h>

/* The words that modules keep in a thread's record. */
enum {
    OBV__THREAD_NUMBER = 0, /* see loop.c */
    OBV__THREAD_DEPTH = 1,  /* of immediate handlers; see delivery.c */
    OBV__THREAD_READER = 2, /* the receiver of reads; see reading.c */
    OBV__THREAD_BATCH = 3,  /* the outermost batch; see batch.c */
    OBV__THREAD_SOURCE = 4, /* the innermost source line; see
                               change_records.c */
    OBV__THREAD_CALLS = 5,  /* the innermost of several immediate calls that one
                                 change makes; see delivery.c */
    OBV__THREAD_TOLD = 6,   /* what the innermost edit tells; see
                                container_edit.c */
    OBV__THREAD_COMPUTES = 7, /* the innermost evaluation; see evaluation.c */
    OBV__THREAD_OFFER = 8,    /* the innermost offer; see offer.c */
    OBV__THREAD_STAMP = 9     /* the innermost stamp that is carried on; see
                                 change_records.c */
};

/** The innermost pull of a thread and its cursor, put aside while a handler or
    a receiver of the trace runs: their reads are no dependencies of the
    function that has set off the call. */
struct obv__evaluating {
    void *innermost;
    struct obv__edge **cursor;
};

static inline void obv__evaluating_suspend(struct obv__thread *thread,
                                           struct obv__evaluating *suspended)
{
    suspended->innermost = thread->slots[OBV__THREAD_COMPUTES];
    suspended->cursor = thread->cursor;
    thread->slots[OBV__THREAD_COMPUTES] = NULL;
    thread->cursor = obv__no_cursor();
}

static inline void
obv__evaluating_resume(struct obv__thread *thread,
                       const struct obv__evaluating *suspended)
{
    thread->slots[OBV__THREAD_COMPUTES] = suspended->innermost;
    thread->cursor = suspended->cursor;
}

struct obv_loop {
    struct obv__coalescing_set set;
    struct obv_context *context; /* constant */
    struct obv_loop *next;       /* in the context's list, under its lock */
    void (*wake)(void *);        /* constant, as the next four */
    void *wake_context;
    void (*wake_dispose)(void *);
    uintptr_t owner; /* number of the thread it is bound to, or 0 */
    uint16_t tag;
    uint32_t
        id; /* the tag, and above that which of all that have had it; constant
                    */
    /* The loop itself, and each observation that names it. The context's own
       loop is not counted. */
    uint64_t references;
    struct obv__thread *drainer; /* any thread; who drains it now */
    uint32_t turn;          /* any thread; of one that rings; loop_turn.c */
    uint8_t ended;          /* any thread */
    uint8_t has_descriptor; /* any thread */
    uint8_t rings;          /* any thread; it, or a wake hook */
    uint8_t
        special;    /* any thread: 1, it rings, has notices or inbound edits, or
                        has ended; 2, it has traced ones */
    bool was_rung;  /* drainer's: somebody was woken for this turn */
    bool between;   /* drainer's: it releases ends, between two calls: what that
                       changes is kept */
    bool destroyed; /* drainer's: by one of its handlers */
    struct obv__endless *endless; /* drainer's: told what it calls, or NULL */
    uint64_t called;              /* handlers; written by drainers, relaxed */
    struct obv__notice *notices;  /* any thread; the newest first
                                     (deallocation_notice.c) */
    struct obv__notice *telling; /* drainer's: taken from there, oldest first */
    struct obv__inbound_queue inbound;
    struct obv__wake descriptor; /* constant once has_descriptor is set */
};

/* Every loop of the process, by tag. */
extern struct obv__numbering obv__loops OBV__HIDDEN;

/** The loop with a tag. Valid while an observation names it. */
static inline struct obv_loop *obv__loop_by_tag(uint16_t tag)
{
    return obv__numbered(&obv__loops, tag);
}

static inline struct obv_loop *obv__loop_of(struct obv__watcher *observation)
{
    return obv__loop_by_tag(obv__item_tag(obv__item(observation)));
}

/** The loop of a context with an id, retained; NULL: it has ended, or 0. */
struct obv_loop *obv__loop_retain_by_id(uint32_t id,
                                        const struct obv_context *context);

bool obv__loop_lives(uint32_t id, const struct obv_context *context);

static inline bool obv__loop_has_ended(const struct obv_loop *loop)
{
    /* Seq_cst, pairs with the exchange in end_loop(): either a poster
       sees the end after its push, or the end's drop sees the push. */
    return obv__load_seq_cst(&loop->ended) != 0;
}

/** Whether this thread is inside a drain of the loop. */
static inline bool obv__loop_is_drained_by(const struct obv_loop *loop,
                                           const struct obv__thread *thread)
{
    /* Relaxed: only this thread writes its own address there. */
    return obv__load_relaxed(&loop->drainer) == thread;
}

/** Whether a thread other than this one is inside a drain of the loop. */
static inline bool
obv__loop_is_drained_elsewhere(const struct obv_loop *loop,
                               const struct obv__thread *self)
{
    /* Acquire, pairs with the end of that drain: a thread that finds it over
       sees what its handlers did. */
    const struct obv__thread *by = obv__load_acquire(&loop->drainer);
    return by && by != self;
}

/** The source line that is in force on a thread, or NULL. */
static inline const struct obv_source *
obv__source_of(const struct obv__thread *thread)
{
    return thread->slots[OBV__THREAD_SOURCE];
}

/** The number of a thread: unlike its record's address never used again. */
uintptr_t obv__thread_number(struct obv__thread *thread);

/** Whether the loop is bound, and to this thread; one without a number has
    bound none. */
static inline bool obv__loop_is_bound_to(const struct obv_loop *loop,
                                         const struct obv__thread *thread)
{
    return loop->owner != 0 &&
           loop->owner == (uintptr_t)thread->slots[OBV__THREAD_NUMBER];
}

/** The id of an observation's loop; 0: the observation has ended, perhaps right
    now, and its loop with it. In an epoch section that it was found in. */
uint32_t obv__loop_id_of(struct obv__watcher *observation);

/** Whether another thread is known to drain the observation's loop. In an epoch
    section, as above. */
bool obv__loop_is_elsewhere(struct obv__watcher *observation,
                            const struct obv__thread *thread);

/** Whether there are deallocation notices that nobody has taken. */
static inline bool obv__loop_has_notices(const struct obv_loop *loop)
{
    /* Seq_cst, as the look at the shared queue: behind a mark that was taken
       away (loop_turn.c, W1), or behind the loop's end. */
    return obv__load_seq_cst(&loop->notices) != NULL;
}

/** How many inbound edits wait there. */
static inline size_t obv__loop_inbound_count(const struct obv_loop *loop)
{
    /* Seq_cst, as obv__loop_has_notices(). */
    return obv__load_seq_cst(&loop->inbound.count);
}

/** Whether the loop has ended, has a descriptor, a wake hook or an observation
    that is told of deaths, or has had an inbound edit or a traced one. False is
    certain, and one question instead of six. */
static inline bool obv__loop_is_special(const struct obv_loop *loop)
{
    /* Seq_cst, as obv__loop_has_ended(): it is set before `ended` is. */
    return obv__load_seq_cst(&loop->special) != 0;
}

/** Makes a loop special, before anything waits there. */
static inline void obv__loop_make_special(struct obv_loop *loop)
{
    if (obv__load_seq_cst(&loop->special) != 1) {
        /* Seq_cst, before the loop's set is looked at: see leave_drain(). */
        obv__exchange_seq_cst(&loop->special, 1);
    }
}

/** Makes a loop special for the trace; `is_traced` false: no more, which a
    drain asks for while no trace is on. */
static inline void obv__loop_make_traced(struct obv_loop *loop, bool is_traced)
{
    uint8_t expected = is_traced ? 0 : 2;
    (void)obv__cas_seq_cst(&loop->special, &expected, is_traced ? 2 : 0);
}

/** Whether the loop rings: it has a wake hook or a descriptor. */
static inline bool obv__loop_rings(const struct obv_loop *loop)
{
    /* Seq_cst, pairs with the exchange in open_taken(): we find
       it set, or that thread finds what we have pushed. */
    return obv__load_seq_cst(&loop->rings) != 0;
}

/** Wakes the thread that drains the loop, after a push into an empty set, if
    the loop rings. No lock held. */
void obv__loop_wake(struct obv_loop *loop);

/** Wakes that thread whatever is pending; also of a loop that is about to
    end. */
void obv__loop_ring(struct obv_loop *loop);

/* The states of `turn`, beside its marks. */
enum obv__turn_state {
    OBV__TURN_NOBODY,
    OBV__TURN_RINGING,
    OBV__TURN_RUNG,
    OBV__TURN_DRAINED
};

/** Begins the turn of a loop that rings and has just been taken: its descriptor
    is not readable from here on. */
void obv__loop_turn_begin(struct obv_loop *loop);

/** Ends the turn of a loop that rings and that this thread has just given back.
    Wakes for what is `left`, and for what was pushed meanwhile. The loop may be
    gone afterwards. */
void obv__loop_turn_end(struct obv_loop *loop, bool left);

/** Ends the turn of a loop that has ended: nobody is woken. */
void obv__loop_turn_forget(struct obv_loop *loop);

/** The answers of obv__loop_take(). */
enum obv__loop_taken {
    OBV__TAKEN,  /* the loop is the caller's, to give back */
    OBV__NESTED, /* it was this thread's already */
    OBV__BUSY    /* another thread has it */
};

/** Takes the loop for this thread. */
enum obv__loop_taken obv__loop_take(struct obv_loop *loop,
                                    struct obv__thread *self);

/** Gives the loop back, and wakes for what is left. */
void obv__loop_give_back(struct obv_loop *loop);

/** To be called after a push into a special loop: wakes if it was the first,
    and takes everything out again if the loop has ended. */
void obv__loop_notify_posted(struct obv_loop *loop, bool first);

void obv__loop_count_dropped(struct obv_loop *loop);

/** Empties a loop that has ended: its pending calls are counted as dropped. */
void obv__loop_drop_pending(struct obv_loop *loop);

/** Notes a call in a cycle that is reported; the observation is pinned
    still. */
void obv__endless_note(struct obv__endless *endless,
                       struct obv__watcher *observation);

/** Handlers that the drains of a context's loops have called. */
uint64_t obv__loops_called(struct obv_context *context);

/** Ends a loop that nobody uses any more, with its context. */
void obv__loop_destroy_any(struct obv_loop *loop);

#endif
