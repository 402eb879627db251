/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery: from "this pair has changed" to the handler, and the end of an
 * observation.
 *
 * Pinning. Before its handler kind is read or called, an observation is entered
 * among those that this thread runs (reclaim.h), and then LINKED is looked at.
 * The thread that ends it clears LINKED, then asks where it runs. One of the
 * two sees the other, so the kind, which the program may free in `dispose`, is
 * there until the pin is taken off.
 *
 * Holding. Both ends are taken under a hazard pointer, before the observation
 * is claimed, so that a dying end never leaves another pair's change behind it.
 * A hazard pointer is published, then the end is looked at again, then the hook
 * is called; the end of an object marks it, then waits until no hazard pointer
 * to it is published (reclaim.h).
 *
 * Exactly one disposes. Every thread that may be the last with an observation
 * that has ended tries to finalize it: the thread that ended it, the drain
 * after its call, each thread that takes off a pin. Finalizing needs, in order:
 *
 *   1 it is not pending: its item can be closed, which also keeps it from ever
 *     becoming pending again. If it is pending, the drain finalizes it after the
 *     call: the drain makes the item idle, then looks at LINKED; we clear
 *     LINKED, then look at the item, with a membarrier between two looks.
 *   2 it is pinned on no thread, asked after the end was marked. The drain pins
 *     it before it makes the item idle, so between 1 and 2 no call slips by.
 *   3 nobody else is at it: one read-modify-write of FINISHING decides.
 *
 * A call taken back stays in its list, holding what it holds, until a drain or
 * the loop's end meets it there and finds CANCELLED.
 */
#include "dispatch/delivery.h"

#include "dispatch/batch.h"
#include "dispatch/delivery_inline.h"
#include "dispatch/loop.h"
#include "dispatch/change_records.h"
#include "dispatch/record_search.h"
#include "model/above.h"
#include "model/container.h"
#include "model/copy.h"
#include "model/misuse.h"
#include "model/node.h"
#include "model/path_node.h"
#include "platform/exception.h"

#include <stdio.h>

/* Pairs -------------------------------------------------------------------- */

struct obv__watcher *obv__pair_next(struct obv__watcher *observation,
                                    const struct obv__watcher *after)
{
    struct obv__group *group = obv__group_or_null(observation);
    if (!group) {
        return after ? NULL : observation;
    }
    obv__lock_enter(&group->lock);
    struct obv__watcher *pair =
        after ? after->with.next_member : group->members;
    obv__lock_leave(&group->lock);
    return pair;
}

/* Pinning ----------------------------------------------------------------- */

bool obv__pin(struct obv__thread *thread,
              const struct obv__watcher *observation)
{
    return obv__pin_as(thread, observation, OBV__IS_ANY);
}

void obv__unpin(struct obv__thread *thread, struct obv_context *context,
                struct obv__watcher *observation)
{
    obv__unpin_as(thread, context, observation, OBV__IS_ANY);
}

/* Telling of an observation ------------------------------------------------ */

const char *obv__begun_at(struct obv__watcher *observation, uint32_t *line)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    /* The program began the class-level observation; a change made the
       instance. */
    observation = obv__whole_observation(observation);
    const struct obv__group *group = obv__group_or_null(observation);
    if (group && observation->file && !(kind->flags & OBV_KIND_IS_OF_CALL)) {
        *line = group->line;
        return observation->file;
    }
    *line = kind->line;
    return kind->file;
}

void obv__diagnose_of(struct obv__thread *thread, struct obv_context *context,
                      struct obv__watcher *observation,
                      struct obv_diagnostic diagnostic)
{
    /* Nothing can be pinned where the thread's table is full. */
    bool is_pinned = observation && !obv__running_is_full(thread);
    if (is_pinned && obv__pin(thread, observation)) {
        diagnostic.label = observation->with.kind->label;
        diagnostic.file = obv__begun_at(observation, &diagnostic.line);
    }
    obv__diagnose(context, &diagnostic);
    if (is_pinned) {
        obv__unpin(thread, context, observation);
    }
}

/* Holding ----------------------------------------------------------------- */

bool obv__has_living_root(struct obv__thread *thread,
                          const struct obv__watcher *pair)
{
    void (*release)(struct obv_object *) = NULL;
    struct obv_object *root =
        obv__hold_root_as(thread, pair, OBV__IS_ANY, &release);
    if (root && release) {
        release(root);
    }
    return root != NULL;
}

OBV__NOINLINE void obv__let_go_of(const struct obv__watcher *observation,
                                  struct obv_object *root)
{
    struct obv__held held;
    obv__held_init(&held, observation, root);
    obv__let_ends_go(&held);
}

bool obv__mortal_observers;

OBV__NOINLINE bool obv__end_if_gone(struct obv_context *context,
                                    struct obv__watcher *observation)
{
    bool gone = (observation->type & OBV__MORTAL) &&
                obv__has_state(observation, OBV__LINKED) &&
                observation->with.kind->gone(observation->of);
    if (gone) {
        obv__above.end(context, obv__whole_observation(observation));
    }
    return gone;
}

bool obv__end_if_dead(struct obv_context *context,
                      struct obv__watcher *observation)
{
    struct obv__thread *self = obv__thread_self();
    if (!(observation->type & OBV__MORTAL)) {
        return false;
    }
    /* Pinned, but not counted as a call: obv_execute() elsewhere goes on. */
    obv__running_push(self, OBV__PINNED(observation));
    bool gone = obv__end_if_gone(context, observation);
    obv__unpin(self, context, observation);
    return gone;
}

/* Scheduling -------------------------------------------------------------- */

OBV__INLINE bool is_perhaps(enum obv__reason reason)
{
    return reason >= OBV__PERHAPS;
}

OBV__INLINE uint64_t bits_of_post(enum obv__reason reason)
{
    return is_perhaps(reason) ? OBV__ITEM_POST_PERHAPS : 0;
}

/* Claims the item and pushes it; the call takes over what is held. A group's
   root is written between the two, under the lock that take_root() takes.
   False: the item was not idle. */
OBV__INLINE bool post(struct obv__thread *thread, struct obv_loop *loop,
                      struct obv__watcher *via, const struct obv__held *held,
                      enum obv__reason reason)
{
    uint64_t bits = bits_of_post(reason);
    struct obv__watcher *observation = obv__observation(via);
    struct obv__coalescing_item *item = obv__item(observation);
    bool is_drained = obv__loop_is_drained_by(loop, thread);
    bool within = is_drained && reason < OBV__AGAIN;
    bool own = !is_drained && obv__loop_is_bound_to(loop, thread),
         first = false;
    struct obv__group *group = obv__group_or_null(observation);
    if (own) {
        obv__coalescing_will_own(&loop->set);
    }
    if (OBV__UNLIKELY(group != NULL)) {
        obv__lock_enter(&group->lock);
    }
    bool is_ours = within ? obv__coalescing_claim_within(&loop->set, item, bits)
                          : obv__coalescing_claim_with(item, bits);
    if (is_ours) {
        if (OBV__UNLIKELY(group != NULL)) {
            group->root = held->root;
            group->is_root_held = held->release_root != NULL;
        }
        if (within) {
            obv__coalescing_push_within(&loop->set, item);
        } else {
            first = own ? obv__coalescing_push_owner(&loop->set, item)
                        : obv__coalescing_push(&loop->set, item);
        }
    }
    if (OBV__UNLIKELY(group != NULL)) {
        obv__lock_leave(&group->lock);
    }
    if (is_ours && OBV__UNLIKELY(obv__loop_is_special(loop))) {
        obv__loop_notify_posted(loop, first);
    }
    return is_ours;
}

/* Posts an observation whose ends are held: the pending call takes them over,
   or they are let go of. `via`: the pair, or the observation where the pair is
   not known any more. `is_dropped`: count only. Inline, as hold_and() is: Swift
   comes here at each set before a drain. */
OBV__INLINE void post_held(struct obv__thread *thread, struct obv_loop *loop,
                           struct obv__watcher *via,
                           const struct obv__held *held, bool is_dropped,
                           enum obv__reason reason)
{
    if (is_dropped) {
        obv__loop_count_dropped(loop);
    }
    if (is_dropped || OBV__UNLIKELY(!post(thread, loop, via, held, reason))) {
        obv__let_ends_go(held);
    }
}

/* The step after both ends are held. */
enum then {
    THEN_POST,
    /* Counts a drop, but not where an end cannot be held: that post would not
       have been made. */
    THEN_DROP,
    THEN_PUT_ASIDE
};

OBV__INLINE void hold_and(enum then then, struct obv__thread *thread,
                          struct obv_loop *loop, struct obv__watcher *via,
                          enum obv__reason reason)
{
    struct obv__watcher *observation = obv__observation(via);
    bool pinned = obv__has_state(observation, OBV__DISPOSES);
    struct obv__held held;
    /* A kind without `dispose` is a constant: it needs no pin. */
    if (pinned) {
        obv__running_push(thread, OBV__PINNED(observation));
    }
    /* Holding the root looks at LINKED, behind the pin. */
    if (!obv__hold_as(thread, via, observation, OBV__IS_ANY, &held)) {
        (void)obv__end_if_gone(loop->context, observation);
    } else if (then != THEN_PUT_ASIDE ||
               !obv__batch_put_aside(obv__batch_of(thread), observation, &held,
                                     is_perhaps(reason))) {
        post_held(thread, loop, via, &held, then == THEN_DROP, reason);
    }
    if (pinned) {
        obv__unpin(thread, loop->context, observation);
    }
}

/* Whether the loop's cycle, which this thread runs, drops a change that this
   thread makes now (DR-3): a change by the observation's own handler, or with
   OBV_ONCE by any handler, after the call. A change is kept that comes from the
   drain itself, as it lets go of objects between two calls. */
static bool cycle_drops(const struct obv__thread *thread,
                        const struct obv_loop *loop,
                        struct obv__watcher *observation)
{
    const struct obv__group *group = obv__group_or_null(observation);
    return obv__coalescing_called(&loop->set, obv__item(observation)) &&
           !(observation->type & OBV__DEFERS) && !loop->between &&
           ((group && group->is_once) ||
            obv__running_innermost(thread) == observation);
}

/* As cycle_drops(), for any thread and loop and any state of the item. A change
   is not dropped if it joins a call that is to come, be it pending or put aside
   by a batch of this thread. */
static bool is_dropped_by(const struct obv__thread *thread,
                          const struct obv_loop *loop,
                          struct obv__watcher *observation)
{
    return obv__loop_is_drained_by(loop, thread) &&
           !obv__aside_of(thread, observation) &&
           obv__item_state(obv__item(observation)) == OBV__COALESCING_IDLE &&
           cycle_drops(thread, loop, observation);
}

void obv__schedule_within(struct obv__thread *thread, struct obv_loop *loop,
                          struct obv__watcher *via, enum obv__reason reason)
{
    struct obv__watcher *observation = obv__observation(via);
    struct obv__coalescing_item *item = obv__item(observation);
    enum obv__coalescing_state state = obv__item_state_of(obv__item_word(item));
    if (state == OBV__COALESCING_IDLE ||
        !obv__coalescing_confirm(item, bits_of_post(reason))) {
        bool drops =
            reason != OBV__BY_HAND && cycle_drops(thread, loop, observation);
        hold_and(drops ? THEN_DROP : THEN_POST, thread, loop, via, reason);
    } else if (state == OBV__COALESCING_PENDING) {
        /* Tells the item that this cycle wants the call too. */
        (void)obv__coalescing_claim_within(&loop->set, item,
                                           bits_of_post(reason));
    }
}

/* Puts an observation aside until the end of this thread's batch, whatever else
   calls it meanwhile. */
OBV__NOINLINE static void put_aside(struct obv__thread *thread,
                                    struct obv_loop *loop,
                                    struct obv__watcher *via,
                                    enum obv__reason reason)
{
    struct obv__watcher *observation = obv__observation(via);
    if (reason != OBV__BY_HAND && is_dropped_by(thread, loop, observation)) {
        hold_and(THEN_DROP, thread, loop, via, reason);
        return;
    }
    struct obv__aside *aside = obv__aside_of(thread, observation);
    if (!aside) {
        hold_and(THEN_PUT_ASIDE, thread, loop, via, reason);
    } else if (!is_perhaps(reason)) {
        obv__store_relaxed(&aside->is_perhaps, false);
    } else {
        obv__store_relaxed(&aside->asks, true);
    }
}

/* `reason` is a constant. */
OBV__INLINE bool schedule_as(struct obv__thread *thread,
                             struct obv__watcher *via, enum obv__reason reason)
{
    struct obv__watcher *observation = obv__observation(via);
    struct obv_loop *loop = obv__loop_of(observation);
    if (OBV__UNLIKELY(!obv__has_state(observation, OBV__LINKED))) {
        return true;
    }
    if (OBV__UNLIKELY(obv__loop_has_ended(loop))) {
        hold_and(THEN_DROP, thread, loop, via, reason);
        return false;
    }
    if (OBV__UNLIKELY(obv__batch_of(thread) != NULL)) {
        put_aside(thread, loop, via, reason);
        return false;
    }
    if (reason < OBV__AGAIN && obv__loop_is_drained_by(loop, thread)) {
        obv__schedule_within(thread, loop, via, reason);
        return false;
    }
    if (is_perhaps(reason)) {
        if (!obv__coalescing_confirm(obv__item(observation),
                                     OBV__ITEM_POST_PERHAPS)) {
            hold_and(THEN_POST, thread, loop, via, reason);
        }
        return false;
    }
    uint64_t word;
    enum obv__asked asked = obv__ask(thread, loop, observation, &word);
    if (asked == OBV__ASKS_CALL) {
        hold_and(THEN_POST, thread, loop, via, reason);
    }
    /* An idle item gets no mark: one set before each drain is to cost none. */
    return asked == OBV__MAY_MARK;
}

OBV__NOINLINE bool obv__schedule(struct obv__thread *thread,
                                 struct obv__watcher *via)
{
    return schedule_as(thread, via, OBV__BY_CHANGE);
}

bool obv__schedule_perhaps(struct obv__thread *thread, struct obv__watcher *via,
                           bool is_counted)
{
    struct obv__watcher *observation = obv__observation(via);
    bool is_dropped =
        is_dropped_by(thread, obv__loop_of(observation), observation);
    if (!is_counted || !obv__is_refused(thread, via)) {
        (void)schedule_as(thread, via, OBV__PERHAPS);
    }
    return is_dropped;
}

void obv__schedule_computed(struct obv__thread *thread,
                            struct obv__watcher *via, bool is_batchs)
{
    struct obv__watcher *observation = obv__observation(via);
    bool is_told = obv__batch_of(thread) &&
                   obv__coalescing_confirm(obv__item(observation), 0);
    if ((!is_told || is_batchs) &&
        !is_dropped_by(thread, obv__loop_of(observation), observation)) {
        (void)obv__schedule(thread, via);
    }
}

bool obv__is_refused(struct obv__thread *thread, struct obv__watcher *via)
{
    struct obv__watcher *observation = obv__observation(via);
    struct obv_loop *loop = obv__loop_of(observation);
    return obv__loop_has_ended(loop) ||
           is_dropped_by(thread, loop, observation);
}

void obv__schedule_by_hand(struct obv__thread *thread, struct obv__watcher *via)
{
    struct obv__change_records *records = obv__change_records_of(via);
    struct obv__batch *batch = obv__batch_of(thread);
    if (records && !batch) {
        obv__change_records_by_hand(records);
    }
    if (obv__is_traced()) {
        /* No edit traces a post by hand, so the drain has to. */
        obv__loop_make_traced(obv__loop_of(obv__observation(via)), true);
    }
    (void)schedule_as(thread, via, OBV__BY_HAND);
    struct obv__aside *aside =
        records ? obv__aside_of(thread, obv__observation(via)) : NULL;
    if (aside) {
        obv__store_relaxed(&aside->is_by_hand, true);
    }
}

void obv__schedule_held(struct obv__thread *thread,
                        struct obv__watcher *observation,
                        const struct obv__held *held, bool is_only_perhaps)
{
    enum obv__reason reason = is_only_perhaps ? OBV__PERHAPS : OBV__BY_CHANGE;
    struct obv_loop *loop = obv__loop_of(observation);
    struct obv__change_records *records = obv__change_records_of(observation);
    bool is_dropped = obv__loop_has_ended(loop);
    if (obv__has_state(observation, OBV__CANCELLED)) {
        obv__let_ends_go(held);
        return;
    }
    if (is_dropped && records) {
        obv__change_records_forget(loop->context, records);
    }
    post_held(thread, loop, observation, held, is_dropped, reason);
}

/* Calling ----------------------------------------------------------------- */

void obv__trace_call(enum obv_trace_kind kind, struct obv__watcher *observation,
                     struct obv_object *root)
{
    struct obv_loop *loop =
        observation->type & OBV__HAS_ITEM ? obv__loop_of(observation) : NULL;
    const struct obv__traced traced = {.kind = kind,
                                       .object = root,
                                       .slot = OBV__SLOT_NONE,
                                       .via = observation,
                                       .loop = loop};
    obv__trace(&traced);
}

/* Calls the handler with values, cause and record of a change. */
static void call_told(struct obv__watcher *observation, struct obv_object *root,
                      const struct obv__told *told)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    const struct obv_call call = {.kind = kind,
                                  .observation = obv__handle_of(observation),
                                  .old = told->old,
                                  .now = told->now,
                                  .cause = told->cause,
                                  .record = told->record,
                                  .is_prior = told->is_prior};
    OBV__NO_EXCEPTION_LEAVES();
    obv__tell_trace(OBV_TRACE_CALL, observation, root);
    kind->changed(observation->of, root, &call);
    obv__tell_trace(OBV_TRACE_RETURN, observation, NULL);
}

/* Calls by hand, for no change (OB-2). The root is held, or NULL for a
   class-level observation. The caller drops `present`, which the call tells. */
OBV__NOINLINE static void call_by_hand(struct obv__watcher *observation,
                                       struct obv_object *root,
                                       struct obv_value *present)
{
    const struct obv__change_records *records =
        obv__change_records_of(observation);
    uint32_t flags = records ? records->flags : 0;
    if (obv__is_class_subscription(observation)) {
        flags = obv__class_subscription(observation)->options.flags;
    }
    const struct obv__told told = obv__told_of_present(
        observation, flags, records ? records->path : NULL, root, present);
    call_told(observation, root, &told);
}

/* Pins the class-level observation of an instance: a stop asks where that one
   runs. NULL: the observation is no instance, or an outer call on this thread
   has pinned the class-level one already. */
static struct obv__watcher *pin_whole(struct obv__thread *thread,
                                      struct obv__watcher *observation)
{
    struct obv__watcher *whole = obv__whole_observation(observation);
    if (OBV__UNLIKELY(whole != observation) &&
        !obv__running_has(thread, whole)) {
        obv__running_push(thread, whole);
        return whole;
    }
    return NULL;
}

/* A call that tells of no change. The root is as in call_by_hand(). */
static void call_untold(struct obv__watcher *observation,
                        struct obv_object *root, struct obv_value *present)
{
    const struct obv__group *group = obv__group_or_null(observation);
    if (group && (group->records || group->form == OBV__OF_CLASS)) {
        /* It has more to say than that there was a change. */
        call_by_hand(observation, root, present);
    } else {
        obv__tell_trace(OBV_TRACE_CALL, observation, root);
        obv__call(observation, obv__handle_of(observation), root);
        obv__tell_trace(OBV_TRACE_RETURN, observation, NULL);
    }
}

/* A call inside a change, or by obv_execute(). */
struct full_call {
    const struct obv__told *told; /* NULL: it tells of no change */
    bool was_made;
    /* To be let go of behind it. */
    struct obv__held held;
    struct obv_value present;
};

static void call_in_full(struct obv__watcher *observation,
                         struct obv_object *root, void *argument)
{
    struct full_call *call = argument;
    if (call->told) {
        call_told(observation, root, call->told);
    } else {
        call_untold(observation, root, &call->present);
    }
}

/* `root` is NULL, or held by the caller. */
static void make_call(struct obv__thread *thread, struct obv_context *context,
                      struct obv__watcher *via, struct obv_object *root,
                      struct full_call *call)
{
    struct obv__watcher *observation = obv__observation(via);
    struct obv__watcher *whole = pin_whole(thread, observation);
    struct obv__evaluating evaluating;
    obv__evaluating_suspend(thread, &evaluating);
    call->was_made =
        obv__call_as(thread, context, via, observation, root, root != NULL,
                     OBV__IS_ANY, call_in_full, call, &call->held);
    if (OBV__UNLIKELY(whole != NULL)) {
        obv__unpin(thread, context, whole);
    }
    obv__evaluating_resume(thread, &evaluating);
}

/* Lets go of the ends after the call: an object that dies now is not inside its
   handler. Runs code of the program. */
static void let_go(struct obv_context *context, struct full_call *call)
{
    obv__let_ends_go(&call->held);
    obv__value_drop(context, &call->present);
}

/* OBV__THREAD_DEPTH counts how deep a thread's immediate handlers are nested.
   This flag in it says that they met the limit since the outermost began. */
#define AT_LIMIT ((uintptr_t)1 << 16)

static void report_depth(struct obv__thread *thread,
                         struct obv_context *context, struct obv__watcher *via,
                         bool is_full)
{
    char text[128];
    const char *format = is_full ? "handlers are nested %u deep: no immediate "
                                   "one is called at that depth"
                                 : "immediate handlers nest %u deep at most: "
                                   "no further one is called until the "
                                   "outermost has returned";
    unsigned limit = is_full ? OBV__RUNNING_MAX : context->immediate_depth;
    (void)snprintf(text, sizeof text, format, limit);
    obv__diagnose_of(
        thread, context, obv__observation(via),
        (struct obv_diagnostic){.kind = OBV_DIAGNOSTIC_DEPTH, .text = text});
}

/* A thread's table has room for OBV__RUNNING_MAX running handlers: none is
   called that would not be in it. */
bool obv__nested_begin(struct obv__thread *thread,
                       const struct obv_context *context, uintptr_t *depth)
{
    void **slot = &thread->slots[OBV__THREAD_DEPTH];
    *depth = (uintptr_t)*slot;
    if (obv__running_is_full(thread)) {
        return false;
    }
    if (*depth == AT_LIMIT) {
        *depth = 0; /* met by delayed handlers alone, which are over */
    }
    bool is_good = *depth < context->immediate_depth;
    if (is_good) {
        *slot = (void *)(*depth + 1);
    }
    return is_good;
}

void obv__nested_end(struct obv__thread *thread, uintptr_t depth)
{
    void **slot = &thread->slots[OBV__THREAD_DEPTH];
    uintptr_t met = depth == 0 ? 0 : (uintptr_t)*slot & AT_LIMIT;
    *slot = (void *)(depth | met);
}

void obv__calls_begin(struct obv__thread *thread, struct obv__calls *calls)
{
    uintptr_t depth = (uintptr_t)thread->slots[OBV__THREAD_DEPTH];
    *calls = (struct obv__calls){.outer = thread->slots[OBV__THREAD_CALLS],
                                 .depth = depth & (AT_LIMIT - 1),
                                 .last = &calls->first};
    thread->slots[OBV__THREAD_CALLS] = calls;
}

void obv__calls_end(struct obv__thread *thread, struct obv__calls *calls)
{
    struct obv__evaluating evaluating;
    thread->slots[OBV__THREAD_CALLS] = calls->outer;
    if (!calls->first) {
        return;
    }
    obv__evaluating_suspend(thread, &evaluating);
    while (calls->first) {
        struct obv_completion *completion = calls->first;
        calls->first = completion->next;
        completion->reserved = NULL;
        completion->complete(completion);
    }
    obv__evaluating_resume(thread, &evaluating);
}

bool obv_complete_later(struct obv_completion *completion)
{
    struct obv__thread *thread = obv__thread_self();
    struct obv__calls *calls = thread->slots[OBV__THREAD_CALLS];
    uintptr_t depth = (uintptr_t)thread->slots[OBV__THREAD_DEPTH];
    bool is_one = calls && (depth & (AT_LIMIT - 1)) == calls->depth + 1;
    if (is_one && !completion->reserved) {
        completion->next = NULL;
        completion->reserved = calls;
        *calls->last = completion;
        calls->last = &completion->next;
    }
    return is_one && completion->reserved == calls;
}

void obv__call_immediate(struct obv__thread *thread,
                         struct obv_context *context, struct obv__watcher *via,
                         struct obv_object *root, const struct obv__told *told)
{
    uintptr_t depth;
    struct full_call call = {.told = told,
                             .present = {.kind = OBV_KIND_unreachable}};
    if (!obv__nested_begin(thread, context, &depth)) {
        if (!(depth & AT_LIMIT)) {
            thread->slots[OBV__THREAD_DEPTH] = (void *)(depth | AT_LIMIT);
            report_depth(thread, context, via,
                         depth < context->immediate_depth);
        }
        const unsigned kept = OBV__DEFERS | OBV__HAS_ITEM;
        if ((obv__observation(via)->type & (kept | OBV__TOKEN)) == kept) {
            (void)obv__schedule(thread, via);
        }
        return;
    }
    make_call(thread, context, via, root, &call);
    obv__nested_end(thread, depth);
    let_go(context, &call);
}

bool obv__call_now(struct obv__thread *thread, struct obv_context *context,
                   struct obv__watcher *via)
{
    struct obv__watcher *observation = obv__observation(via);
    if (obv__running_is_full(thread) ||
        obv__called_where(observation) != OBV__NOWHERE) {
        return false;
    }
    /* Asked again once our own entry is visible: of two threads that meet here,
       at most one enters the handler. */
    obv__running_push(thread, observation);
    struct full_call call = {.present = {.kind = OBV_KIND_unreachable}};
    if (!(obv__called_where(observation) & OBV__ELSEWHERE)) {
        make_call(thread, context, via, NULL, &call);
    }
    obv__unpin(thread, context, observation);
    let_go(context, &call);
    return call.was_made;
}

/* Whether a pair still has the root that a group is pending for, and that
   nothing holds. Another object may lie at the address by now. If that one has
   hooks, the pair is of that object. The group's lock is held. */
static bool has_unheld_root_locked(const struct obv__group *group,
                                   const struct obv_object *root)
{
    const struct obv__watcher *member = root ? group->members : NULL;
    while (member && (!obv__has_state(member, OBV__LINKED) ||
                      obv__root(member) != root)) {
        member = member->with.next_member;
    }
    return member && !obv__class_of(root)->retain;
}

/* The root that a pending observation was scheduled for, and holds. NULL:
   nothing held it, and its pair has ended. */
static struct obv_object *take_root(struct obv__watcher *observation)
{
    struct obv__group *group = obv__group_or_null(observation);
    if (!group) {
        return obv__root(observation);
    }
    obv__lock_enter(&group->lock);
    struct obv_object *root = group->root;
    if (!group->is_root_held && !has_unheld_root_locked(group, root)) {
        root = NULL;
    }
    group->root = NULL;
    obv__lock_leave(&group->lock);
    return root;
}

void obv__come_anyway(struct obv__watcher *observation)
{
    struct obv__change_records *records = obv__change_records_of(observation);
    struct obv__coalescing_item *item = obv__item(observation);
    if (records && (obv__item_word(item) & OBV__ITEM_PERHAPS)) {
        obv__change_records_by_hand(records);
    }
    (void)obv__coalescing_confirm(item, 0);
    (void)obv__batches_have(observation, OBV__ASIDE_COMES);
}

void obv__settle(struct obv__thread *self, struct obv__watcher *observation)
{
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    for (; pair; pair = obv__pair_next(observation, pair)) {
        obv__above.settle(self, pair);
    }
}

void obv__ask_computed(struct obv__thread *thread, struct obv_loop *loop,
                       struct obv__watcher *observation)
{
    const struct obv__aside *aside = obv__aside_of(thread, observation);
    if (aside && obv__load_relaxed(&aside->asks) &&
        !(obv__item_word(obv__item(observation)) & OBV__ITEM_PERHAPS)) {
        /* The call is for changes before the batch. Those of the batch are
           asked for at its end. */
        return;
    }
    if (obv__has_state(observation, OBV__LINKED)) {
        /* Effects of this are not dropped: they are the drain's own doing. */
        bool between = loop->between;
        loop->between = true;
        obv__settle(thread, observation);
        loop->between = between;
    }
    if (!obv__has_state(observation, OBV__LINKED)) {
        obv__come_anyway(observation);
    }
}

void obv__ask_computed_again(struct obv__thread *thread, struct obv_loop *loop,
                             struct obv__watcher *observation)
{
    /* An observation turned immediate meanwhile waits for no drain any more. */
    bool waits = obv__has_state(observation, OBV__LINKED) &&
                 !obv__is_immediate(observation);
    struct obv__watcher *pair = waits ? obv__first_invalid(observation) : NULL;
    if (pair && !obv__is_pending(observation)) {
        bool between = loop->between;
        loop->between = true;
        (void)schedule_as(thread, pair, OBV__AGAIN);
        loop->between = between;
    }
}

/* Calls with the change records that were gathered. With OBV_NET they may say
   that nothing has changed in the end: then there is no call, and the
   observation counts as not called in this cycle. */
OBV__NOINLINE static bool deliver_records(struct obv_loop *loop,
                                          struct obv__watcher *observation,
                                          struct obv__change_records *records,
                                          struct obv_object *root)
{
    struct obv_value present = {.kind = OBV_KIND_unreachable};
    struct obv__taken taken;
    struct obv__told told;
    obv__change_records_take(records, &taken);
    bool called = root && !obv__has_state(observation, OBV__CANCELLED);
    if (called && !obv__change_records_call_for(records, &taken)) {
        obv__coalescing_unmark_called(obv__item(observation));
        called = false;
    }
    if (called && taken.by_hand && !taken.records && taken.missing == 0) {
        call_by_hand(observation, root, &present);
    } else if (called) {
        obv__told_begin(loop->context, records, &taken, &told);
        call_told(observation, root, &told);
        obv__told_end(loop->context, &told);
    }
    /* A change that this sets off is not dropped: it is the drain's own
       release. */
    loop->between = true;
    obv__change_records_destroy(loop->context, taken.records);
    obv__value_drop(loop->context, &present);
    return called;
}

void obv__end_lost_paths(struct obv_context *context,
                         struct obv__watcher *observation)
{
    const struct obv__group *group = obv__group_or_null(observation);
    /* Relaxed: read behind D3; the thread that sets it has a membarrier before
       its look. */
    if (OBV__UNLIKELY(group && obv__load_relaxed(&group->has_path_over))) {
        obv__above.end_called(context, observation);
    }
}

static bool deliver_in_full(struct obv_loop *loop,
                            struct obv__watcher *observation,
                            struct obv_object *root)
{
    struct obv__change_records *records = obv__change_records_of(observation);
    bool called = (root || obv__is_class_subscription(observation)) &&
                  !obv__has_state(observation, OBV__CANCELLED);
    if (records) {
        called = deliver_records(loop, observation, records, root);
    } else if (called) {
        struct obv_value nothing;
        call_untold(observation, root, &nothing);
    }
    if (!called) {
        obv__tell_trace(OBV_TRACE_UNCALLED, observation, NULL);
    }
    if (OBV__UNLIKELY(loop->endless != NULL) && called) {
        obv__endless_note(loop->endless, observation);
    }
    obv__end_lost_paths(loop->context, observation);
    return called;
}

/* Holds another root for a pending call of a group that has lost its own; or
   NULL. */
static struct obv_object *hold_other_root(struct obv__thread *thread,
                                          struct obv__watcher *observation,
                                          void (**release)(struct obv_object *))
{
    struct obv_object *root = NULL;
    struct obv__watcher *pair = obv__group_or_null(observation)
                                    ? obv__pair_next(observation, NULL)
                                    : NULL;
    for (; pair && !root; pair = obv__pair_next(observation, pair)) {
        root = obv__hold_root_as(thread, pair, OBV__IS_ANY, release);
    }
    return root;
}

void obv__hold_again(struct obv__thread *thread,
                     struct obv__watcher *observation, struct obv__held *held)
{
    struct obv__group *group = obv__group_or_null(observation);
    bool is_there = true;
    if (group && held->root && !held->release_root) {
        obv__lock_enter(&group->lock);
        is_there = has_unheld_root_locked(group, held->root);
        obv__lock_leave(&group->lock);
    }
    if (!is_there) {
        void (*release)(struct obv_object *) = NULL;
        held->root = hold_other_root(thread, observation, &release);
        held->release_root = held->root ? release : NULL;
    }
}

bool obv__deliver(struct obv__thread *thread, struct obv_loop *loop,
                  struct obv__watcher *observation)
{
    /* The class-level observation is pinned first: an instance that is not
       pinned may be finalized, but a pending call keeps the class-level one. */
    struct obv__watcher *whole = pin_whole(thread, observation);
    (void)obv__pin(thread, observation);
    struct obv_object *root = take_root(observation);
    void (*release)(struct obv_object *);
    root = root ? root : hold_other_root(thread, observation, &release);
    return obv__deliver_as(thread, loop, observation, root, whole, OBV__IS_ANY,
                           deliver_in_full);
}

void obv__drop(struct obv__thread *thread, struct obv_loop *loop,
               struct obv__watcher *observation)
{
    struct obv__change_records *records = obv__change_records_of(observation);
    struct obv__held held;
    (void)obv__pin(thread, observation);
    if (records) {
        obv__change_records_forget(loop->context, records);
    }
    obv__held_init(&held, observation, take_root(observation));
    obv__coalescing_withdraw(obv__item(observation));
    obv__end_lost_paths(loop->context, observation);
    obv__unpin(thread, loop->context, observation);
    obv__let_ends_go(&held);
}

/* The end ----------------------------------------------------------------- */

/* Takes an instance out of its subscription's list. Returns the subscription,
   or NULL for any other observation. */
static struct obv__group *leave_subscription(struct obv__watcher *observation)
{
    struct obv__instance *instance = obv__instance(observation);
    if (!obv__is_instance(observation)) {
        return NULL;
    }
    struct obv__group *whole = &instance->subscription->group;
    obv__lock_enter(&whole->lock);
    if (instance->is_listed) {
        LIST_REMOVE(instance, of_subscription);
        instance->is_listed = false;
    }
    obv__lock_leave(&whole->lock);
    return whole;
}

void obv__observation_retire(struct obv_context *context,
                             struct obv__watcher *observation)
{
    struct obv__group *group = obv__group_or_null(observation);
    struct obv__group *whole = leave_subscription(observation);
    if (!whole) {
        obv__fetch_add_relaxed(&context->live, (uint64_t)-1);
        if (OBV__CHECKS_MISUSE) {
            obv__misuse_over(observation);
        }
    }
    if (group) {
        obv__group_drop_user(group);
    } else {
        if (observation->type & OBV__OBSERVER_LINKED) {
            obv__observer_unlink(observation);
        }
        obv__watcher_retire(context, observation);
    }
    if (whole) {
        obv__group_drop_user(whole);
    }
}

/* Step 1 of finalizing. */
OBV__INLINE bool close_item(struct obv__watcher *observation)
{
    if (!(observation->type & OBV__HAS_ITEM) ||
        obv__coalescing_close(obv__item(observation))) {
        return true;
    }
    /* Pairs with the compiler barrier behind D3 (coalescing_set.c). */
    (void)obv__membarrier();
    return obv__coalescing_close(obv__item(observation));
}

/* Takes an observation out of the list of unsettled ones, if it is there; NULL:
   the first one. Answers which. */
static struct obv__watcher *take_unsettled(struct obv_context *context,
                                           const struct obv__watcher *wanted)
{
    obv__lock_enter(&context->lists);
    struct obv__watcher **place = &context->unsettled;
    while (*place && wanted && *place != wanted) {
        place = &(*place)->back.previous;
    }
    struct obv__watcher *taken = *place;
    if (taken) {
        obv__store_relaxed(place, taken->back.previous);
    }
    obv__lock_leave(&context->lists);
    return taken;
}

/* Lists an observation for the next drain. A thread inside the handler
   finalizes when it leaves; but which thread that is, or whether there is one,
   cannot always be told (reclaim.h). */
static void leave_unsettled(struct obv_context *context,
                            struct obv__watcher *observation)
{
    obv__lock_enter(&context->lists);
    struct obv__watcher **place = &context->unsettled;
    while (*place && *place != observation) {
        place = &(*place)->back.previous;
    }
    if (!*place && !obv__has_state(observation, OBV__FINISHING)) {
        observation->back.previous = NULL;
        obv__store_relaxed(place, observation);
    }
    obv__lock_leave(&context->lists);
}

void obv__finalize_again(struct obv_context *context)
{
    struct obv__watcher *observation;
    size_t left = 0;
    obv__members_let_go(context);
    obv__keys_free_gone(context);
    obv__lock_enter(&context->lists);
    for (observation = context->unsettled; observation; left++) {
        observation = observation->back.previous;
    }
    obv__lock_leave(&context->lists);
    /* An observation that cannot be finalized now either goes back behind the
       others. */
    while (left-- != 0 && (observation = take_unsettled(context, NULL))) {
        obv__finalize(context, observation);
    }
}

void obv__group_drop_user(struct obv__group *group)
{
    struct obv__watcher *whole = &group->head.watcher;
    struct obv_context *context = obv__observation_context(whole);
    const struct obv__subscriber *subscriber = obv__subscriber(whole);
    /* Acquire and release: the last user has all other uses behind it. */
    uint32_t left = obv__fetch_add_acq_rel(&group->users, (uint32_t)-1) - 1;
    if (left == 1) {
        /* Pairs with the fence in waits_for_users(): either we see LINKED
           cleared, or the thread that cleared it sees our use gone. */
        obv__full_fence();
        obv__finalize(context, whole);
    } else if (left == 0) {
        if (subscriber && subscriber->forget &&
            obv__has_state(whole, OBV__DONE)) {
            OBV__NO_EXCEPTION_LEAVES();
            subscriber->forget(whole->of, subscriber->context);
        }
        obv__observer_unlink(whole);
        obv__watcher_retire(context, whole);
    }
}

/* Whether other users may still read the kind of a group that has ended. Its
   instances do. Its notices do unless a death is told no more, or the
   observer's address means something without the kind. */
static bool waits_for_users(struct obv__watcher *observation, bool is_deaf)
{
    struct obv__group *group = obv__group(observation);
    const struct obv__subscriber *subscriber = obv__subscriber(observation);
    obv__full_fence();
    return obv__load_acquire(&group->users) > 1 &&
           !(subscriber &&
             (subscriber->forget ||
              (observation->type & OBV__OBSERVER_LINKED) || is_deaf));
}

OBV__NOINLINE static void dispose_of(struct obv_context *context,
                                     struct obv__watcher *observation)
{
    const struct obv_handler_kind *kind = observation->with.kind;
    (void)take_unsettled(context, observation);
    /* A class subscription and its instances share a kind. */
    if (obv__has_state(observation, OBV__DISPOSES) &&
        !obv__is_instance(observation)) {
        OBV__NO_EXCEPTION_LEAVES();
        kind->dispose(kind, observation->of);
    }
    struct obv__change_records *records = obv__change_records_of(observation);
    if (records) {
        obv__change_records_end(context, records);
    }
}

/* Steps 2 and 3: whether the caller disposes of it. */
static bool may_finish(struct obv_context *context,
                       struct obv__watcher *observation)
{
    enum obv__where where = obv__running_where(observation);
    if (where & OBV__ELSEWHERE) {
        leave_unsettled(context, observation);
    }
    return where == OBV__NOWHERE;
}

void obv__finalize(struct obv_context *context,
                   struct obv__watcher *observation)
{
    bool is_group = OBV__UNLIKELY(obv__what(observation) == OBV__GROUP);
    /* Before it is asked where it runs: who was told by then is found there. */
    bool is_deaf =
        is_group && obv__load_acquire(&obv__group(observation)->is_deaf);
    /* Acquire, as obv__has_state(). */
    unsigned state = obv__load_acquire(&observation->state);
    if ((state & (OBV__LINKED | OBV__FINISHING)) ||
        obv__batches_have(observation, OBV__IS_ASIDE)) {
        return;
    }
    /* If nothing is disposed of, the kind is a constant and the memory is the
       reclaim's; but who makes an instance reckons with the subscription. */
    bool is_asked_for = (is_group && obv__is_class_subscription(observation)) ||
                        (state & OBV__DISPOSES);
    if (OBV__UNLIKELY(!close_item(observation)) ||
        (is_asked_for && !may_finish(context, observation)) ||
        (is_group && waits_for_users(observation, is_deaf))) {
        return;
    }
    bool is_disposed_of = is_asked_for || is_group;
    uint8_t before = obv__fetch_or_acq_rel(
        &observation->state,
        (uint8_t)(OBV__FINISHING | (is_disposed_of ? 0 : OBV__DONE)));
    if (before & OBV__FINISHING) {
        return;
    }
    if (is_disposed_of) {
        dispose_of(context, observation);
        before = obv__fetch_or_acq_rel(&observation->state, OBV__DONE);
    }
    if (!(before & OBV__HANDLE)) {
        obv__observation_retire(context, observation);
    }
}
