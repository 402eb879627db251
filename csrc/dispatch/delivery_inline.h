/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of delivery, which delivery.c makes its functions of: holding,
 * scheduling, calling. Inline, so that the usual case of each, in one piece
 * from "its pair has changed" into the loop, and from there to the handler, is
 * made of the same lines where it begins: some four hundred instructions, which
 * would be half as many again with calls and with questions that are asked
 * twice.
 *
 * Known at the begin of the usual case, and constant from there:
 *
 *   - the observation is of one pair; to be scheduled, its root is the object
 *     that is edited, and its kind is a constant (nothing is disposed of), so
 *     it needs no pin, and the root no hazard pointer;
 *   - the thread is PLAIN (OBV__IS_PLAIN): plain stores of its record tell others
 *     what it does. It stays so while we run;
 *   - to schedule, no batch is open on it, which makes it a usual one
 *     (reclaim.h); to be called, it is in no handler (OBV__IS_OUTSIDE).
 *
 * All else is left to delivery.c, before anything is done.
 */
#ifndef OBV_DELIVERY_INLINE_H
#define OBV_DELIVERY_INLINE_H

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/node.h"
#include "model/path_node.h"
#include "platform/exception.h"

/* Pinning ----------------------------------------------------------------- */

/** Pins an observation. Returns whether it has not ended; the pin is to be
    taken off in both cases. */
OBV__INLINE bool obv__pin_as(struct obv__thread *thread,
                             const struct obv__watcher *observation,
                             enum obv__thread_is is)
{
    obv__running_push_as(thread, observation, is);
    return obv__has_state(observation, OBV__LINKED);
}

OBV__INLINE void obv__unpin_as(struct obv__thread *thread,
                               struct obv_context *context,
                               struct obv__watcher *observation,
                               enum obv__thread_is is)
{
    obv__running_pop_as(thread, is);
    /* The look at LINKED stays behind the pop; pairs with the membarrier in
       obv__running_where(). Without it the thread that ended the observation
       could leave the finalizing to us, and we to it. */
    obv__compiler_barrier();
    if (is == OBV__IS_ANY && OBV__UNLIKELY(thread->mode != OBV__THREAD_PLAIN)) {
        obv__full_fence();
    }
    if (OBV__UNLIKELY(!obv__has_state(observation, OBV__LINKED))) {
        obv__finalize(context, observation);
    }
}

/* Holding ----------------------------------------------------------------- */

/** How to let go of both ends, which are held; of a root of NULL: of the
    observer alone. Field by field: a struct that is copied while its parts are
    still being stored costs more than the call. */
OBV__INLINE void obv__held_init(struct obv__held *held,
                                const struct obv__watcher *observation,
                                struct obv_object *root)
{
    held->root = root;
    held->release_root = root ? obv__class_of(root)->release : NULL;
    held->observer = observation->of;
    held->release = observation->with.kind->release;
}

/** Runs code of the program. */
OBV__INLINE void obv__let_ends_go(const struct obv__held *held)
{
    if (held->release) {
        held->release(held->observer);
    }
    if (held->release_root) {
        held->release_root(held->root);
    }
}

/** The root of a pair, held, and how to let go of it; NULL: it cannot be. The
    observation is pinned, or its kind a constant. */
OBV__INLINE struct obv_object *
obv__hold_root_as(struct obv__thread *thread, const struct obv__watcher *via,
                  enum obv__thread_is is, void (**release)(struct obv_object *))
{
    struct obv_object *root = obv__root(via);
    if (OBV__UNLIKELY(!root)) {
        return NULL;
    }
    obv__try_begin_as(thread, root, is);
    /* A pair that was stopped keeps its root's address: LINKED is cleared under
       the lock that the root's end takes, so we touch no root that ended after
       that. */
    bool good = obv__root(via) == root && obv__has_state(via, OBV__LINKED);
    if (good) {
        const struct obv_class *cls = obv__class_of(root);
        *release = cls->release;
        good = !cls->retain || cls->retain(root);
    }
    obv__hazard_clear(thread);
    return good ? root : NULL;
}

/** Holds the observer and fills in how to let go of it; false: it cannot be
    held. The observation is pinned, or its kind a constant. */
OBV__INLINE bool obv__hold_observer_as(struct obv__thread *thread,
                                       const struct obv__watcher *observation,
                                       enum obv__thread_is is,
                                       struct obv__held *held)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    bool good = true;
    if (kind->retain) {
        obv__try_begin_as(thread, observation->of, is);
        /* The observer's end cancels first of all, and then perhaps finds that
           another thread is still at clearing LINKED. */
        good = obv__has_all_but(observation, OBV__LINKED, OBV__CANCELLED) &&
               kind->retain(observation->of);
        obv__hazard_clear(thread);
    }
    held->observer = observation->of;
    held->release = kind->release;
    return good;
}

/** Both ends, or none. The observation is pinned, or its kind a constant. */
OBV__INLINE bool obv__hold_as(struct obv__thread *thread,
                              struct obv__watcher *via,
                              struct obv__watcher *observation,
                              enum obv__thread_is is, struct obv__held *held)
{
    held->root = obv__hold_root_as(thread, via, is, &held->release_root);
    if (OBV__UNLIKELY(!held->root)) {
        /* The observation of a class is called without a root. */
        if (is != OBV__IS_ANY || !obv__is_class_subscription(observation)) {
            return false;
        }
        held->release_root = NULL;
    }
    bool good = obv__hold_observer_as(thread, observation, is, held);
    if (OBV__UNLIKELY(!good)) {
        held->release = NULL;
        obv__let_ends_go(held);
    }
    return good;
}

/* Scheduling -------------------------------------------------------------- */

/** The demand of a change on an observation that is not in a drain, or is
    drained by another thread. */
enum obv__asked {
    OBV__ASKS_NOTHING,
    OBV__ASKS_CALL, /* it was found idle */
    OBV__MAY_MARK   /* nothing, and a mark "pending" may stand for it */
};

/** Asks the observation's item what a change has to do; `word` receives the
    word of an idle item. */
OBV__INLINE enum obv__asked obv__ask(const struct obv__thread *thread,
                                     struct obv_loop *loop,
                                     struct obv__watcher *observation,
                                     uint64_t *word)
{
    /* The cycle is read before the item, and again after it: a drain that runs
       now may have called the item that we find pending, and be over when we
       look again (coalescing_set.c, 7). */
    uint64_t cycle = obv__coalescing_cycle(&loop->set);
    *word = obv__item_word(obv__item(observation));
    enum obv__coalescing_state state = obv__item_state_of(*word);
    if (!OBV__UNLIKELY(state != OBV__COALESCING_IDLE)) {
        return OBV__ASKS_CALL;
    }
    if (OBV__UNLIKELY(*word & OBV__ITEM_PERHAPS)) {
        if (obv__coalescing_confirm(obv__item(observation), 0)) {
            return OBV__ASKS_NOTHING;
        }
        *word = obv__item_word(obv__item(observation));
        return OBV__ASKS_CALL;
    }
    return state == OBV__COALESCING_CLOSED ||
                   obv__coalescing_begin_mark(
                       &loop->set, cycle, obv__loop_is_bound_to(loop, thread))
               ? OBV__MAY_MARK
               : OBV__ASKS_NOTHING;
}

/** Pushes a claimed item and tells the loop. `own`: the loop is bound to this
    thread, which has announced the push before the claim
    (obv__coalescing_will_own()). */
OBV__INLINE void obv__push(struct obv_loop *loop,
                           struct obv__coalescing_item *item, bool own)
{
    struct obv__coalescing_set *set = &loop->set;
    if (own && !OBV__UNLIKELY(!obv__queue_is_empty_here(&set->shared))) {
        obv__chain_append(&set->owned, &item->link);
        if (OBV__UNLIKELY(obv__loop_is_special(loop))) {
            obv__loop_notify_posted(loop,
                                    obv__coalescing_own_is_only(set, item));
        }
        return;
    }
    const struct obv__queue_node *last =
        obv__queue_push_behind(&set->shared, &item->link);
    if (OBV__UNLIKELY(obv__loop_is_special(loop))) {
        obv__loop_notify_posted(loop, obv__queue_is_stub(&set->shared, last));
    }
}

/** Holds both ends, claims the item, found idle as `word`, and pushes it. The
    root is the object that is edited: its setter keeps it, so it needs no
    hazard pointer. `own`, a constant: the loop is bound to this thread. */
OBV__INLINE void
obv__post_here(struct obv__thread *thread, struct obv_loop *loop,
               struct obv_object *object, const struct obv_class *cls,
               struct obv__watcher *solo, uint64_t word, bool own)
{
    struct obv__held held;
    if (cls->retain && OBV__UNLIKELY(!cls->retain(object))) {
        (void)obv__end_if_gone(loop->context, solo);
        return;
    }
    if (OBV__UNLIKELY(
            !obv__hold_observer_as(thread, solo, OBV__IS_PLAIN, &held))) {
        if (cls->release) {
            cls->release(object);
        }
        (void)obv__end_if_gone(loop->context, solo);
        return;
    }
    OBV__OPAQUE(solo);
    struct obv__coalescing_item *item = obv__item(solo);
    if (own) {
        obv__coalescing_will_own(&loop->set);
    }
    if (OBV__UNLIKELY(!obv__coalescing_claim_idle(item, word))) {
        obv__let_go_of(solo, object);
        return;
    }
    obv__push(loop, item, own);
}

/** obv__schedule(), on a usual thread, for a walk of the list of a slot of
    `object`, which has this node. */
OBV__INLINE bool obv__schedule_here(struct obv__thread *thread,
                                    struct obv_object *object,
                                    const struct obv_detail_node *node,
                                    struct obv__watcher *solo)
{
    struct obv_loop *loop = obv__loop_of(solo);
    if (OBV__UNLIKELY(!obv__has_all_but(solo, OBV__LINKED, OBV__DISPOSES) ||
                      obv__loop_has_ended(loop))) {
        return obv__schedule(thread, solo);
    }
    if (OBV__UNLIKELY(obv__loop_is_drained_by(loop, thread))) {
        if ((obv__item_word(obv__item(solo)) &
             (OBV__ITEM_STATE | OBV__ITEM_PERHAPS)) != OBV__COALESCING_WANTED) {
            obv__schedule_within(thread, loop, solo, OBV__BY_CHANGE);
        }
        return false;
    }
    uint64_t word;
    enum obv__asked asked = obv__ask(thread, loop, solo, &word);
    if (OBV__UNLIKELY(asked != OBV__ASKS_CALL)) {
        return asked == OBV__MAY_MARK;
    }
    const struct obv_class *cls = obv__class_by_number(node->class_number);
    /* No mark yet, so that one set between two drains costs them none. */
    if (obv__loop_is_bound_to(loop, thread)) {
        obv__post_here(thread, loop, object, cls, solo, word, true);
    } else {
        obv__post_here(thread, loop, object, cls, solo, word, false);
    }
    return false;
}

/* Calling ----------------------------------------------------------------- */

/** Tells the trace of a call, if there is one; the observation is pinned. */
OBV__INLINE void obv__tell_trace(enum obv_trace_kind kind,
                                 struct obv__watcher *observation,
                                 struct obv_object *root)
{
    if (obv__is_traced()) {
        obv__trace_call(kind, observation, root);
    }
}

/** The address that the program may know an observation by; NULL: nothing. */
OBV__INLINE void *obv__handle_of(struct obv__watcher *observation)
{
    return observation->type & OBV__HAS_ITEM
               ? obv__whole_observation(observation)
               : NULL;
}

/** Enters the handler; `handle` is what the program may know it by, or NULL. */
OBV__INLINE void obv__call(struct obv__watcher *observation, void *handle,
                           struct obv_object *root)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    /* In full, so that nothing is cleared first. */
    const struct obv_call call = {kind, handle, NULL, NULL, NULL, NULL, false};
    OBV__NO_EXCEPTION_LEAVES();
    kind->changed(observation->of, root, &call);
}

/** Calls an observation whose ends are held. */
typedef void obv__caller(struct obv__watcher *observation,
                         struct obv_object *root, void *argument);

/** Pins, holds both ends and calls. False: not called, and nothing is held.
    True: the caller lets go of what `held` says. `is_held`: the caller holds
    the root. */
OBV__INLINE bool
obv__call_as(struct obv__thread *thread, struct obv_context *context,
             struct obv__watcher *via, struct obv__watcher *observation,
             struct obv_object *root, bool is_held, enum obv__thread_is is,
             obv__caller *call, void *argument, struct obv__held *held)
{
    bool called = obv__pin_as(thread, observation, is);
    if (called && is_held) {
        held->release_root = NULL;
        called = obv__hold_observer_as(thread, observation, is, held);
    } else if (called) {
        called = obv__hold_as(thread, via, observation, is, held);
        root = called ? held->root : NULL;
    }
    if (OBV__UNLIKELY(!called)) {
        *held = (struct obv__held){.root = NULL};
        (void)obv__end_if_gone(context, observation);
    } else {
        call(observation, root, argument);
    }
    obv__unpin_as(thread, context, observation, is);
    return called;
}

OBV__INLINE void obv__call_solo(struct obv__watcher *solo,
                                struct obv_object *root, void *argument)
{
    (void)argument;
    obv__call(solo, solo->type & OBV__HAS_ITEM ? solo : NULL, root);
}

/** Whether the thread is PLAIN and inside nothing. */
OBV__INLINE bool obv__calls_here(const struct obv__thread *thread)
{
    uintptr_t is_inside = (uintptr_t)thread->slots[OBV__THREAD_DEPTH] |
                          (uintptr_t)thread->slots[OBV__THREAD_COMPUTES] |
                          (uintptr_t)obv__running_outermost(thread);
    return thread->mode == OBV__THREAD_PLAIN && !is_inside;
}

/** obv__call_immediate(), for an observation of one pair. `is_held`, a
    constant: the caller holds the root; else it is NULL. */
OBV__INLINE void obv__call_immediate_here(struct obv__thread *thread,
                                          struct obv_context *context,
                                          struct obv__watcher *solo,
                                          struct obv_object *root, bool is_held)
{
    void **depth = &thread->slots[OBV__THREAD_DEPTH];
    struct obv__held held;
    if (OBV__UNLIKELY(!obv__calls_here(thread))) {
        obv__call_immediate(thread, context, solo, root, NULL);
        return;
    }
    *depth = (void *)(uintptr_t)1;
    bool called = obv__call_as(thread, context, solo, solo, root, is_held,
                               OBV__IS_OUTSIDE, obv__call_solo, NULL, &held);
    *depth = NULL;
    /* After the return: an object that dies now is not inside its handler. */
    if (called) {
        obv__let_ends_go(&held);
    }
}

/* Delivering -------------------------------------------------------------- */

/** Calls an observation that a drain has taken; returns whether the handler was
    entered. */
typedef bool obv__deliverer(struct obv_loop *loop,
                            struct obv__watcher *observation,
                            struct obv_object *root);

/** Calls a pinned observation that was scheduled for `root`. `whole`: its
    class-level observation, pinned as well, or NULL. */
OBV__INLINE bool obv__deliver_as(struct obv__thread *thread,
                                 struct obv_loop *loop,
                                 struct obv__watcher *observation,
                                 struct obv_object *root,
                                 struct obv__watcher *whole,
                                 enum obv__thread_is is, obv__deliverer *call)
{
    struct obv__held held;
    obv__held_init(&held, observation, root);
    bool asks = is == OBV__IS_ANY &&
                (obv__item_word(obv__item(observation)) & OBV__ITEM_ASKS);
    if (OBV__UNLIKELY(asks)) {
        obv__ask_computed(thread, loop, observation);
        /* The evaluation may have ended the observation, or stopped its
           pair. */
        obv__hold_again(thread, observation, &held);
        root = held.root;
    }
    /* Before D3: no all-pending stamp may stand for the observation any
       more. */
    if (OBV__UNLIKELY(obv__coalescing_forget_marks(&loop->set))) {
        obv__advance_registration_epoch();
    }
    bool comes = !OBV__UNLIKELY(asks) ||
                 !obv__coalescing_leave_uncalled(obv__item(observation));
    if (comes) {
        /* If `asks` was false, the first post "perhaps" may have come since. */
        asks |= obv__coalescing_mark_called(&loop->set, obv__item(observation));
    }
    if (OBV__UNLIKELY(!comes)) {
        obv__tell_trace(OBV_TRACE_UNCALLED, observation, NULL);
    }
    if (OBV__UNLIKELY(asks)) {
        obv__ask_computed_again(thread, loop, observation);
    }
    bool called = comes && call(loop, observation, root);
    loop->between = true;
    obv__unpin_as(thread, loop->context, observation, is);
    if (OBV__UNLIKELY(whole != NULL)) {
        obv__unpin_as(thread, loop->context, whole, is);
    }
    obv__let_ends_go(&held);
    loop->between = false;
    return called;
}

OBV__INLINE bool obv__deliver_solo(struct obv_loop *loop,
                                   struct obv__watcher *solo,
                                   struct obv_object *root)
{
    (void)loop;
    if (obv__has_state(solo, OBV__CANCELLED)) {
        return false;
    }
    obv__call(solo, solo, root);
    return true;
}

/** obv__deliver(), on a PLAIN thread that is in no handler. */
OBV__INLINE bool obv__deliver_here(struct obv__thread *thread,
                                   struct obv_loop *loop,
                                   struct obv__watcher *observation)
{
    OBV__OPAQUE(observation);
    obv__running_push_as(thread, observation, OBV__IS_OUTSIDE);
    struct obv_object *root = NULL;
    if (OBV__UNLIKELY(
            !obv__is_solo(observation) ||
            (obv__item_word(obv__item(observation)) & OBV__ITEM_ASKS) ||
            (root = obv__root(observation)) == NULL)) {
        obv__running_pop_as(thread, OBV__IS_OUTSIDE);
        return obv__deliver(thread, loop, observation);
    }
    return obv__deliver_as(thread, loop, observation, root, NULL,
                           OBV__IS_OUTSIDE, obv__deliver_solo);
}

#endif
