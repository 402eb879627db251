/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders, whatever carries their values: which end is to be set, when, and
 * from what stamp. What carries values of C from one to the other is in bind.c.
 *
 * A binder has an observation of each end, with values, for which each set is a
 * change. That of a source is delivered by the loop of the target, which
 * belongs to whoever may set the target; that of the target by the loop of the
 * source. So what is carried was copied where it was set, and is stored where
 * it may be. What an end holds is as new as the last stamp that its observation
 * has gathered.
 *
 * Of several sources the carrier keeps the last values, which are carried
 * together by a call of a further observation, behind those that wait with it.
 * They are as new as the newest of them. One that is no newer may come behind
 * that, by another loop, or from the same set on another way. So what a binder
 * has set an end to itself it sets again, as of the same stamp, if it makes
 * another value now; and so do those that carry that on. In a ring of such
 * values there is a limit to this.
 */
#include "dispatch/change_records.h"
#include "dispatch/delivery_inline.h"
#include "dispatch/loop.h"
#include "edit/edit.h"
#include "model/above.h"
#include "model/context.h"
#include "model/copy.h"
#include "model/slot.h"
#include "model/value.h"
#include "observe/observation.h"
#include "path/path.h"
#include "platform/exception.h"
#include "wiring/matcher.h"
#include "wiring/place.h"

#include <observable/binder.h>
#include <observable/component.h>

/* An end, and the observation of it. */
struct bound {
    struct obv_handler_kind kind; /* the first: who is called finds us by it */
    struct obv_binder *binder;
    struct obv_observation *handle;
    const struct obv_object *object; /* to be compared with one that lives; any
                                        thread; NULL: it has died */
    bool is_any_thread; /* it is a property that any thread may set */
    bool is_of_same;    /* the other end is set by whoever owns this one */
    /* Any thread. */
    uint64_t carried; /* the stamp of what was carried to it last; 0: nothing */
    uint8_t is_early; /* it was called while the binder was being made, and is
                         to be called once more */
    /* Of the loop that sets the end. */
    uint64_t stored; /* the stamp of what the binder has set it to */
    uint32_t again;  /* how often it has set that again */
};

/* Its memory is retired, since obv_cut_off() may look at it still. */
struct obv_binder {
    struct obv__sized sized;
    struct obv_context *context;
    struct obv_carrier *carrier;
    struct bound start; /* without a path: called by hand, as the binder begins,
                           and for what is carried together */
    size_t count;       /* of the sources */
    bool is_two_way;
    bool is_moving;    /* the target's path has several elements */
    bool keeps_values; /* they may be carried again, or are together */
    /* Of the target's loop, and of who begins the binder before that. */
    uint64_t newest;        /* the stamp of the newest value */
    struct obv_value first; /* of a source whose values are not kept: what is
                               carried as the binder begins */
    /* Any thread. */
    uint64_t made_by;    /* the thread that is about to carry the first value,
                            and alone may carry; or: */
    uint32_t references; /* the program's, and of each observation */
    uint8_t has_ended;
    uint8_t has_lost_source; /* and ends once it is not due */
    uint8_t is_due;          /* to be called at `start`, for what was set */
    struct bound ends[];     /* the sources, then the target */
};

#define NOT_MADE 0          /* what is constant is not all there */
#define IS_MADE  UINT64_MAX /* any thread may carry */

enum { SOURCE }; /* the first of them, and the one that may be set */

/* A ring is told if what one set makes of a property has changed so often. */
enum { AGAIN_LIMIT = 1000 };

/* The observer of the ends that are set, by which they are found. */
static const char set_by_binder;

/* Ends --------------------------------------------------------------------- */

static size_t target_of(const struct obv_binder *binder)
{
    return binder->count;
}

static void drop_reference(struct obv_binder *binder)
{
    /* Acquire and release: the last has everybody's uses behind it. */
    if (obv__fetch_add_acq_rel(&binder->references, (uint32_t)-1) != 1) {
        return;
    }
    obv__value_drop(binder->context, &binder->first);
    for (size_t i = 0; i <= target_of(binder); i++) {
        obv_release(binder->ends[i].handle);
    }
    obv_release(binder->start.handle);
    binder->carrier->dispose(binder->carrier,
                             obv__load_acquire(&binder->made_by) != NOT_MADE);
    obv__retire(&binder->context->retired, &binder->sized.retired,
                OBV__RETIRED_SIZED);
}

static void stop_ends(struct obv_binder *binder)
{
    for (size_t i = 0; i <= target_of(binder); i++) {
        obv_stop(binder->ends[i].handle);
    }
    obv_stop(binder->start.handle);
}

/* Until the binder is made its handles are being written, and who begins it
   stops them. Both say what they have done before they look at what the other
   has, in the order of all such operations: so one of them sees it. */
static void stop_all(struct obv_binder *binder)
{
    (void)obv__exchange_seq_cst(&binder->has_ended, (uint8_t)1);
    if (obv__load_seq_cst(&binder->made_by) != NOT_MADE) {
        stop_ends(binder);
    }
}

static struct bound *bound_of(const struct obv_handler_kind *kind)
{
    return (struct bound *)(uintptr_t)kind;
}

static bool is_stopped(const struct obv_binder *binder)
{
    return obv__load_acquire(&binder->has_ended) != 0;
}

/* Who carries what is due looks for a lost source behind that. Both say what
   they have done before they look at what the other has, in the order of all
   such operations: so one of them sees it. */
static void stop_unless_due(struct obv_binder *binder)
{
    if (!obv__load_seq_cst(&binder->is_due)) {
        stop_all(binder);
    }
}

static void source_is_over(struct obv_binder *binder, struct bound *source)
{
    obv__store_release(&source->object, NULL);
    (void)obv__exchange_seq_cst(&binder->has_lost_source, (uint8_t)1);
    stop_unless_due(binder);
}

/* With one of its observations the binder is over, but that which begins it may
   have done so. Where all are being stopped that is not begun again, one inside
   the other. */
static void end_is_over(const struct obv_handler_kind *kind, void *observer)
{
    struct bound *bound = bound_of(kind);
    struct obv_binder *binder = bound->binder;
    (void)observer;
    if (bound != &binder->start && !is_stopped(binder)) {
        if (bound == &binder->ends[target_of(binder)]) {
            stop_all(binder);
        } else {
            source_is_over(binder, bound);
        }
    }
    drop_reference(binder);
}

void obv_unbind(struct obv_binder *binder)
{
    if (binder) {
        stop_all(binder);
        drop_reference(binder);
    }
}

bool obv_binder_has_ended(const struct obv_binder *binder)
{
    bool ended =
        is_stopped(binder) || obv__load_acquire(&binder->has_lost_source);
    /* One that was cut off hears of it from the next drain. */
    for (size_t i = 0; !ended && i <= target_of(binder); i++) {
        ended = binder->ends[i].handle && obv_has_ended(binder->ends[i].handle);
    }
    return ended;
}

/* Carrying ----------------------------------------------------------------- */

static struct obv__change_records *records_of(const struct bound *bound)
{
    return obv__change_records_of((struct obv__watcher *)(void *)bound->handle);
}

/* The object of an end, held; NULL: it is at its end. */
static struct obv_object *hold_end(struct obv__thread *self,
                                   const struct bound *end,
                                   void (**release)(struct obv_object *))
{
    struct obv_object *root = NULL;
    obv__epoch_enter(self);
    struct obv__watcher *pair =
        obv__pair_next((struct obv__watcher *)(void *)end->handle, NULL);
    if (pair) {
        root = obv__hold_root_as(self, pair, OBV__IS_ANY, release);
    }
    obv__epoch_leave(self);
    return root;
}

/* What an end holds may be yet to be computed, here, where it belongs: then its
   observation is told of that, and so when it was set. */
static void bring_up_to_date(struct obv__thread *self, const struct bound *end)
{
    obv__epoch_enter(self);
    obv__above.settle(self, (struct obv__watcher *)(void *)end->handle);
    obv__epoch_leave(self);
}

static void tell_failure(const struct obv_binder *binder, const char *text)
{
    const struct obv_diagnostic diagnostic = {.kind = OBV_DIAGNOSTIC_BINDER,
                                              .text = text,
                                              .label = binder->carrier->label,
                                              .file = binder->carrier->file,
                                              .line = binder->carrier->line};
    obv__diagnose(binder->context, &diagnostic);
}

static struct obv__last_stamps stamps_of(const struct bound *bound)
{
    return obv__change_records_last(records_of(bound));
}

/* Whether an end has not been set since its path leads to another object. */
static bool end_has_moved(const struct obv__last_stamps *stamps)
{
    return stamps->moved == stamps->given;
}

/* One value on its way. */
struct obv_carrying {
    struct obv_binder *binder;
    struct bound *end; /* that is to be set */
    uint64_t stamp;    /* when it was set where it comes from */
    enum obv_carry decided;
    bool is_corrected;
    struct obv_stamp carried; /* once it is to be set */
};

static bool is_to_source(const struct obv_carrying *carrying)
{
    return carrying->end !=
           &carrying->binder->ends[target_of(carrying->binder)];
}

/* Whether the value comes from an end whose path alone has changed. */
static bool source_has_moved(const struct obv_carrying *carrying)
{
    const struct obv_binder *binder = carrying->binder;
    size_t from = is_to_source(carrying) ? target_of(binder) : SOURCE;
    const struct obv__last_stamps stamps = stamps_of(&binder->ends[from]);
    return binder->count == 1 && end_has_moved(&stamps);
}

/* Both have the stamp. Where nothing but the path has changed, the other end
   counts; where both paths have, the source. */
static enum obv_carry decide_equal(const struct obv_carrying *carrying,
                                   bool to_has_moved)
{
    const struct bound *end = carrying->end;
    if (source_has_moved(carrying) &&
        (!to_has_moved || is_to_source(carrying))) {
        return OBV_CARRY_NOTHING;
    }
    bool is_own = end->stored == carrying->stamp && end->again < AGAIN_LIMIT;
    return to_has_moved ? OBV_CARRY_SET
           : is_own     ? OBV_CARRY_AGAIN
                        : OBV_CARRY_COMPARE;
}

/* Nothing if the other end was set later. Of a binder that sets the target alone
   that is not so if only the path to it has changed. */
static enum obv_carry decide(const struct obv_carrying *carrying)
{
    const struct obv_binder *binder = carrying->binder;
    const struct obv__last_stamps stamps = stamps_of(carrying->end);
    bool is_moved = end_has_moved(&stamps);
    uint64_t held = binder->is_two_way || !binder->is_moving ? stamps.greatest
                    : is_moved                               ? 0
                                                             : stamps.given;
    return is_stopped(binder) || held > carrying->stamp ? OBV_CARRY_NOTHING
           : held == carrying->stamp ? decide_equal(carrying, is_moved)
                                     : OBV_CARRY_SET;
}

static bool may_store(const struct obv_carrying *carrying)
{
    return carrying->decided == OBV_CARRY_SET ||
           carrying->decided == OBV_CARRY_AGAIN;
}

enum obv_carry obv_carry_decide(struct obv_carrying *carrying)
{
    struct bound *end = carrying->end;
    carrying->decided = decide(carrying);
    if (may_store(carrying)) {
        end->again = carrying->decided == OBV_CARRY_AGAIN ? end->again + 1 : 0;
        end->stored = carrying->stamp;
        obv_stamp_begin(&carrying->carried, carrying->stamp);
    }
    return carrying->decided;
}

/* What is not to be set now is kept for where the target's path leads next. Of two
   ways it is asked before a function is called, which would be for nothing, and
   before the value is noted as carried; and then again (obv_carry_decide()), since
   the function may have set the end. */
static bool is_of_use(const struct obv_carrying *carrying)
{
    const struct obv_binder *binder = carrying->binder;
    return !is_stopped(binder) &&
           (!binder->is_two_way || decide(carrying) != OBV_CARRY_NOTHING);
}

/* The stamp by which the end knows what was carried to it. */
static void note_set(struct bound *bound, uint64_t stamp)
{
    const struct obv__last_stamps stamps = stamps_of(bound);
    if (!bound->is_any_thread && stamps.given == stamp) {
        obv__store_release(&bound->carried, stamps.greatest);
    }
}

void obv_carry_corrected(struct obv_carrying *carrying)
{
    carrying->is_corrected = true;
}

/* What stands at an end is told once more, as a set of an equal value. */
static void tell_what_stands(const struct bound *end, struct obv_object *root)
{
    struct obv_place place;
    if (!obv__place_find_property(root, records_of(end)->path, &place)) {
        return;
    }
    const struct obv_property *property = place.line;
    uint64_t scalar;
    const struct obv_detail_set set = {
        .old = property->custom
                   ? NULL
                   : obv__property_stored(place.object, property, &scalar),
        .is_same = true};
    obv__edit_set(place.object, place.property, &set);
    obv_place_leave(&place);
}

/* The end's own code has made another value of what was stored: a set right
   behind that one, unless there is a newer one. */
static void tell_correction(const struct obv_carrying *carrying,
                            struct obv_object *root)
{
    const struct bound *end = carrying->end;
    bring_up_to_date(obv__thread_self(), end);
    const struct obv__last_stamps stamps = stamps_of(end);
    uint64_t last =
        stamps.greatest > carrying->stamp ? stamps.greatest : carrying->stamp;
    uint64_t stamp = obv__stamp_behind(last);
    if (obv__stamp_is_of_later_set(stamps.given, carrying->stamp)) {
        return;
    }
    if (stamp == 0) {
        tell_failure(carrying->binder, "a ring of binders corrects one set "
                                       "without end: what stands stays");
        return;
    }
    struct obv_stamp corrected;
    obv_stamp_begin(&corrected, stamp);
    tell_what_stands(end, root);
    obv_stamp_end(&corrected);
}

/* A value is stored. Another thread may have set the end later than what is
   carried, and that may have been stored over it. Behind the store: whoever has
   carried the other's value has seen that before, and we see its stamp. */
static void end_set(struct obv_carrying *carrying, struct obv_object *root)
{
    struct bound *end = carrying->end;
    obv_stamp_end(&carrying->carried);
    note_set(end, carrying->stamp);
    if (end->is_any_thread && stamps_of(end).greatest > carrying->stamp) {
        tell_what_stands(end, root);
    } else if (carrying->is_corrected) {
        tell_correction(carrying, root);
    }
}

/* Sets an end to what a value becomes; NULL: what is kept. */
static void set_end(struct obv_carrying *carrying,
                    const struct obv_value *value)
{
    struct obv_binder *binder = carrying->binder;
    struct obv__thread *self = obv__thread_self();
    void (*release)(struct obv_object *) = NULL;
    bring_up_to_date(self, carrying->end);
    struct obv_object *root =
        is_of_use(carrying) ? hold_end(self, carrying->end, &release) : NULL;
    if (!root) {
        return;
    }
    obv__store_release(&carrying->end->carried, carrying->stamp);
    OBV__NO_EXCEPTION_LEAVES();
    enum obv_status status = binder->carrier->carry(
        binder->carrier, carrying, is_to_source(carrying), value, root);
    if (may_store(carrying)) {
        end_set(carrying, root);
    }
    if (release) {
        release(root);
    }
    if (status != OBV_OK) {
        tell_failure(binder,
                     carrying->decided == OBV_CARRY_COMPARE
                         ? "a ring of binders makes different values of one "
                           "set: the first stays"
                         : obv_status_text(status));
    }
}

/* What an end was set to is carried to the other, unless it has come from
   there. */
static void carry_from(struct obv_binder *binder, size_t from,
                       const struct obv_value *value, uint64_t stamp)
{
    size_t to = from == target_of(binder) ? SOURCE : target_of(binder);
    struct obv_carrying carrying = {
        .binder = binder, .end = &binder->ends[to], .stamp = stamp};
    if (obv__load_acquire(&binder->ends[from].carried) != stamp) {
        set_end(&carrying, value);
    }
}

static void schedule_start(struct obv_binder *binder)
{
    (void)obv__exchange_seq_cst(&binder->is_due, (uint8_t)1);
    obv_schedule(binder->start.handle);
}

/* Of several sources: with the others, behind what waits with it. */
static void source_was_set(struct obv_binder *binder, size_t source,
                           struct obv_value *value, uint64_t stamp)
{
    if (binder->keeps_values) {
        enum obv_status status =
            binder->carrier->keep(binder->carrier, source, value);
        if (status != OBV_OK) {
            tell_failure(binder, obv_status_text(status));
            return;
        }
        value = NULL;
    }
    if (binder->count == 1) {
        carry_from(binder, SOURCE, value, stamp);
        return;
    }
    binder->newest = stamp > binder->newest ? stamp : binder->newest;
    schedule_start(binder);
}

static void end_has(struct obv_binder *binder, size_t end,
                    struct obv_value *value, uint64_t stamp)
{
    if (end == target_of(binder)) {
        carry_from(binder, end, value, stamp);
    } else {
        source_was_set(binder, end, value, stamp);
    }
}

/* The same of what stands at an end now, which any thread may read: of two
   threads that have set it, who has the later stamp need not have stored
   last. */
static void end_has_present(struct obv_binder *binder, size_t end,
                            struct obv_object *root, uint64_t stamp)
{
    struct obv_value present;
    const struct obv_path *path = records_of(&binder->ends[end])->path;
    if (obv_value_at_compiled(root, path, &present, NULL) == OBV_OK) {
        end_has(binder, end, &present, stamp);
        obv__value_drop(binder->context, &present);
    } else {
        tell_failure(binder, obv_status_text(OBV_E_MEMORY));
    }
}

static void carry_call(struct obv_binder *binder, struct bound *bound,
                       struct obv_object *root, const struct obv_call *call)
{
    size_t end = (size_t)(bound - binder->ends);
    /* Called by hand, or there was no memory for what the end was set to. */
    bool is_unknown = !call->cause;
    /* A call before may have taken the last change along. */
    bool is_again = obv__exchange_seq_cst(&bound->is_early, (uint8_t)0) != 0;
    uint64_t stamp = is_unknown || is_again ? obv_last_stamp(bound->handle)
                                            : call->cause->stamp;
    if (bound->is_any_thread || (is_unknown && bound->is_of_same)) {
        end_has_present(binder, end, root, stamp);
    } else if (is_unknown) {
        tell_failure(binder, obv_status_text(OBV_E_MEMORY));
    } else {
        /* Nobody but this call has it. */
        end_has(binder, end, (struct obv_value *)(uintptr_t)call->now, stamp);
    }
}

/* Of a binder that sets the target alone: its path may lead elsewhere. */
static void target_has_changed(struct obv_binder *binder)
{
    struct bound *target = &binder->ends[target_of(binder)];
    const struct obv__last_stamps stamps = stamps_of(target);
    struct obv_carrying again = {.binder = binder,
                                 .end = target,
                                 .stamp = obv__load_acquire(&target->carried)};
    if (binder->is_moving && again.stamp != 0 && end_has_moved(&stamps)) {
        set_end(&again, NULL);
    }
}

static bool may_carry(const struct obv_binder *binder)
{
    uint64_t made_by = obv__load_seq_cst(&binder->made_by);
    return made_by == IS_MADE || made_by == obv_thread_number();
}

/* A call on another thread may come before the binder is made: then it is made
   again. Who makes the binder looks for that once that is done, so one of the
   two sees what the other has stored. */
static void end_was_set(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct bound *bound = bound_of(call->kind);
    struct obv_binder *binder = bound->binder;
    (void)observer;
    if (!may_carry(binder)) {
        (void)obv__exchange_seq_cst(&bound->is_early, (uint8_t)1);
        if (!may_carry(binder)) {
            return;
        }
    }
    if (bound != &binder->ends[target_of(binder)] || binder->is_two_way) {
        carry_call(binder, bound, root, call);
    } else {
        target_has_changed(binder);
    }
}

/* The binder begins, or one of several sources was set. */
static void carry_together(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    struct obv_binder *binder = bound_of(call->kind)->binder;
    (void)observer;
    (void)root;
    (void)obv__exchange_seq_cst(&binder->is_due, (uint8_t)0);
    carry_from(binder, SOURCE, binder->keeps_values ? NULL : &binder->first,
               binder->newest);
    obv__value_drop(binder->context, &binder->first);
    if (binder->count == 1) {
        obv_stop(binder->start.handle);
    }
    if (obv__load_seq_cst(&binder->has_lost_source)) {
        stop_unless_due(binder);
    }
}

/* Beginning ---------------------------------------------------------------- */

static enum obv_status failed_at_end(size_t end, enum obv_status status,
                                     struct obv_error *error)
{
    if (status != OBV_OK && error) {
        error->index = end;
    }
    return status;
}

/* Whether it is a property of the object itself which any thread may set, and the
   object is held while it is read. */
static bool end_is_any_thread(const struct obv_compiled_end *end)
{
    const struct obv_class *cls = obv__class_of(end->object);
    uint32_t slot =
        obv_path_count(end->path) == 1
            ? obv__slot_on(obv_path_elements(end->path), end->object)
            : OBV__NO_SLOT;
    return slot <= OBV__SLOT_LAST && cls->retain &&
           (obv__slot_flags(cls, slot) & OBV_ANY_THREAD);
}

static enum obv_status
observe_as(struct obv_binder *binder, struct bound *bound,
           const struct obv_compiled_pair *pair, const void *observer,
           const struct obv_observe_options *options, struct obv_error *error)
{
    bound->kind.dispose = end_is_over;
    bound->kind.label = binder->carrier->label;
    bound->kind.file = binder->carrier->file;
    bound->kind.line = binder->carrier->line;
    bound->binder = binder;
    /* Before it begins, since it may be over at once. Relaxed: this thread has
       a reference. */
    obv__fetch_add_relaxed(&binder->references, 1u);
    enum obv_status status =
        obv_observe_compiled(pair, 1, &bound->kind, (void *)(uintptr_t)observer,
                             options, &bound->handle, error);
    if (status != OBV_OK) {
        obv__fetch_add_relaxed(&binder->references, (uint32_t)-1);
    }
    return status;
}

/* The sources and the target, which are looked at by number. */
static const struct obv_compiled_end *
end_at(const struct obv_compiled_end *sources, size_t count,
       const struct obv_compiled_end *target, size_t i)
{
    return i == count ? target : &sources[i];
}

/* Who is told may set the other end; of a target that is only looked at,
   itself. */
static struct obv_observe_options
options_of_end(const struct obv_compiled_end *sources, size_t count,
               const struct obv_compiled_end *target, bool is_two_way, size_t i)
{
    return (struct obv_observe_options){
        .size = sizeof(struct obv_observe_options),
        .loop = i == count && is_two_way ? sources[SOURCE].loop : target->loop,
        .flags = OBV_VALUES | OBV_TOKEN,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
}

/* The target first, whose stamps are asked for as soon as there is a source. */
static enum obv_status observe_ends(struct obv_binder *binder,
                                    const struct obv_compiled_end *sources,
                                    const struct obv_compiled_end *target,
                                    struct obv_error *error)
{
    size_t count = binder->count;
    enum obv_status status = OBV_OK;
    for (size_t i = count; status == OBV_OK && i <= count; i--) {
        const struct obv_compiled_end *end = end_at(sources, count, target, i);
        const struct obv_compiled_pair pair = {end->object, end->path};
        struct bound *bound = &binder->ends[i];
        bool is_set = i == count || binder->is_two_way;
        const struct obv_observe_options options =
            options_of_end(sources, count, target, binder->is_two_way, i);
        bound->kind.changed = end_was_set;
        bound->is_any_thread = end_is_any_thread(end);
        bound->is_of_same =
            sources[i == count ? SOURCE : i].loop == target->loop &&
            obv__class_of(end->object)->retain;
        status = failed_at_end(i,
                               observe_as(binder, bound, &pair,
                                          is_set ? &set_by_binder : NULL,
                                          &options, error),
                               error);
    }
    return status;
}

/* The target's loop carries the first value, if it is not carried right here. */
static enum obv_status observe_start(struct obv_binder *binder,
                                     const struct obv_compiled_end *target,
                                     struct obv_error *error)
{
    const struct obv_compiled_pair pair = {target->object, NULL};
    const struct obv_observe_options options = {
        .size = sizeof options, .loop = target->loop, .flags = OBV_TOKEN};
    binder->start.kind.changed = carry_together;
    return failed_at_end(
        binder->count,
        observe_as(binder, &binder->start, &pair, NULL, &options, error),
        error);
}

static enum obv_status read_source(struct obv_binder *binder, size_t i,
                                   const struct obv_compiled_end *source,
                                   struct obv_error *error)
{
    binder->newest = obv__stamp_next();
    obv__change_records_begin_at(records_of(&binder->ends[i]), binder->newest);
    enum obv_status status = obv_value_at_compiled(source->object, source->path,
                                                   &binder->first, error);
    if (status == OBV_OK && binder->keeps_values) {
        status = binder->carrier->keep(binder->carrier, i, &binder->first);
        obv__value_drop(binder->context, &binder->first);
    }
    return failed_at_end(i, status, error);
}

/* All ends are observed: what is set from here on has a later stamp. */
static enum obv_status read_first(struct obv_binder *binder,
                                  const struct obv_compiled_end *sources,
                                  struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    obv__change_records_begin_at(records_of(&binder->ends[target_of(binder)]),
                                 obv__stamp_next());
    for (size_t i = 0; status == OBV_OK && i < binder->count; i++) {
        status = read_source(binder, i, &sources[i], error);
    }
    return status;
}

static void call_again(struct bound *bound)
{
    if (!obv__load_seq_cst(&bound->is_early)) {
        return;
    }
    if (bound->is_any_thread || bound->is_of_same) {
        obv_schedule(bound->handle);
    } else {
        /* What it is now is not ours to read there. */
        tell_failure(bound->binder, obv_status_text(OBV_E_BUSY));
    }
}

/* The binder may be given back meanwhile. */
static void begin_carrying(struct obv_binder *binder)
{
    obv__fetch_add_relaxed(&binder->references, 1u);
    (void)obv__exchange_seq_cst(&binder->made_by, obv_thread_number());
    if (obv__load_seq_cst(&binder->has_ended)) {
        stop_ends(binder);
    }
    bool is_due =
        binder->carrier->begins_on_loop || !obv_execute(binder->start.handle);
    (void)obv__exchange_seq_cst(&binder->made_by, IS_MADE);
    if (is_due) {
        schedule_start(binder);
    }
    for (size_t i = 0; i <= target_of(binder); i++) {
        call_again(&binder->ends[i]);
    }
    drop_reference(binder);
}

static size_t binder_size(size_t count)
{
    return sizeof(struct obv_binder) + (count + 1) * sizeof(struct bound);
}

static struct obv_binder *create_binder(const struct obv_compiled_end *sources,
                                        size_t count,
                                        const struct obv_compiled_end *target,
                                        struct obv_carrier *carrier)
{
    struct obv_context *context =
        obv__class_of(sources[SOURCE].object)->context;
    struct obv_binder *binder =
        obv__context_allocate_zeroed(context, binder_size(count));
    if (!binder) {
        return NULL;
    }
    binder->sized.size = binder_size(count);
    binder->context = context;
    binder->carrier = carrier;
    binder->count = count;
    binder->is_two_way = carrier->is_two_way;
    binder->is_moving = obv_path_count(target->path) > 1;
    binder->keeps_values =
        count > 1 || (binder->is_moving && !binder->is_two_way);
    binder->first.kind = OBV_KIND_unreachable;
    for (size_t i = 0; i <= count; i++) {
        binder->ends[i].object = end_at(sources, count, target, i)->object;
    }
    binder->references = 1;
    return binder;
}

enum obv_status obv_bind_check_compiled(const struct obv_compiled_end *sources,
                                        size_t count,
                                        const struct obv_compiled_end *target,
                                        const struct obv_carrier *carrier,
                                        struct obv_error *error)
{
    static const struct obv_handler_kind kind = {.changed = end_was_set};
    enum obv_status status = OBV_OK;
    if (count == 0 || (count > 1 && carrier->is_two_way)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a binder has one source, or goes one way and has "
                         "several");
    }
    for (size_t i = 0; status == OBV_OK && i <= count; i++) {
        const struct obv_compiled_end *end = end_at(sources, count, target, i);
        const struct obv_compiled_pair pair = {end->object, end->path};
        const struct obv_observe_options options =
            options_of_end(sources, count, target, carrier->is_two_way, i);
        status = obv__check_object(end->object, error);
        if (status == OBV_OK) {
            status = obv__observe_check(&pair, &kind, NULL, &options, error);
        }
        status = failed_at_end(i, status, error);
    }
    return status;
}

enum obv_status obv_bind_compiled(const struct obv_compiled_end *sources,
                                  size_t count,
                                  const struct obv_compiled_end *target,
                                  struct obv_carrier *carrier,
                                  struct obv_binder **made,
                                  struct obv_error *error)
{
    enum obv_status status =
        obv_bind_check_compiled(sources, count, target, carrier, error);
    if (status != OBV_OK) {
        carrier->dispose(carrier, false);
        return status;
    }
    struct obv_binder *binder = create_binder(sources, count, target, carrier);
    if (!binder) {
        carrier->dispose(carrier, false);
        return obv__fail(error, OBV_E_MEMORY, NULL);
    }
    status = observe_ends(binder, sources, target, error);
    status = status ? status : observe_start(binder, target, error);
    status = status ? status : read_first(binder, sources, error);
    if (status != OBV_OK) {
        stop_ends(binder);
        drop_reference(binder);
        return status;
    }
    *made = binder;
    begin_carrying(binder);
    return OBV_OK;
}

/* Cutting off -------------------------------------------------------------- */

/* Whether the binder of an end that is set has this object at another one. */
static bool is_set_from(const void *source, const struct obv_handler_kind *kind)
{
    const struct bound *bound = bound_of(kind);
    const struct obv_binder *binder = bound->binder;
    bool is_from = false;
    for (size_t i = 0; i <= target_of(binder); i++) {
        is_from |=
            &binder->ends[i] != bound &&
            (const void *)obv__load_acquire(&binder->ends[i].object) == source;
    }
    return is_from;
}

enum obv_status obv_cut_off_compiled(struct obv_object *object,
                                     const struct obv_path *path,
                                     const struct obv_object *source)
{
    return obv__stop_wanted(object, &set_by_binder, path,
                            source ? is_set_from : NULL, source);
}
