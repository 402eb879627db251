/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery: holding both ends, scheduling, calling, and the end of an
 * observation once nothing of it is pending or running.
 *
 * Everything here is called inside an epoch section and with no lock held.
 */
#ifndef OBV_DELIVERY_H
#define OBV_DELIVERY_H

#include "dispatch/loop.h"
#include "dispatch/trace.h"
#include "model/watcher.h"

#include <observable/context.h>

struct obv__told;

/**
 * Schedules the observation of `via`, a pair that has changed.
 *
 * @return whether a mark "pending" may stand for it: it is pending in a loop
 *         that does not drain, or it has ended.
 */
bool obv__schedule(struct obv__thread *thread, struct obv__watcher *via);

/** The same by hand: never dropped. */
void obv__schedule_by_hand(struct obv__thread *thread,
                           struct obv__watcher *via);

/** A computed property that the pair follows has become invalid: its
    observation is pending, and called if it turns out that this has changed
    anything (LL-5). Answers whether this was dropped (DR-3): then nothing will
    be asked. `is_counted`: that it is has been counted for this change. */
bool obv__schedule_perhaps(struct obv__thread *thread, struct obv__watcher *via,
                           bool is_counted);

/** The same where what a computed property has become makes it due: in a batch
    a call that is pending has been told of that, and is made; it is no change
    of the batch, unless it has some of its changes (`is_batchs`): then the end of
    the batch calls as well. If it is dropped, the invalidation was, and has
    been counted. */
void obv__schedule_computed(struct obv__thread *thread,
                            struct obv__watcher *via, bool is_batchs);

/** The reasons of a post. */
enum obv__reason {
    OBV__BY_CHANGE,
    OBV__BY_HAND,
    OBV__PERHAPS, /* what is computed has become invalid */
    OBV__AGAIN /* so it has while a drain asked for it: in the next cycle, as what
                    another thread posts, which may do so without end */
};

/** The same in a drain of its loop, which this thread runs. */
void obv__schedule_within(struct obv__thread *thread, struct obv_loop *loop,
                          struct obv__watcher *via, enum obv__reason reason);

/** The object that a waiting call's observation followed is gone: the call
    comes, with the values of that moment (ST-4). */
void obv__come_anyway(struct obv__watcher *observation);

/** A drain is about to call what has been posted "perhaps": brings the computed
    properties up to date that it follows. */
void obv__ask_computed(struct obv__thread *thread, struct obv_loop *loop,
                       struct obv__watcher *observation);

/** It is idle, and not called yet: it is posted again for what was invalidated
    while it was pending, so that what it compares with is kept meanwhile. */
void obv__ask_computed_again(struct obv__thread *thread, struct obv_loop *loop,
                             struct obv__watcher *observation);

/** The objects that a scheduled call holds: how to let go of them, wherever
    kind and root are by then (an object without `retain` may be freed by its
    own handler). */
struct obv__held {
    struct obv_object *root;
    void (*release_root)(struct obv_object *root); /* NULL: nothing is held */
    void *observer;
    void (*release)(void *observer);
};

/** A root that nothing holds, and that has left its group while code of the program
    has run, is no root any more: another one is held, or none (G19). */
void obv__hold_again(struct obv__thread *thread,
                     struct obv__watcher *observation, struct obv__held *held);

/** Schedules what a batch has put aside, whose ends are held and given over;
    lets go of them if it is pending already, or not to come any more. */
void obv__schedule_held(struct obv__thread *thread,
                        struct obv__watcher *observation,
                        const struct obv__held *held, bool is_perhaps);

/** Whether scheduling it would only be counted: this cycle drops its change, or
    its loop has ended. */
bool obv__is_refused(struct obv__thread *thread, struct obv__watcher *via);

/** Calls an immediate observation of which the pair `via` has changed. `root`
    is its root if the caller holds it, else NULL; `told`: what it is told
    beside, or NULL. */
void obv__call_immediate(struct obv__thread *thread,
                         struct obv_context *context, struct obv__watcher *via,
                         struct obv_object *root, const struct obv__told *told);

/** A call that is nested as an immediate handler is begins; false: it would be
    too deep, and is not to be made. `depth`: of before, for its end. */
bool obv__nested_begin(struct obv__thread *thread,
                       const struct obv_context *context, uintptr_t *depth);
void obv__nested_end(struct obv__thread *thread, uintptr_t depth);

/** Several immediate calls that one change makes. */
struct obv__calls {
    void *outer;
    uintptr_t depth; /* at which they are made */
    struct obv_completion *first, **last;
};

void obv__calls_begin(struct obv__thread *thread, struct obv__calls *calls);
/** Completes them. Runs code of the program. */
void obv__calls_end(struct obv__thread *thread, struct obv__calls *calls);

/** Calls an observation now, for obv_execute(). */
bool obv__call_now(struct obv__thread *thread, struct obv_context *context,
                   struct obv__watcher *via);

/** Tells the trace of a call, where obv__is_traced(); the observation is
    pinned. */
void obv__trace_call(enum obv_trace_kind kind, struct obv__watcher *observation,
                     struct obv_object *root);

/** Calls what a drain has taken from its set, which is still marked pending.
    Answers whether the handler was entered. */
bool obv__deliver(struct obv__thread *thread, struct obv_loop *loop,
                  struct obv__watcher *observation);

/** The end of a loop, for a pending observation that it has taken out: lets go
    of both ends. */
void obv__drop(struct obv__thread *thread, struct obv_loop *loop,
               struct obv__watcher *observation);

/** A call of an observation has come, or is not to come any more: ends its
    paths that have lost what they followed, if it was the last. In an epoch
    section. */
void obv__end_lost_paths(struct obv_context *context,
                         struct obv__watcher *observation);

/** Lets go of both ends of an observation whose kind can be read. */
void obv__let_go_of(const struct obv__watcher *observation,
                    struct obv_object *root);

/** Ends an observation whose kind can be read, if it is OBV__MORTAL and its
    observer is gone; whether this call found it so. */
bool obv__end_if_gone(struct obv_context *context,
                      struct obv__watcher *observation);

/** The same of any observation. */
bool obv__end_if_dead(struct obv_context *context,
                      struct obv__watcher *observation);

/** Whether any observation of the process was ever OBV__MORTAL. */
extern bool obv__mortal_observers OBV__HIDDEN;

/** Keeps the handler kind of an observation readable; answers whether it has
    not ended. To be taken off in both cases. */
bool obv__pin(struct obv__thread *thread,
              const struct obv__watcher *observation);
void obv__unpin(struct obv__thread *thread, struct obv_context *context,
                struct obv__watcher *observation);

/** The place where an observation was begun, as far as it is known: else NULL,
    and 0 at `line`. Its kind can be read. */
const char *obv__begun_at(struct obv__watcher *observation, uint32_t *line);

/** Tells the diagnostics hook of an observation: its label and where it was
    begun are filled in, unless it has ended or is NULL. */
void obv__diagnose_of(struct obv__thread *thread, struct obv_context *context,
                      struct obv__watcher *observation,
                      struct obv_diagnostic diagnostic);

/** The context of an observation that has an item, as every group has. */
static inline struct obv_context *
obv__observation_context(struct obv__watcher *observation)
{
    return obv__loop_of(observation)->context;
}

/** The first pair of an observation that is linked, from `after` on (NULL: the
    first of all); NULL: none. */
struct obv__watcher *obv__pair_next(struct obv__watcher *observation,
                                    const struct obv__watcher *after);

/** Brings up to date what an observation follows. In an epoch section. */
void obv__settle(struct obv__thread *self, struct obv__watcher *observation);

/** One user less: with the last one the memory goes; if only the group itself is
    left, it is finalized if it has ended. */
void obv__group_drop_user(struct obv__group *group);

/** Retires the memory of one that is done and has no handle. */
void obv__observation_retire(struct obv_context *context,
                             struct obv__watcher *observation);

/** Disposes of an observation that has ended, if nothing of it is pending or
    running; whoever was the reason comes back here. */
void obv__finalize(struct obv_context *context,
                   struct obv__watcher *observation);

/** Finalizes what could not be before. */
void obv__finalize_again(struct obv_context *context);

/** Whether the root of a pair is there, and can be held. */
bool obv__has_living_root(struct obv__thread *thread,
                          const struct obv__watcher *pair);

#endif
