/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery loops: making and ending them, and draining. Waking is
 * loop_turn.c's.
 *
 * The drainer. `drainer` names the thread inside a drain; the thread that finds
 * itself there is nested. Two threads never drain at once. A bound loop is
 * taken by its owner alone, by a plain store, until that ends it. Any other is
 * taken by a compare-exchange from NULL.
 *
 * The end. `ended` is set, then the set is emptied. A poster pushes, then looks
 * at `ended`. Both are seq_cst: either the emptying finds the push, or the
 * poster finds the end and empties by itself, or leaves that to the thread that
 * has the loop.
 */
#include "dispatch/loop.h"

#include "base/escape.h"
#include "dispatch/deallocation_notice.h"
#include "dispatch/delivery.h"
#include "dispatch/inbound_queue.h"
#include "dispatch/delivery_inline.h"
#include "dispatch/pull.h"
#include "model/above.h"
#include "model/node.h"
#include "dispatch/trace.h"

#include <stdio.h>

struct obv__numbering obv__loops;

uintptr_t obv__thread_number(struct obv__thread *thread)
{
    /* The address of a record would not do: another thread may have it
       later. */
    static uint64_t numbered;
    if (!thread->slots[OBV__THREAD_NUMBER]) {
        uint64_t number = obv__fetch_add_relaxed(&numbered, 1) + 1;
        thread->slots[OBV__THREAD_NUMBER] = (void *)(uintptr_t)number;
    }
    return (uintptr_t)thread->slots[OBV__THREAD_NUMBER];
}

/* Adds the loop's count of calls to that of its context. No other thread drains
   the loop now. */
static void hand_over_count(struct obv_loop *loop)
{
    obv__fetch_add_relaxed(&loop->context->called, loop->called);
    obv__store_relaxed(&loop->called, (uint64_t)0);
}

static void unlist(struct obv_loop *loop)
{
    struct obv_context *context = loop->context;
    hand_over_count(loop);
    obv__lock_enter(&context->lists);
    struct obv_loop **place = &context->loops;
    while (*place != loop) {
        place = &(*place)->next;
    }
    *place = loop->next;
    obv__lock_leave(&context->lists);
}

enum obv_status obv_loop_create(struct obv_context *context,
                                const struct obv_loop_options *options,
                                struct obv_loop **loop)
{
    if (!loop || (options && options->size != sizeof *options)) {
        return OBV_E_ARGUMENT;
    }
    context = obv__context_or_default(context);
    struct obv_loop *made =
        context ? obv__context_allocate_zeroed(context, sizeof *made) : NULL;
    if (!made) {
        return OBV_E_MEMORY;
    }
    obv__coalescing_init(&made->set, &context->any_thread);
    TAILQ_INIT(&made->inbound.list);
    made->context = context;
    made->references = 1;
    if (options) {
        made->wake = options->wake;
        made->wake_context = options->wake_context;
        made->wake_dispose = options->wake_dispose;
        made->rings = made->special = options->wake != NULL;
        made->owner =
            options->bound ? obv__thread_number(obv__thread_self()) : 0;
    }
    enum obv_status status =
        obv__number_take(&obv__loops, UINT16_MAX, made, &made->tag);
    if (status != OBV_OK) {
        obv__context_free(context, made, sizeof *made);
        return status;
    }
    static uint32_t serial;
    /* Relaxed: a thread that looks for an older loop of this tag may read the
       id right now, and finds that it is not that loop's. */
    obv__store_relaxed(&made->id, (obv__fetch_add_relaxed(&serial, 1) << 16) |
                                      (uint32_t)made->tag);
    obv__lock_enter(&context->lists);
    made->next = context->loops;
    context->loops = made;
    obv__lock_leave(&context->lists);
    *loop = made;
    return status;
}

struct obv_loop *obv_loop_retain(struct obv_loop *loop)
{
    if (loop && loop != loop->context->loop) {
        obv__fetch_add_relaxed(&loop->references, 1);
    }
    return loop;
}

/* The lock of the numbers is held: a loop gives its number back before it is
   freed. */
static struct obv_loop *find_loop_locked(uint32_t id,
                                         const struct obv_context *context)
{
    struct obv_loop *loop = id != 0 ? obv__loop_by_tag((uint16_t)id) : NULL;
    bool lives = loop && obv__load_relaxed(&loop->id) == id &&
                 loop->context == context && !obv__loop_has_ended(loop);
    return lives ? loop : NULL;
}

struct obv_loop *obv__loop_retain_by_id(uint32_t id,
                                        const struct obv_context *context)
{
    obv__lock_enter(&obv__loops.lock);
    struct obv_loop *loop = find_loop_locked(id, context);
    uint64_t references = loop ? obv__load_relaxed(&loop->references) : 0;
    while (loop && loop != context->loop &&
           (references == 0 || !obv__cas_acq_rel(&loop->references, &references,
                                                 references + 1))) {
        loop = references == 0 ? NULL : loop;
    }
    obv__lock_leave(&obv__loops.lock);
    return loop;
}

bool obv__loop_lives(uint32_t id, const struct obv_context *context)
{
    obv__lock_enter(&obv__loops.lock);
    bool lives = find_loop_locked(id, context) != NULL;
    obv__lock_leave(&obv__loops.lock);
    return lives;
}

uint32_t obv__loop_id_of(struct obv__watcher *observation)
{
    obv__lock_enter(&obv__loops.lock);
    const struct obv_loop *loop = obv__loop_of(observation);
    uint32_t id = loop ? obv__load_relaxed(&loop->id) : 0;
    obv__lock_leave(&obv__loops.lock);
    return id;
}

bool obv__loop_is_elsewhere(struct obv__watcher *observation,
                            const struct obv__thread *thread)
{
    obv__lock_enter(&obv__loops.lock);
    const struct obv_loop *loop = obv__loop_of(observation);
    bool is =
        loop && ((loop->owner != 0 && !obv__loop_is_bound_to(loop, thread)) ||
                 obv__loop_is_drained_elsewhere(loop, thread));
    obv__lock_leave(&obv__loops.lock);
    return is;
}

static void free_loop(struct obv_loop *loop)
{
    if (obv__loop_has_ended(loop)) {
        obv__fetch_add_relaxed(&loop->context->ended_loops, (uint32_t)-1);
    }
    obv__number_give_back(&obv__loops, loop->tag);
    if (loop->has_descriptor) {
        obv__wake_close(&loop->descriptor);
    }
    if (loop->wake_dispose) {
        loop->wake_dispose(loop->wake_context);
    }
    obv__context_free(loop->context, loop, sizeof *loop);
}

void obv_loop_release(struct obv_loop *loop)
{
    /* Acquire and release: the last one sees what the others did. */
    if (loop && loop != loop->context->loop &&
        obv__fetch_add_acq_rel(&loop->references, (uint64_t)-1) == 1) {
        free_loop(loop);
    }
}

void obv__loop_notify_posted(struct obv_loop *loop, bool first)
{
    if (first) {
        obv__loop_wake(loop);
    }
    if (obv__loop_has_ended(loop)) {
        /* The loop ended after the poster had looked: no other thread takes the
           push out. */
        obv__loop_drop_pending(loop);
    }
}

void obv__loop_count_dropped(struct obv_loop *loop)
{
    obv__fetch_add_relaxed(&loop->context->dropped, 1);
}

/* Taking the loop --------------------------------------------------------- */

/* Takes a loop for a thread that does not drain it already. The owner of a
   bound loop takes it by a plain store; once the loop has ended, it is taken as
   any other. */
OBV__INLINE bool take(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__thread *nobody = NULL;
    /* Relaxed, both: the owner's own words. */
    if (loop->owner != 0 && !obv__load_relaxed(&loop->ended)) {
        obv__store_relaxed(&loop->drainer, self);
        return true;
    }
    /* Acquire, pairs with give_back(): the last drainer's own fields. */
    return obv__cas_acq_rel(&loop->drainer, &nobody, self);
}

static inline void give_back(struct obv_loop *loop)
{
    struct obv__thread *nobody = NULL;
    obv__store_release(&loop->drainer, nobody);
}

enum obv__loop_taken obv__loop_take(struct obv_loop *loop,
                                    struct obv__thread *self)
{
    if (obv__loop_is_drained_by(loop, self)) {
        return OBV__NESTED;
    }
    if (!take(loop, self)) {
        return OBV__BUSY;
    }
    if (obv__loop_rings(loop)) {
        obv__loop_turn_begin(loop);
    }
    return OBV__TAKEN;
}

void obv__loop_give_back(struct obv_loop *loop)
{
    /* The loop is there until our turn has ended: a thread that takes a loop
       which rings waits for that. */
    bool rings = obv__loop_rings(loop);
    bool left = rings && (!obv__coalescing_is_empty(&loop->set) ||
                          obv__loop_inbound_count(loop) != 0);
    give_back(loop);
    if (rings) {
        obv__loop_turn_end(loop, left);
    }
}

static void give_back_ended(struct obv_loop *loop)
{
    struct obv__thread *nobody = NULL;
    bool rings = obv__loop_rings(loop);
    /* Seq_cst: our look at the queue comes after it; see
       obv__loop_drop_pending(). */
    (void)obv__exchange_seq_cst(&loop->drainer, nobody);
    if (rings) {
        obv__loop_turn_forget(loop);
    }
}

/* The data kept of an observation that is reported, and may be gone by then: so
   much of its label. */
struct reported {
    bool is_any;
    char label[64]; /* empty: it has none */
    const char *file;
    uint32_t line;
};

static void keep_reported(struct reported *reported,
                          struct obv__watcher *observation)
{
    const char *label = observation->with.kind->label;
    reported->is_any = true;
    reported->file = obv__begun_at(observation, &reported->line);
    (void)snprintf(reported->label, sizeof reported->label, "%s",
                   label ? label : "");
}

static void report_of_loop(const struct obv_loop *loop,
                           enum obv_diagnostic_kind kind, const char *text,
                           const struct reported *reported)
{
    const struct obv_diagnostic diagnostic = {
        .kind = kind,
        .text = text,
        .label = reported->label[0] != '\0' ? reported->label : NULL,
        .file = reported->file,
        .line = reported->line};
    obv__diagnose(loop->context, &diagnostic);
}

static void drop_all(struct obv_loop *loop, struct obv__thread *self,
                     struct reported *first)
{
    struct obv__coalescing_item *item;
    *first = (struct reported){.is_any = false};
    obv__epoch_enter(self);
    while ((item = obv__coalescing_take_any(&loop->set)) != NULL) {
        struct obv__watcher *observation = obv__of_item(item);
        if (!obv__has_state(observation, OBV__CANCELLED)) {
            obv__loop_count_dropped(loop); /* else it was taken back */
            if (!first->is_any) {
                keep_reported(first, observation);
            }
        }
        obv__drop(self, loop, observation);
    }
    obv__notices_tell(loop, self, true);
    obv__inbound_leave_loop(loop);
    obv__epoch_leave(self);
    /* All-pending stamps may stand for what was pending here. */
    obv__advance_registration_epoch();
}

void obv__loop_drop_pending(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_self();
    struct reported first;
    enum obv__loop_taken taken;
    /* Repeats when something was pushed while we emptied. A poster that finds
       the loop taken leaves its push to that thread, which looks again after it
       has given the loop back: both are seq_cst, so one of the two sees the
       other, and nobody waits. */
    do {
        taken = obv__loop_take(loop, self);
        if (taken == OBV__BUSY) {
            return;
        }
        drop_all(loop, self, &first);
        if (taken == OBV__TAKEN) {
            give_back_ended(loop);
        }
    } while (taken == OBV__TAKEN && (!obv__queue_is_empty(&loop->set.shared) ||
                                     obv__loop_has_notices(loop) ||
                                     obv__loop_inbound_count(loop) != 0));
}

/* Gives an ended and empty loop back and releases a reference: that of its
   creation, where it was destroyed. */
static void let_go_ended(struct obv_loop *loop)
{
    struct obv_context *context = loop->context;
    hand_over_count(loop);
    give_back_ended(loop);
    obv__loop_drop_pending(loop);
    obv_loop_release(loop);
    /* Watchers that have named the loop may wait to be freed. */
    obv__domain_flush_outside(&context->retired);
}

/* Draining ---------------------------------------------------------------- */

static void count_called(struct obv_loop *loop, size_t called)
{
    /* Relaxed: one drainer at a time writes it. */
    obv__store_relaxed(&loop->called,
                       obv__load_relaxed(&loop->called) + called);
}

OBV__NOINLINE static size_t call_pending(struct obv_loop *loop,
                                         struct obv__thread *self, size_t limit)
{
    size_t called = 0;
    while (called < limit && obv__coalescing_may_have_next(&loop->set) &&
           !obv__loop_has_ended(loop)) {
        /* An epoch section a call, so that a long drain holds no memory up. */
        obv__epoch_enter(self);
        struct obv__coalescing_item *item = obv__coalescing_take(&loop->set);
        if (item) {
            called += obv__deliver(self, loop, obv__of_item(item));
        }
        obv__epoch_leave(self);
    }
    return called;
}

/* Handlers that call each other without end are reported after so many cycles
   in a row of calls that the cycle before has made due (DR-15). */
#define ENDLESS_CYCLES 1000

/* The calls of the cycle that is reported. */
struct obv__endless {
    struct obv__line text;
    struct reported last;
};

void obv__endless_note(struct obv__endless *endless,
                       struct obv__watcher *observation)
{
    const char *label = observation->with.kind->label;
    keep_reported(&endless->last, observation);
    obv__line_add_name(&endless->text, " ", label ? label : "(no label)");
    obv__line_add_place(&endless->text, endless->last.file, endless->last.line);
}

static bool is_endless(const struct obv_loop *loop)
{
    return obv__coalescing_within(&loop->set) == ENDLESS_CYCLES;
}

OBV__NOINLINE static size_t call_endless(struct obv_loop *loop,
                                         struct obv__thread *self, size_t limit)
{
    struct obv__endless endless = {.text.length = 0};
    obv__line_add_name(&endless.text, "",
                       "handlers call each other without end: in 1000 cycles "
                       "nothing else has made a call due; called last:");
    loop->endless = &endless;
    size_t called = call_pending(loop, self, limit);
    loop->endless = NULL;
    if (is_endless(loop) && !obv__loop_has_ended(loop)) {
        /* Changes by the hook are no handler's: none is dropped. */
        loop->between = true;
        report_of_loop(loop, OBV_DIAGNOSTIC_ENDLESS, endless.text.text,
                       &endless.last);
        loop->between = false;
    }
    return called;
}

/* The outermost drain calls what it has gathered, and ends its cycle. */
OBV__NOINLINE static size_t
drain_gathered(struct obv_loop *loop, struct obv__thread *self, size_t limit)
{
    size_t called = OBV__UNLIKELY(is_endless(loop))
                        ? call_endless(loop, self, limit)
                        : call_pending(loop, self, limit);
    (void)obv__coalescing_end_cycle(&loop->set);
    return called;
}

/* Applies the sets of other threads, as far as they wait by now: sets by
   handlers of these edits wait for the next drain. In a cycle of the loop. */
static void apply_inbound(struct obv_loop *loop, struct obv__thread *self)
{
    if (OBV__UNLIKELY(obv__loop_inbound_count(loop) != 0)) {
        obv__above.apply_inbound(loop, self);
    }
}

/* A drain inside a handler of the same loop's drain, or inside what it lets go
   of. */
OBV__NOINLINE static size_t drain_nested(struct obv_loop *loop,
                                         struct obv__thread *self, size_t limit)
{
    if (obv__loop_has_ended(loop) || obv__running_is_full(self)) {
        return 0;
    }
    bool between = loop->between;
    loop->between = false;
    obv__coalescing_begin(&loop->set);
    apply_inbound(loop, self);
    size_t called = call_pending(loop, self, limit);
    obv__notices_tell(loop, self, false);
    obv__coalescing_end(&loop->set);
    count_called(loop, called);
    loop->between = between;
    return called;
}

OBV__NOINLINE static void finalize_deferred(struct obv_context *context,
                                            struct obv__thread *self)
{
    obv__epoch_enter(self);
    obv__finalize_again(context);
    obv__epoch_leave(self);
}

/* The outermost drain gives the loop back; a handler may have destroyed it. */
OBV__NOINLINE static void leave_specially(struct obv_loop *loop,
                                          struct obv__thread *self)
{
    if (OBV__UNLIKELY(obv__loop_has_notices(loop)) &&
        !obv__loop_has_ended(loop) && !obv__running_is_full(self)) {
        /* Deaths are told when the drain has called its handlers: in a cycle of
           their own, so that what they change is scheduled as in any. */
        obv__coalescing_begin_cycle(&loop->set);
        obv__notices_tell(loop, self, false);
        (void)obv__coalescing_end_cycle(&loop->set);
    }
    if (obv__loop_has_ended(loop)) {
        /* A poster that found the loop taken has left its push to us. A thread
           that drains it later finds it ended. */
        if (!loop->destroyed) {
            (void)obv_loop_retain(loop);
        }
        loop->destroyed = false;
        let_go_ended(loop);
        return;
    }
    obv__loop_give_back(loop);
}

OBV__INLINE void leave_drain(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv_context *context = loop->context;
    obv__recording_forget(self);
    if (OBV__UNLIKELY(obv__loop_is_special(loop))) {
        leave_specially(loop, self);
    } else {
        give_back(loop);
    }
    /* Relaxed: what is put there later is the next drain's. The loop is given
       back: what `dispose` changes is scheduled as from outside. */
    if (OBV__UNLIKELY(obv__load_relaxed(&context->unsettled) != NULL)) {
        finalize_deferred(context, self);
    }
}

/* Begins the drain of a special loop, which is taken; whether there is anything
   to do. */
OBV__NOINLINE static bool begin_specially(struct obv_loop *loop,
                                          struct obv__thread *self)
{
    if (obv__loop_rings(loop)) {
        obv__loop_turn_begin(loop);
    }
    if (!obv__is_traced()) {
        obv__loop_make_traced(loop, false);
    }
    return !obv__loop_has_ended(loop) && !obv__running_is_full(self) &&
           (!obv__coalescing_is_idle(&loop->set) ||
            obv__loop_inbound_count(loop) != 0);
}

static void trace_drain(const struct obv_loop *loop, enum obv_trace_kind kind,
                        size_t called)
{
    const struct obv__traced traced = {
        .kind = kind, .loop = loop, .count = called};
    if (obv__is_traced()) {
        obv__trace(&traced);
    }
}

/* One cycle: calls what is pending first, then what inbound edits make due. */
OBV__NOINLINE static size_t drain_cycle(struct obv_loop *loop,
                                        struct obv__thread *self, size_t limit)
{
    obv__coalescing_begin_cycle(&loop->set);
    obv__coalescing_gather(&loop->set);
    trace_drain(loop, OBV_TRACE_DRAIN, 0);
    apply_inbound(loop, self);
    size_t called = drain_gathered(loop, self, limit);
    count_called(loop, called);
    trace_drain(loop, OBV_TRACE_DRAINED, called);
    return called;
}

/* obv_loop_drain_some() on any thread: also inside a handler, an evaluation or
   another drain. */
OBV__NOINLINE static ptrdiff_t drain_anyhow(struct obv_loop *loop, size_t limit)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__evaluating evaluating;
    ptrdiff_t called = OBV_E_BUSY;
    if (!loop) {
        return OBV_E_ARGUMENT;
    }
    if (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)) {
        return OBV_E_THREAD;
    }
    obv__batch_note_drain(self, loop->context);
    obv__evaluating_suspend(self, &evaluating);
    if (obv__loop_is_drained_by(loop, self)) {
        called = (ptrdiff_t)drain_nested(loop, self, limit);
    } else if (take(loop, self)) {
        called = begin_specially(loop, self)
                     ? (ptrdiff_t)drain_cycle(loop, self, limit)
                     : 0;
        leave_drain(loop, self);
    }
    obv__evaluating_resume(self, &evaluating);
    return called;
}

/* One cycle on a usual thread that is in no handler. The first item takes the
   shortest way: mostly just one is pending. */
OBV__INLINE size_t drain_plainly(struct obv_loop *loop,
                                 struct obv__thread *self)
{
    size_t called = 0;
    obv__coalescing_begin_cycle(&loop->set);
    obv__section_enter_as(self, OBV__IS_OUTSIDE);
    struct obv__coalescing_item *item =
        obv__coalescing_gather_first(&loop->set);
    if (!OBV__UNLIKELY(!item)) {
        called = obv__deliver_here(self, loop, obv__of_item(item));
    }
    obv__section_leave_as(self, OBV__IS_OUTSIDE);
    if (OBV__UNLIKELY(!obv__coalescing_end_cycle_if_done(&loop->set))) {
        called += drain_gathered(loop, self, SIZE_MAX);
    }
    count_called(loop, called);
    return called;
}

ptrdiff_t obv_loop_drain(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_or_new();
    if (OBV__UNLIKELY(
            !loop || !obv__thread_is_usual(self) ||
            !obv__thread_is_idle(self) || obv__loop_is_drained_by(loop, self) ||
            (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)))) {
        return drain_anyhow(loop, SIZE_MAX);
    }
    if (OBV__UNLIKELY(!take(loop, self))) {
        return OBV_E_BUSY;
    }
    size_t called = 0;
    bool is_special = OBV__UNLIKELY(obv__loop_is_special(loop));
    if (is_special ? begin_specially(loop, self)
                   : !obv__coalescing_is_idle(&loop->set)) {
        called = is_special && (obv__loop_inbound_count(loop) != 0 ||
                                obv__is_traced())
                     ? drain_cycle(loop, self, SIZE_MAX)
                     : drain_plainly(loop, self);
    }
    leave_drain(loop, self);
    return (ptrdiff_t)called;
}

ptrdiff_t obv_loop_drain_some(struct obv_loop *loop, size_t limit)
{
    /* The answer has no room for more. */
    return limit >= PTRDIFF_MAX ? obv_loop_drain(loop)
                                : drain_anyhow(loop, limit);
}

static bool is_to_be_called(struct obv__coalescing_item *item)
{
    return obv__item_is_pending(obv__item_word(item)) &&
           !obv__has_state(obv__of_item(item), OBV__CANCELLED);
}

size_t obv_loop_pending(const struct obv_loop *loop)
{
    return loop ? obv__coalescing_pending(&loop->set, is_to_be_called) +
                      obv__loop_inbound_count(loop)
                : 0;
}

/* The end ----------------------------------------------------------------- */

static void end_loop(struct obv_loop *loop, struct obv__thread *self,
                     enum obv__loop_taken taken)
{
    struct reported first;
    /* Seq_cst, both, in this order: pairs with obv__loop_is_special() and
       obv__loop_has_ended() after a push. */
    obv__exchange_seq_cst(&loop->special, 1);
    obv__exchange_seq_cst(&loop->ended, 1);
    drop_all(loop, self, &first);
    if (first.is_any) {
        report_of_loop(loop, OBV_DIAGNOSTIC_LOOP_DESTROYED,
                       "a loop was destroyed with calls pending", &first);
    }
    /* Relaxed: a thread that retires a watcher of the loop and does not see
       this has done so before our flush. */
    obv__fetch_add_relaxed(&loop->context->ended_loops, 1);
    unlist(loop);
    if (taken == OBV__TAKEN) {
        let_go_ended(loop);
    } else {
        loop->destroyed = true; /* the drain under way lets go of it */
    }
}

enum obv_status obv_loop_destroy(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_self();
    if (!loop || loop == loop->context->loop) {
        return OBV_E_ARGUMENT;
    }
    if (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)) {
        return OBV_E_THREAD;
    }
    enum obv__loop_taken taken = obv__loop_take(loop, self);
    if (taken == OBV__BUSY) {
        return OBV_E_BUSY;
    }
    if (obv__loop_has_ended(loop)) {
        if (taken == OBV__TAKEN) {
            give_back_ended(loop);
        }
        return OBV_E_ENDED;
    }
    end_loop(loop, self, taken);
    return OBV_OK;
}

uint64_t obv__loops_called(struct obv_context *context)
{
    obv__lock_enter(&context->lists);
    uint64_t called = obv__load_relaxed(&context->called);
    for (struct obv_loop *loop = context->loops; loop; loop = loop->next) {
        called += obv__load_relaxed(&loop->called);
    }
    obv__lock_leave(&context->lists);
    return called;
}

void obv__loop_destroy_any(struct obv_loop *loop)
{
    unlist(loop);
    free_loop(loop);
}
