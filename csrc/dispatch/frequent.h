/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frequent way of a delayed observation, in one piece: from "its pair has
 * changed" into its loop, and from there to its handler; and that of an
 * immediate one. Inline, since the way is some four hundred instructions and
 * would be half as long again with calls and with questions that are asked
 * twice.
 *
 * It is delivery.c's way, step by step and in the same order, for what may be
 * known once at its begin:
 *
 *   - the observation is of one pair; to be scheduled, its root is the object
 *     that is edited, and its kind is a constant (nothing is disposed of), so
 *     it needs no pin, and the root no try;
 *   - the thread is PLAIN: plain stores of its record tell others what it does.
 *     It stays so while we run;
 *   - to schedule, no batch is open on it, which makes it a usual one
 *     (reclaim.h), and it is in no drain of the loop; to be delivered, it is in
 *     no handler.
 *
 * All else is left to delivery.c, before anything is done.
 */
#ifndef OBV_FREQUENT_H
#define OBV_FREQUENT_H

#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/node.h"
#include "model/step.h"

/* Scheduling -------------------------------------------------------------- */

/** Of what is claimed, in no batch and no drain of the loop; `own`: it has been
    said before the claim that the owner will push it. */
OBV__INLINE enum obv_coalescing_post
obv__push_plainly(struct obv_loop *loop, struct obv_coalescing_item *item,
                  bool own)
{
    return own ? obv__coalescing_push_owner(&loop->set, item)
               : obv__coalescing_push(&loop->set, item);
}

/** What was posted is the loop's. */
OBV__INLINE void obv__tell_loop(struct obv_loop *loop,
                                enum obv_coalescing_post posted)
{
    if (OBV__UNLIKELY(obv__loop_is_special(loop))) {
        obv__loop_is_told(loop, posted == OBV_POSTED_FIRST);
    }
}

OBV__INLINE bool obv__hold_observer_plainly(struct obv__thread *thread,
                                            const struct obv__watcher *solo)
{
    const struct obv_handler_kind *kind = solo->with.kind;
    if (!kind->retain) {
        return true;
    }
    obv__try_begin_plain(thread, solo->of);
    /* The observer's end cancels first of all. */
    bool good = obv__has_all_but(solo, OBV__LINKED, OBV__CANCELLED) &&
                kind->retain(solo->of);
    obv__try_end_plain(thread);
    return good;
}

/** Both ends; what is held is let go of if one cannot be. The root is the object
    that is being edited: whoever edits it keeps it, so it needs no try. */
OBV__INLINE bool obv__hold_plainly(struct obv__thread *thread,
                                   const struct obv__watcher *solo,
                                   struct obv_object *root,
                                   const struct obv_class *cls)
{
    if (cls->retain && OBV__UNLIKELY(!cls->retain(root))) {
        return false;
    }
    if (OBV__UNLIKELY(!obv__hold_observer_plainly(thread, solo))) {
        if (cls->release) {
            cls->release(root);
        }
        return false;
    }
    return true;
}

/** The push of what is claimed, into the queue of all threads; the loop is
    told. */
OBV__INLINE void obv__push_shared(struct obv_loop *loop,
                                  struct obv_coalescing_item *item)
{
    const struct obv_queue *shared = &loop->set.shared;
    const struct obv_queue_node *last =
        obv__queue_push_behind(&loop->set.shared, &item->link);
    if (OBV__UNLIKELY(obv__loop_is_special(loop))) {
        obv__loop_is_told(loop, obv__queue_is_stub(shared, last));
    }
}

/** The same by the owner, who has said before the claim that it will. */
OBV__INLINE void obv__push_own(struct obv_loop *loop,
                               struct obv_coalescing_item *item)
{
    struct obv_coalescing_set *set = &loop->set;
    if (OBV__UNLIKELY(!obv__queue_is_empty_here(&set->shared))) {
        obv__tell_loop(loop, obv__coalescing_push(set, item));
        return;
    }
    obv__chain_append(&set->owned, &item->link);
    if (OBV__UNLIKELY(obv__loop_is_special(loop))) {
        obv__loop_is_told(loop, obv__coalescing_own_is_only(set, item));
    }
}

/** Holds, claims what was found idle as `word`, and pushes. */
OBV__INLINE void
obv__post_here(struct obv__thread *thread, struct obv_loop *loop,
               struct obv_object *object, const struct obv_class *cls,
               struct obv__watcher *solo, uint64_t word, bool own)
{
    struct obv_coalescing_item *item = obv__item(solo);
    if (OBV__UNLIKELY(!obv__hold_plainly(thread, solo, object, cls))) {
        obv__bury(loop->context, solo);
        return;
    }
    if (own) {
        obv__coalescing_will_own(&loop->set);
    }
    if (OBV__UNLIKELY(!obv__coalescing_claim_idle(item, word))) {
        obv__let_go_of(solo, object, cls);
        return;
    }
    if (own) {
        obv__push_own(loop, item);
    } else {
        obv__push_shared(loop, item);
    }
}

/** obv__schedule(), on a usual thread, for a walk of the list of a slot of
    `object`, which has this node. */
OBV__INLINE bool obv__schedule_here(struct obv__thread *thread,
                                    struct obv_object *object,
                                    const struct obv_detail_node *node,
                                    struct obv__watcher *solo)
{
    struct obv_coalescing_item *item = obv__item(solo);
    struct obv_loop *loop = obv__loop_of(solo);
    if (OBV__UNLIKELY(!obv__has_all_but(solo, OBV__LINKED, OBV__DISPOSES))) {
        return obv__schedule(thread, solo);
    }
    /* The cycle is read before the item, and again after it: a drain that runs
       now may have called the item that we find pending, and be over when we
       look again (coalescing_set.c, 7). */
    uint64_t cycle = obv__coalescing_cycle(&loop->set);
    uint64_t word = obv__item_word(item);
    enum obv_coalescing_state state = obv__item_state_of(word);
    if (OBV__UNLIKELY(obv__loop_is_special(loop) &&
                      obv__loop_has_ended(loop))) {
        return obv__schedule(thread, solo);
    }
    if (OBV__UNLIKELY(obv__loop_is_drained_by(loop, thread))) {
        return state == OBV_COALESCING_WANTED ? false
                                              : obv__schedule(thread, solo);
    }
    if (OBV__UNLIKELY(state != OBV_COALESCING_IDLE)) {
        return state == OBV_COALESCING_CLOSED ||
               obv__coalescing_may_mark(&loop->set, cycle,
                                        obv__loop_is_bound_to(loop, thread));
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

/** Enters the handler; `handle` is what the program may know it by, or NULL. */
OBV__INLINE void obv__call(struct obv__watcher *observation, void *handle,
                           struct obv_object *root)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    const struct obv_call call = {.kind = kind, .observation = handle};
    kind->changed(observation->of, root, &call);
}

/** What a drain has taken: D3, and nothing that stands for it as pending any
    more. */
OBV__INLINE void obv__mark_called(struct obv_loop *loop,
                                  struct obv__watcher *observation)
{
    if (OBV__UNLIKELY(obv__coalescing_forget_marks(&loop->set))) {
        obv__moment_moves_on();
    }
    obv__coalescing_mark_called(&loop->set, obv__item(observation));
}

/** obv__deliver(), on a PLAIN thread that is in no handler. */
OBV__INLINE size_t obv__deliver_here(struct obv__thread *thread,
                                     struct obv_loop *loop,
                                     struct obv__watcher *observation)
{
    OBV__OPAQUE(observation);
    obv__running_push_outermost(thread, observation);
    /* The look at CANCELLED stays behind the push: one that is cancelled may be
       revoked, and have neither root nor kind any more. */
    struct obv_object *root = NULL;
    if (OBV__UNLIKELY(!obv__is_solo(observation) ||
                      obv__has_state(observation, OBV__CANCELLED) ||
                      (root = obv__root(observation)) == NULL)) {
        obv__running_pop_outermost(thread);
        return obv__deliver(thread, loop, observation);
    }
    /* How to let go, wherever kind and root are by then. */
    void (*release_root)(struct obv_object *) = obv__class_of(root)->release;
    void (*release)(void *) = observation->with.kind->release;
    void *observer = observation->of;
    obv__mark_called(loop, observation);
    size_t called = 0;
    if (!obv__has_state(observation, OBV__CANCELLED)) {
        obv__call(observation, observation, root);
        called = 1;
    }
    obv__loop_set_between(loop, true);
    obv__running_pop_outermost(thread);
    /* The look at LINKED stays behind the pop; as in unpin(), delivery.c. */
    obv__compiler_barrier();
    if (OBV__UNLIKELY(!obv__has_state(observation, OBV__LINKED))) {
        obv__settle(loop->context, observation);
    }
    if (release) {
        release(observer);
    }
    if (release_root) {
        release_root(root);
    }
    obv__loop_set_between(loop, false);
    return called;
}

/** Its root, by a try, and how to let go of it; NULL: it cannot be held. The
    observation is pinned. */
OBV__INLINE struct obv_object *
obv__hold_root_plainly(struct obv__thread *thread,
                       const struct obv__watcher *solo,
                       void (**release)(struct obv_object *))
{
    struct obv_object *root = obv__root(solo);
    if (OBV__UNLIKELY(!root)) {
        return NULL;
    }
    obv__try_begin_plain(thread, root);
    /* As in hold_root(), delivery.c. */
    bool good = obv__root(solo) == root && obv__has_state(solo, OBV__LINKED);
    if (good) {
        const struct obv_class *cls = obv__class_of(root);
        *release = cls->release;
        good = !cls->retain || cls->retain(root);
    }
    obv__try_end_plain(thread);
    return good ? root : NULL;
}

/** obv__call_immediate(), for an observation of one pair. `root`: the caller
    holds it; NULL, and then `is_held` is false (a constant): nobody does. */
OBV__INLINE void obv__call_immediate_plainly(struct obv__thread *thread,
                                             struct obv_context *context,
                                             struct obv__watcher *solo,
                                             struct obv_object *root,
                                             bool is_held)
{
    void **depth = &thread->slots[OBV__THREAD_DEPTH];
    if (OBV__UNLIKELY(thread->mode != OBV__THREAD_PLAIN || *depth ||
                      obv__running_depth(thread) != 0)) {
        obv__call_immediate(thread, context, solo, root, NULL);
        return;
    }
    *depth = (void *)(uintptr_t)1;
    obv__running_push_outermost(thread, solo);
    void (*release)(void *) = NULL;
    void (*release_root)(struct obv_object *) = NULL;
    void *observer = solo->of;
    bool good = obv__has_state(solo, OBV__LINKED);
    if (!is_held && good) {
        root = obv__hold_root_plainly(thread, solo, &release_root);
        good = root != NULL;
    }
    if (good && obv__hold_observer_plainly(thread, solo)) {
        release = solo->with.kind->release;
        obv__call(solo, solo->type & OBV__HAS_ITEM ? solo : NULL, root);
    } else {
        if (!is_held && good && release_root) {
            release_root(root);
        }
        release_root = NULL;
        obv__bury(context, solo);
    }
    obv__running_pop_outermost(thread);
    /* The look at LINKED stays behind the pop; as in unpin(), delivery.c. */
    obv__compiler_barrier();
    if (OBV__UNLIKELY(!obv__has_state(solo, OBV__LINKED))) {
        obv__settle(context, solo);
    }
    if (release) {
        release(observer);
    }
    if (!is_held && release_root) {
        release_root(root);
    }
    *depth = NULL;
}

/** The same with a root that the caller holds. */
OBV__INLINE void obv__call_immediate_here(struct obv__thread *thread,
                                          struct obv_context *context,
                                          struct obv__watcher *solo,
                                          struct obv_object *root)
{
    obv__call_immediate_plainly(thread, context, solo, root, true);
}

/** The same of what ends a path: its root is yet to be held. */
OBV__INLINE void obv__call_end_here(struct obv__thread *thread,
                                    struct obv_context *context,
                                    struct obv__watcher *solo)
{
    obv__call_immediate_plainly(thread, context, solo, NULL, false);
}

#endif
