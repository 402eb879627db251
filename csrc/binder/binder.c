/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders: which end is set, when, and from what stamp, whatever carries the
 * values. The carrier of C values is in Sources/CObservableBinder/bind.c.
 *
 * A binder observes each end, with values; each set is a change. A source is
 * observed by the loop of the target, which belongs to the owner of the target,
 * and the target by the loop of the source. So a value is copied on the thread
 * that has set it, and stored on the thread that may store it. An end is as new
 * as the last stamp that its observation has gathered; a value that is no newer
 * is not stored there.
 *
 * Every call does the same: it keeps the value of its end, and carries what is
 * due. Of several sources, values are kept one by one and carried together by a
 * further observation (`start`), which is called after the others that wait.
 * Together they are as new as the newest of them. A source that comes later
 * with no newer stamp, by another loop or from the same set, makes them newer
 * by one step (obv__stamp_behind()); the number of steps is limited.
 */
#include "dispatch/change_records.h"
#include "dispatch/delivery_inline.h"
#include "dispatch/loop.h"
#include "edit/edit.h"
#include "model/context.h"
#include "model/copy.h"
#include "model/value.h"
#include "observe/observation.h"
#include "platform/exception.h"
#include "platform/lock.h"
#include "computed/place.h"

#include <observable/binder.h>
#include <observable/component.h>

/* An end, and the observation of it. */
struct bound {
    struct obv_handler_kind kind; /* stands first: calls find the end by it */
    struct obv_binder *binder;
    struct obv_observation *handle;
    const struct obv_object *object; /* an address to compare with, no more; any
                                        thread; NULL: it has died */
    uint64_t carried; /* the stamp of what was carried to it last; any thread */
    bool is_kept;     /* a value of it was kept; under the lock */
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
    bool is_moving;      /* one-way, and the target's path has several elements:
                            it may come to lead to another object */
    uint32_t references; /* the program's and each observation's; any thread */
    struct obv__lock lock;
    /* Under the lock. */
    uint64_t made_by; /* NOT_MADE: values are kept, and none is carried; the
                         number of the thread that is about to carry the first
                         one, and carries alone; or IS_MADE */
    bool has_ended;
    bool has_lost_source; /* and ends once nothing is due */
    struct way {
        uint64_t stamp; /* of the newest value that was kept */
        bool is_due;
    } ways[2]; /* to the target, and back */
    /* The value kept of each end. Under the lock until the binder is made, then
       of the thread that sets the other end. */
    struct obv_value *values;
    struct bound ends[]; /* the sources, then the target */
};

enum { SOURCE }; /* the first of them, and the one that may be set */
enum { FORTH, BACK };

#define NOT_MADE 0
#define IS_MADE  UINT64_MAX

/* The observer of every end that may be set: obv_cut_off_compiled() finds the
   observations by it. */
static const char set_by_binder;

/* Ends --------------------------------------------------------------------- */

static struct bound *target_of(struct obv_binder *binder)
{
    return &binder->ends[binder->count];
}

static struct bound *bound_of(const struct obv_handler_kind *kind)
{
    return (struct bound *)(uintptr_t)kind;
}

static void drop_reference(struct obv_binder *binder)
{
    /* Acquire and release: the last has everybody's uses behind it. */
    if (obv__fetch_add_acq_rel(&binder->references, (uint32_t)-1) != 1) {
        return;
    }
    for (size_t i = 0; i <= binder->count; i++) {
        obv__value_drop(binder->context, &binder->values[i]);
        obv_release(binder->ends[i].handle);
    }
    obv_release(binder->start.handle);
    binder->carrier->dispose(binder->carrier, binder->made_by != NOT_MADE);
    obv__retire(&binder->context->retired, &binder->sized.retired,
                OBV__RETIRED_SIZED);
}

static void stop_ends(struct obv_binder *binder)
{
    for (size_t i = 0; i <= binder->count; i++) {
        obv_stop(binder->ends[i].handle);
    }
    obv_stop(binder->start.handle);
}

/* Ends a binder. While it is being made its handles are still written: then
   begin_carrying() stops its ends. */
static void stop_all(struct obv_binder *binder)
{
    obv__lock_enter(&binder->lock);
    bool is_first = !binder->has_ended;
    binder->has_ended = true;
    bool is_made = binder->made_by != NOT_MADE;
    obv__lock_leave(&binder->lock);
    if (is_first && is_made) {
        stop_ends(binder);
    }
}

/* An observation has ended, and the binder with it: if it is one of a source,
   after what is due was carried. */
static void end_is_over(const struct obv_handler_kind *kind, void *observer)
{
    struct bound *bound = bound_of(kind);
    struct obv_binder *binder = bound->binder;
    bool is_source = bound != target_of(binder);
    (void)observer;
    if (bound != &binder->start) {
        obv__store_release(&bound->object, NULL);
        obv__lock_enter(&binder->lock);
        binder->has_lost_source |= is_source;
        bool waits = is_source && binder->ways[FORTH].is_due;
        obv__lock_leave(&binder->lock);
        if (!waits) {
            stop_all(binder);
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

/* `or_will`: also if a source is lost, and only what is due is carried
   still. */
static bool has_ended(const struct obv_binder *binder, bool or_will)
{
    struct obv__lock *lock = (struct obv__lock *)(uintptr_t)&binder->lock;
    obv__lock_enter(lock);
    bool ended = binder->has_ended || (or_will && binder->has_lost_source);
    obv__lock_leave(lock);
    return ended;
}

bool obv_binder_has_ended(const struct obv_binder *binder)
{
    bool ended = has_ended(binder, true);
    /* A binder that was cut off hears of it from the next drain. */
    for (size_t i = 0; !ended && i <= binder->count; i++) {
        ended = binder->ends[i].handle && obv_has_ended(binder->ends[i].handle);
    }
    return ended;
}

/* Carrying ----------------------------------------------------------------- */

static struct obv__change_records *records_of(const struct bound *bound)
{
    return obv__change_records_of((struct obv__watcher *)(void *)bound->handle);
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

/* The value of an end may still have to be computed, on this thread, which owns
   it. Its observation then gathers the stamp that says how new the value is. */
static void bring_up_to_date(struct obv__thread *self, const struct bound *end)
{
    obv__epoch_enter(self);
    obv__settle(self, (struct obv__watcher *)(void *)end->handle);
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

/* The carrying of a value to an end. */
struct obv_carrying {
    struct obv_binder *binder;
    struct bound *end; /* that is to be set */
    uint64_t stamp;    /* of the set that the value comes from */
    bool is_back;
    bool is_decided; /* the end is to be set */
    bool is_corrected;
    struct obv_stamp carried;
};

/* Whether what is carried is newer than the end. If a binder `is_moving`, it is
   newer than a target not set since its path came to the present object. If one
   set has moved the paths of both ends, the source counts as newer. */
static bool is_newer(const struct obv_carrying *carrying)
{
    struct obv_binder *binder = carrying->binder;
    const struct obv__last_stamps stamps = stamps_of(carrying->end);
    bool is_moved = end_has_moved(&stamps);
    uint64_t held = !binder->is_moving ? stamps.greatest
                    : is_moved         ? 0
                                       : stamps.given;
    return held < carrying->stamp ||
           (held == carrying->stamp && is_moved && !carrying->is_back);
}

bool obv_carry_decide(struct obv_carrying *carrying)
{
    carrying->is_decided =
        !has_ended(carrying->binder, false) && is_newer(carrying);
    if (carrying->is_decided) {
        obv_stamp_begin(&carrying->carried, carrying->stamp);
    }
    return carrying->is_decided;
}

static const char without_end[] =
    "a ring of binders corrects one set without end: what stands stays";

void obv_carry_corrected(struct obv_carrying *carrying)
{
    carrying->is_corrected = true;
}

/* Tells the value at an end once more, as a set of an equal value. */
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

/* The end's own code has made another value of the one that was stored. Tells
   that as a set right behind the one carried, unless the end was set later
   still. */
static void tell_correction(const struct obv_carrying *carrying,
                            struct obv_object *root)
{
    const struct bound *end = carrying->end;
    bring_up_to_date(obv__thread_self(), end);
    const struct obv__last_stamps stamps = stamps_of(end);
    uint64_t last =
        stamps.greatest > carrying->stamp ? stamps.greatest : carrying->stamp;
    uint64_t stamp = obv__stamp_behind(last, obv__stamp_next());
    if (obv__stamp_is_of_later_set(stamps.given, carrying->stamp)) {
        return;
    }
    if (stamp == 0) {
        tell_failure(carrying->binder, without_end);
        return;
    }
    struct obv_stamp corrected;
    obv_stamp_begin(&corrected, stamp);
    tell_what_stands(end, root);
    obv_stamp_end(&corrected);
}

/* Sets an end to the value kept of the other, if that is newer. This is asked
   before the program's function is called, to save a call, and again after it
   (obv_carry_decide()), since the function may have set the end. */
static void set_end(struct obv_carrying *carrying)
{
    struct obv_binder *binder = carrying->binder;
    struct bound *end = carrying->end;
    struct obv__thread *self = obv__thread_self();
    void (*release)(struct obv_object *) = NULL;
    bring_up_to_date(self, end);
    struct obv_object *root =
        is_newer(carrying) ? hold_end(self, end, &release) : NULL;
    if (!root) {
        return;
    }
    obv__store_release(&end->carried, carrying->stamp);
    OBV__NO_EXCEPTION_LEAVES();
    enum obv_status status = binder->carrier->carry(
        binder->carrier, carrying, carrying->is_back,
        &binder->values[carrying->is_back ? binder->count : SOURCE], root);
    if (carrying->is_decided) {
        obv_stamp_end(&carrying->carried);
        if (carrying->is_corrected) {
            tell_correction(carrying, root);
        }
    }
    if (release) {
        release(root);
    }
    if (status != OBV_OK) {
        tell_failure(binder, obv_status_text(status));
    }
}

/* Drops a value that was carried, unless it may be carried again (`is_moving`)
   or goes together with those of other sources. */
static void forget_carried(struct obv_binder *binder, int way)
{
    if (!binder->is_moving && binder->count == 1) {
        obv__lock_enter(&binder->lock);
        bool is_due = binder->ways[way].is_due;
        obv__lock_leave(&binder->lock);
        if (!is_due) {
            obv__value_drop(binder->context,
                            &binder->values[way == BACK ? 1 : SOURCE]);
        }
    }
}

/* Under the lock. */
static bool may_carry(const struct obv_binder *binder)
{
    return binder->made_by == IS_MADE || binder->made_by == obv_thread_number();
}

static void carry(struct obv_binder *binder, int way)
{
    struct obv_carrying carrying = {.binder = binder,
                                    .is_back = way == BACK,
                                    .end = way == BACK ? &binder->ends[SOURCE]
                                                       : target_of(binder)};
    obv__lock_enter(&binder->lock);
    bool is_due = may_carry(binder) && binder->ways[way].is_due;
    carrying.stamp = binder->ways[way].stamp;
    if (is_due) {
        binder->ways[way].is_due = false;
    }
    bool is_last = is_due && binder->has_lost_source;
    is_due = is_due && !binder->has_ended;
    obv__lock_leave(&binder->lock);
    if (is_due) {
        set_end(&carrying);
        forget_carried(binder, way);
    }
    if (is_last) {
        stop_all(binder);
    }
}

/* Keeps a value of an end, to be carried; if it `is_first`, only if no call has
   kept one. Of several sources, or of a property that any thread may set, a
   value that is no newer than those kept counts as set right behind them.
   False: that was done too often. */
static bool keep_value(struct obv_binder *binder, size_t end,
                       struct obv_value *value, uint64_t stamp, bool is_first)
{
    struct way *way = &binder->ways[end == binder->count ? BACK : FORTH];
    bool is_late =
        binder->count > 1 ||
        (value->property && (value->property->flags & OBV_ANY_THREAD));
    struct obv_value dropped = *value;
    obv__lock_enter(&binder->lock);
    if (!is_first || !binder->ends[end].is_kept) {
        dropped = binder->values[end];
        binder->values[end] = *value;
        binder->ends[end].is_kept = true;
        if (is_late && stamp <= way->stamp) {
            stamp = obv__stamp_behind(way->stamp, stamp);
        }
        if (stamp != 0) {
            *way = (struct way){.stamp = stamp, .is_due = true};
        }
    }
    obv__lock_leave(&binder->lock);
    if (obv_value_is_reachable(value)) {
        value->kind = OBV_KIND_unreachable;
    }
    obv__value_drop(binder->context, &dropped);
    return stamp != 0;
}

/* Keeps the value that a call has, unless the binder itself has carried it to
   this end. It is moved out of the call, since nobody else is handed the same
   one. */
static void keep_called(struct obv_binder *binder, const struct bound *bound,
                        const struct obv_call *call)
{
    if (!call->cause) {
        tell_failure(binder, obv_status_text(OBV_E_MEMORY));
    } else if (obv__load_acquire(&bound->carried) != call->cause->stamp &&
               !keep_value(binder, (size_t)(bound - binder->ends),
                           (struct obv_value *)(uintptr_t)call->now,
                           call->cause->stamp, false)) {
        tell_failure(binder, without_end);
    }
}

/* A one-way binder's target has changed: if its path leads to another object
   now, the value kept last is due again. */
static void look_where_target_leads(struct obv_binder *binder)
{
    obv__lock_enter(&binder->lock);
    bool is_made = binder->made_by != NOT_MADE;
    obv__lock_leave(&binder->lock);
    if (is_made && binder->is_moving) {
        const struct obv__last_stamps stamps = stamps_of(target_of(binder));
        obv__lock_enter(&binder->lock);
        binder->ways[FORTH].is_due |= end_has_moved(&stamps);
        obv__lock_leave(&binder->lock);
    }
}

static void end_was_set(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct bound *bound = bound_of(call->kind);
    struct obv_binder *binder = bound->binder;
    bool is_target = bound == target_of(binder);
    (void)observer;
    (void)root;
    if (is_target && !binder->is_two_way) {
        look_where_target_leads(binder);
    } else {
        keep_called(binder, bound, call);
    }
    if (binder->count > 1 && !is_target) {
        obv_schedule(binder->start.handle);
    } else {
        carry(binder, is_target && binder->is_two_way ? BACK : FORTH);
    }
}

/* Stops `start`, which a binder of one source needs only for the first value.
   False: something is due. */
static bool stop_start(struct obv_binder *binder)
{
    obv__lock_enter(&binder->lock);
    bool is_due = binder->ways[FORTH].is_due;
    bool is_over = binder->count == 1 && binder->made_by == IS_MADE && !is_due;
    obv__lock_leave(&binder->lock);
    if (is_over) {
        obv_stop(binder->start.handle);
    }
    return !is_due;
}

/* The binder begins, or one of several sources was set. */
static void carry_together(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    struct obv_binder *binder = bound_of(call->kind)->binder;
    (void)observer;
    (void)root;
    carry(binder, FORTH);
    stop_start(binder);
}

/* Beginning ---------------------------------------------------------------- */

/* `end`: for the error. */
static enum obv_status observe_as(struct obv_binder *binder,
                                  struct bound *bound,
                                  const struct obv_compiled_pair *pair,
                                  const void *observer,
                                  const struct obv_observe_options *options,
                                  size_t end, struct obv_error *error)
{
    bound->kind.dispose = end_is_over;
    bound->kind.label = binder->carrier->label;
    bound->kind.file = binder->carrier->file;
    bound->kind.line = binder->carrier->line;
    bound->binder = binder;
    /* The observation's reference, before it begins, since it may be over at
       once. Relaxed: this thread has a reference. */
    obv__fetch_add_relaxed(&binder->references, 1u);
    enum obv_status status =
        obv_observe_compiled(pair, 1, &bound->kind, (void *)(uintptr_t)observer,
                             options, &bound->handle, error);
    if (status != OBV_OK) {
        obv__fetch_add_relaxed(&binder->references, (uint32_t)-1);
    }
    return obv__failed_at(end, status, error);
}

/* The loop that observes an end is that of the end which its calls may set: the
   other end, or the target itself, if the binder is one-way. */
static struct obv_observe_options
options_of_end(const struct obv_compiled_end *ends, size_t count,
               bool is_two_way, size_t i)
{
    return (struct obv_observe_options){
        .size = sizeof(struct obv_observe_options),
        .loop = ends[i == count && is_two_way ? SOURCE : count].loop,
        .flags = OBV_VALUES | OBV_TOKEN,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
}

/* Begins `start`, in the target's loop, which carries the first value unless
   begin_carrying() does; then the target; then the sources, since a call of a
   source asks for the stamps of the target. */
static enum obv_status observe_ends(struct obv_binder *binder,
                                    const struct obv_compiled_end *ends,
                                    struct obv_error *error)
{
    size_t count = binder->count;
    const struct obv_compiled_pair start = {ends[count].object, NULL};
    const struct obv_observe_options plain = {
        .size = sizeof plain, .loop = ends[count].loop, .flags = OBV_TOKEN};
    binder->start.kind.changed = carry_together;
    enum obv_status status =
        observe_as(binder, &binder->start, &start, NULL, &plain, count, error);
    for (size_t i = count; status == OBV_OK && i <= count; i--) {
        const struct obv_compiled_pair pair = {ends[i].object, ends[i].path};
        bool is_set = i == count || binder->is_two_way;
        const struct obv_observe_options options =
            options_of_end(ends, count, binder->is_two_way, i);
        binder->ends[i].kind.changed = end_was_set;
        status = observe_as(binder, &binder->ends[i], &pair,
                            is_set ? &set_by_binder : NULL, &options, i, error);
    }
    return status;
}

/* Reads the values of the sources as the binder begins, unless a call has kept
   newer ones. All ends are observed already: a set from here on has a later
   stamp. */
static enum obv_status read_first(struct obv_binder *binder,
                                  const struct obv_compiled_end *ends,
                                  struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    obv__change_records_begin_at(records_of(target_of(binder)),
                                 obv__stamp_next());
    for (size_t i = 0; status == OBV_OK && i < binder->count; i++) {
        struct obv_value present;
        uint64_t stamp = obv__stamp_next();
        obv__change_records_begin_at(records_of(&binder->ends[i]), stamp);
        status =
            obv__failed_at(i,
                           obv_value_at_compiled(ends[i].object, ends[i].path,
                                                 &present, error),
                           error);
        if (status == OBV_OK) {
            (void)keep_value(binder, i, &present, stamp, true);
        }
    }
    return status;
}

/* Carries for the first time. This thread owns the source, so a set of the
   target meanwhile is carried back here. A reference keeps the binder: the
   program may give it back meanwhile. */
static void begin_carrying(struct obv_binder *binder)
{
    obv__fetch_add_relaxed(&binder->references, 1u);
    obv__lock_enter(&binder->lock);
    binder->made_by = obv_thread_number();
    bool is_over = binder->has_ended;
    obv__lock_leave(&binder->lock);
    if (is_over) {
        stop_ends(binder);
    }
    if (!binder->carrier->begins_on_loop) {
        (void)obv_execute(binder->start.handle);
    }
    obv__lock_enter(&binder->lock);
    binder->made_by = IS_MADE;
    obv__lock_leave(&binder->lock);
    if (!stop_start(binder)) {
        obv_schedule(binder->start.handle);
    }
    carry(binder, BACK);
    drop_reference(binder);
}

static struct obv_binder *create_binder(const struct obv_compiled_end *ends,
                                        size_t count,
                                        struct obv_carrier *carrier)
{
    struct obv_context *context = obv__class_of(ends[SOURCE].object)->context;
    size_t size =
        sizeof(struct obv_binder) +
        (count + 1) * (sizeof(struct bound) + sizeof(struct obv_value));
    struct obv_binder *binder = obv__context_allocate_zeroed(context, size);
    if (!binder) {
        return NULL;
    }
    binder->sized.size = size;
    binder->context = context;
    binder->carrier = carrier;
    binder->count = count;
    binder->is_two_way = carrier->is_two_way;
    binder->is_moving =
        !carrier->is_two_way && obv_path_count(ends[count].path) > 1;
    binder->values = (struct obv_value *)(void *)&binder->ends[count + 1];
    for (size_t i = 0; i <= count; i++) {
        binder->ends[i].object = ends[i].object;
        binder->values[i].kind = OBV_KIND_unreachable;
    }
    binder->references = 1;
    return binder;
}

enum obv_status obv_bind_check_compiled(const struct obv_compiled_end *ends,
                                        size_t count,
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
        const struct obv_compiled_pair pair = {ends[i].object, ends[i].path};
        const struct obv_observe_options options =
            options_of_end(ends, count, carrier->is_two_way, i);
        status = obv__check_object(pair.root, error);
        if (status == OBV_OK) {
            status = obv__observe_check(&pair, &kind, NULL, &options, error);
        }
        status = obv__failed_at(i, status, error);
    }
    return status;
}

enum obv_status obv_bind_compiled(const struct obv_compiled_end *ends,
                                  size_t count, struct obv_carrier *carrier,
                                  struct obv_binder **made,
                                  struct obv_error *error)
{
    enum obv_status status =
        obv_bind_check_compiled(ends, count, carrier, error);
    struct obv_binder *binder =
        status == OBV_OK ? create_binder(ends, count, carrier) : NULL;
    if (!binder) {
        carrier->dispose(carrier, false);
        return status == OBV_OK ? obv__fail_as(error, OBV_E_MEMORY) : status;
    }
    status = observe_ends(binder, ends, error);
    status = status ? status : read_first(binder, ends, error);
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

/* Whether the binder has the object `source` at another end than that of
   `kind`. */
static bool is_set_from(const void *source, const struct obv_handler_kind *kind)
{
    const struct bound *bound = bound_of(kind);
    const struct obv_binder *binder = bound->binder;
    bool is_from = false;
    for (size_t i = 0; i <= binder->count; i++) {
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
