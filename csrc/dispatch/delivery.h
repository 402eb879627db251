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

/** As obv__schedule(), for a post by the program itself: no drain drops it
    (DR-3). */
void obv__schedule_by_hand(struct obv__thread *thread,
                           struct obv__watcher *via);

/** Schedules the observation of a pair that follows a computed property which
    has become invalid: its drain evaluates that, and calls if anything has
    changed (LL-5). Returns whether the post was dropped (DR-3): then no drain
    evaluates. `is_counted`: a drop was counted for this change already. */
bool obv__schedule_perhaps(struct obv__thread *thread, struct obv__watcher *via,
                           bool is_counted);

/** Schedules the observation of a pair whose computed property was found to
    have another value. In a batch a pending call stands for that; the end of
    the batch calls as well only if the value may have changes of the batch
    (`is_batchs`). If the post is dropped, that of the invalidation was, and has
    been counted. */
void obv__schedule_computed(struct obv__thread *thread,
                            struct obv__watcher *via, bool is_batchs);

/** The reasons of a post. */
enum obv__reason {
    OBV__BY_CHANGE,
    OBV__BY_HAND,
    OBV__PERHAPS, /* what is computed has become invalid */
    OBV__AGAIN    /* the same while a drain evaluates: posted to the next cycle,
                  since another thread may invalidate it without end */
};

/** As obv__schedule(), inside a drain of the observation's loop that this
    thread runs. */
void obv__schedule_within(struct obv__thread *thread, struct obv_loop *loop,
                          struct obv__watcher *via, enum obv__reason reason);

/** Confirms a waiting call, since the object that its observation followed is
    gone: it is made, with the values of that moment (ST-4). */
void obv__come_anyway(struct obv__watcher *observation);

/** Evaluates the computed properties that an observation follows: a drain is
    about to call it, and it was posted "perhaps". */
void obv__ask_computed(struct obv__thread *thread, struct obv_loop *loop,
                       struct obv__watcher *observation);

/** Posts an observation again for what was invalidated while its call was
    pending, so that the values it compares with are kept meanwhile. Its item is
    idle, and the handler not called yet. */
void obv__ask_computed_again(struct obv__thread *thread, struct obv_loop *loop,
                             struct obv__watcher *observation);

/** The ends that a call holds, and how to let go of them, wherever kind and
    root are by then (a handler may free an object without `retain`). */
struct obv__held {
    struct obv_object *root;
    void (*release_root)(struct obv_object *root); /* NULL: nothing is held */
    void *observer;
    void (*release)(void *observer);
};

/** Looks again at a root that nothing holds, after code of the program has run.
    If no pair of the group has that root any more, another root is held, or
    none (G19). */
void obv__hold_again(struct obv__thread *thread,
                     struct obv__watcher *observation, struct obv__held *held);

/** Schedules an observation that a batch has put aside, and gives its held ends
    over to the call. They are let go of if a call is pending already, or is not
    to come any more. */
void obv__schedule_held(struct obv__thread *thread,
                        struct obv__watcher *observation,
                        const struct obv__held *held, bool is_perhaps);

/** Whether scheduling an observation would only count a drop: this cycle drops
    its change, or its loop has ended. */
bool obv__is_refused(struct obv__thread *thread, struct obv__watcher *via);

/** Calls an immediate observation of which the pair `via` has changed. `root`
    is its root if the caller holds it, else NULL; `told`: what it is told
    beside, or NULL. */
void obv__call_immediate(struct obv__thread *thread,
                         struct obv_context *context, struct obv__watcher *via,
                         struct obv_object *root, const struct obv__told *told);

/** Begins a call that counts as a nested immediate handler. False: it would be
    too deep, and is not to be made. `depth` receives the depth before, for
    obv__nested_end(). */
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

/** Ends the paths of an observation that have lost what they followed, if no
    further call is to come. To be called after each call, and for each call
    that is not to come any more. In an epoch section. */
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

/** The next pair of an observation behind `after` (NULL: the first of all);
    NULL: there is none. */
struct obv__watcher *obv__pair_next(struct obv__watcher *observation,
                                    const struct obv__watcher *after);

/** Evaluates the computed properties that an observation follows. In an epoch
    section. */
void obv__settle(struct obv__thread *self, struct obv__watcher *observation);

/** Gives up one use of a group's memory. The last use frees the group; when
    only the group's own is left, the group is finalized if it has ended. */
void obv__group_drop_user(struct obv__group *group);

/** Retires the memory of an observation that is disposed of and has no
    handle. */
void obv__observation_retire(struct obv_context *context,
                             struct obv__watcher *observation);

/** Disposes of an observation that has ended. Does nothing while a call is
    pending or running: the drain, or the thread in the handler, calls this
    again. */
void obv__finalize(struct obv_context *context,
                   struct obv__watcher *observation);

/** Finalizes the observations that leave_unsettled() has listed, and frees
    members and keys that are gone. */
void obv__finalize_again(struct obv_context *context);

/** Whether the root of a pair is there, and can be held. */
bool obv__has_living_root(struct obv__thread *thread,
                          const struct obv__watcher *pair);

#endif
