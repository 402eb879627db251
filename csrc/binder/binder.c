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
#include "model/context.h"
#include "model/copy.h"
#include "observe/observation.h"
#include "path/path.h"
#include "wiring/place.h"

#include <observable/binder.h>
#include <observable/component.h>

/* One of the observations of a binder. */
struct bound {
    struct obv_handler_kind kind; /* the first: who is called finds us by it */
    struct obv_binder *binder;
    struct obv_observation *handle;
    const struct obv_object *object; /* to be compared with one that lives: one
                                        that has died has ended the binder */
    uint64_t carried; /* the stamp of what was carried to the end; any thread */
    /* Of the loop that sets the end. */
    uint64_t stored; /* of what the binder has set it to */
    uint32_t again;  /* how often it has set that again */
};

/* Its memory is retired, since obv_cut_off() may look at it still. */
struct obv_binder {
    struct obv__sized sized;
    struct obv_context *context;
    struct obv_carrier *carrier;
    struct bound way; /* of the target: what its path leads through */
    size_t count;     /* of the sources; constant, as the next two */
    bool is_two_way;
    bool keeps_values; /* they may be carried again, or are together */
    /* Of the target's loop, and of who begins the binder before that. */
    bool is_due;            /* of several sources: one of them was set */
    uint64_t newest;        /* the stamp of the newest value */
    struct obv_value first; /* of a source whose values are not kept: what is
                               carried as the binder begins */
    /* Any thread. */
    uint64_t first_stamp; /* 0: the first values were carried */
    uint32_t references;  /* the program's, and of each observation */
    uint8_t has_ended;
    uint8_t is_made;     /* the handles are there; constant from then on */
    struct bound ends[]; /* the sources, then the target */
};

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
    obv_release(binder->way.handle);
    binder->carrier->dispose(binder->carrier,
                             obv__load_acquire(&binder->is_made));
    obv__retire(&binder->context->retired, &binder->sized.retired,
                OBV__RETIRED_SIZED);
}

static void stop_ends(struct obv_binder *binder)
{
    for (size_t i = 0; i <= target_of(binder); i++) {
        obv_stop(binder->ends[i].handle);
    }
    obv_stop(binder->way.handle);
}

/* Until the binder is made its handles are being written, and who begins it
   stops them. Both say what they have done before they look at what the other
   has, in the order of all such operations: so one of them sees it. */
static void stop_all(struct obv_binder *binder)
{
    (void)obv__exchange_seq_cst(&binder->has_ended, (uint8_t)1);
    if (obv__load_seq_cst(&binder->is_made)) {
        stop_ends(binder);
    }
}

static struct bound *bound_of(const struct obv_handler_kind *kind)
{
    return (struct bound *)(uintptr_t)kind;
}

/* With one of its observations the binder is over. */
static void end_is_over(const struct obv_handler_kind *kind, void *observer)
{
    struct obv_binder *binder = bound_of(kind)->binder;
    (void)observer;
    stop_all(binder);
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
    return obv__load_acquire(&binder->has_ended) != 0;
}

/* Carrying ----------------------------------------------------------------- */

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

static void tell_failure(const struct obv_binder *binder, const char *text)
{
    const struct obv_diagnostic diagnostic = {.kind = OBV_DIAGNOSTIC_BINDER,
                                              .text = text,
                                              .label = binder->carrier->label,
                                              .file = binder->carrier->file,
                                              .line = binder->carrier->line};
    obv__diagnose(binder->context, &diagnostic);
}

/* Sets an end to what a value becomes, or if it is NULL what is kept, as of a
   stamp; 0: as of now. */
static void set_end(struct obv_binder *binder, size_t end,
                    const struct obv_value *value, uint64_t stamp,
                    enum obv_carrying how)
{
    struct obv_stamp carried;
    void (*release)(struct obv_object *) = NULL;
    struct obv_object *root =
        obv_binder_has_ended(binder)
            ? NULL
            : hold_end(obv__thread_self(), &binder->ends[end], &release);
    if (!root) {
        return;
    }
    obv__store_release(&binder->ends[end].carried, stamp);
    if (how == OBV_CARRY_SET) {
        binder->ends[end].stored = stamp;
        binder->ends[end].again = 0;
    }
    obv_stamp_begin(&carried, stamp);
    enum obv_status status = binder->carrier->carry(
        binder->carrier, end != target_of(binder), value, root, how);
    obv_stamp_end(&carried);
    if (release) {
        release(root);
    }
    if (status != OBV_OK) {
        tell_failure(binder, how == OBV_CARRY_COMPARE
                                 ? "a ring of binders makes different values "
                                   "of one set: the first stays"
                                 : obv_status_text(status));
    }
}

/* The stamp of what an end was set to; 0: not since its path leads
   elsewhere. */
static uint64_t held_by(const struct obv_binder *binder, size_t end)
{
    uint64_t held = obv_last_stamp(binder->ends[end].handle);
    return end == target_of(binder) &&
                   held == obv_last_stamp(binder->way.handle)
               ? 0
               : held;
}

/* What becomes of a value that is as new as what the end holds. */
static enum obv_carrying carry_again(struct bound *end, uint64_t stamp)
{
    bool is_own = end->stored == stamp && end->again < AGAIN_LIMIT;
    end->again += is_own;
    return is_own ? OBV_CARRY_AGAIN : OBV_CARRY_COMPARE;
}

/* What an end was set to is carried to the other, unless it has come from
   there, or the other was set later. */
static void carry_from(struct obv_binder *binder, size_t from,
                       const struct obv_value *value, uint64_t stamp)
{
    size_t to = from == target_of(binder) ? SOURCE : target_of(binder);
    uint64_t held = held_by(binder, to);
    if (held <= stamp &&
        obv__load_acquire(&binder->ends[from].carried) != stamp) {
        set_end(binder, to, value, stamp,
                held < stamp ? OBV_CARRY_SET
                             : carry_again(&binder->ends[to], stamp));
    }
}

/* What is kept of several sources, or the first value of one. */
static void carry_together(struct obv_binder *binder)
{
    binder->is_due = false;
    carry_from(binder, SOURCE, binder->keeps_values ? NULL : &binder->first,
               binder->newest);
}

static void source_was_set(struct obv_binder *binder, size_t source,
                           const struct obv_value *value, uint64_t stamp)
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
    binder->is_due = true;
    binder->newest = stamp > binder->newest ? stamp : binder->newest;
    obv_schedule(binder->way.handle);
}

static void end_was_set(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct bound *bound = bound_of(call->kind);
    struct obv_binder *binder = bound->binder;
    size_t end = (size_t)(bound - binder->ends);
    (void)observer;
    (void)root;
    if (!call->cause) {
        return;
    }
    if (end != target_of(binder)) {
        source_was_set(binder, end, call->now, call->cause->stamp);
    } else if (binder->is_two_way) {
        carry_from(binder, end, call->now, call->cause->stamp);
    } /* else its stamps alone are asked for */
}

/* The binder begins; or one of several sources was set; or the path to the
   target leads elsewhere. */
static void way_has_changed(void *observer, struct obv_object *root,
                            const struct obv_call *call)
{
    struct obv_binder *binder = bound_of(call->kind)->binder;
    uint64_t first = obv__exchange_seq_cst(&binder->first_stamp, (uint64_t)0);
    (void)observer;
    (void)root;
    if (first != 0 || binder->is_due) {
        carry_together(binder);
        obv__value_drop(binder->context, &binder->first);
    } else if (held_by(binder, target_of(binder)) == 0) {
        set_end(binder, target_of(binder), NULL,
                obv__load_acquire(&binder->ends[target_of(binder)].carried),
                OBV_CARRY_SET);
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

static enum obv_status
observe_end(struct obv_binder *binder, struct bound *bound,
            const struct obv_compiled_end *end, bool is_set,
            const struct obv_observe_options *options, struct obv_error *error)
{
    const struct obv_compiled_pair pair = {end->object, end->path};
    void *observer = is_set ? (void *)(uintptr_t)&set_by_binder : NULL;
    bound->kind.dispose = end_is_over;
    bound->kind.label = binder->carrier->label;
    bound->kind.file = binder->carrier->file;
    bound->kind.line = binder->carrier->line;
    bound->binder = binder;
    /* Before it begins, since it may be over at once. Relaxed: this thread has
       a reference. */
    obv__fetch_add_relaxed(&binder->references, 1u);
    enum obv_status status = obv_observe_compiled(
        &pair, 1, &bound->kind, observer, options, &bound->handle, error);
    if (status != OBV_OK) {
        obv__fetch_add_relaxed(&binder->references, (uint32_t)-1);
    }
    return status;
}

/* The sources and the target, which are looked at by number; the target first,
   whose stamps are asked for as soon as there is a source. */
static const struct obv_compiled_end *
end_at(const struct obv_compiled_end *sources, size_t count,
       const struct obv_compiled_end *target, size_t i)
{
    return i == count ? target : &sources[i];
}

static enum obv_status observe_ends(struct obv_binder *binder,
                                    const struct obv_compiled_end *sources,
                                    const struct obv_compiled_end *target,
                                    struct obv_error *error)
{
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = OBV_VALUES | OBV_TOKEN,
                                          .compare =
                                              OBV_COMPARE_ALWAYS_DIFFERENT};
    enum obv_status status = OBV_OK;
    for (size_t i = binder->count; status == OBV_OK && i <= binder->count;
         i--) {
        /* Who is told may set the other end; of a target that is only looked
           at, itself. */
        bool is_told_at_source = i == binder->count && binder->is_two_way;
        options.loop = is_told_at_source ? sources[SOURCE].loop : target->loop;
        binder->ends[i].kind.changed = end_was_set;
        status =
            failed_at_end(i,
                          observe_end(binder, &binder->ends[i],
                                      end_at(sources, binder->count, target, i),
                                      i == binder->count || binder->is_two_way,
                                      &options, error),
                          error);
    }
    return status;
}

static bool way_is_followed(const struct obv_binder *binder,
                            const struct obv_compiled_end *target)
{
    return !binder->is_two_way && obv_path_count(target->path) > 1;
}

/* The object that the target is a property of may be another one by and by:
   then a binder that sets it alone does so once more. */
static enum obv_status observe_way(struct obv_binder *binder,
                                   const struct obv_compiled_end *target,
                                   struct obv_error *error)
{
    bool is_followed = way_is_followed(binder, target);
    const struct obv_observe_options options = {
        .size = sizeof options,
        .loop = target->loop,
        .flags = OBV_TOKEN | (is_followed ? OBV_VALUES : 0u)};
    struct obv_path *way = NULL;
    enum obv_status status = OBV_OK;
    if (is_followed) {
        status = obv_path_make(obv_context_names(binder->context),
                               obv_path_elements(target->path),
                               obv_path_count(target->path) - 1, &way, error);
    }
    if (status == OBV_OK) {
        const struct obv_compiled_end end = {target->object, way, target->loop};
        binder->way.kind.changed = way_has_changed;
        status =
            observe_end(binder, &binder->way, &end, false, &options, error);
    }
    obv_path_destroy(way);
    return failed_at_end(binder->count, status, error);
}

static enum obv_status read_first(struct obv_binder *binder,
                                  const struct obv_compiled_end *sources,
                                  struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < binder->count; i++) {
        status = failed_at_end(i,
                               obv_value_at_compiled(sources[i].object,
                                                     sources[i].path,
                                                     &binder->first, error),
                               error);
        if (status == OBV_OK && binder->keeps_values) {
            status = binder->carrier->keep(binder->carrier, i, &binder->first);
            obv__value_drop(binder->context, &binder->first);
        }
    }
    if (status == OBV_OK) {
        binder->first_stamp = binder->newest = obv__stamp_next();
    }
    return status;
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
    binder->keeps_values = count > 1 || way_is_followed(binder, target);
    binder->first.kind = OBV_KIND_unreachable;
    for (size_t i = 0; i < count; i++) {
        binder->ends[i].object = sources[i].object;
    }
    binder->ends[count].object = target->object;
    binder->references = 1;
    return binder;
}

static enum obv_status check_ends(const struct obv_compiled_end *sources,
                                  size_t count,
                                  const struct obv_compiled_end *target,
                                  const struct obv_carrier *carrier,
                                  struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    if (count == 0 || (count > 1 && carrier->is_two_way)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a binder has one source, or goes one way and has "
                         "several");
    }
    for (size_t i = 0; status == OBV_OK && i <= count; i++) {
        const struct obv_object *object =
            end_at(sources, count, target, i)->object;
        status = failed_at_end(i, obv__check_object(object, error), error);
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
    enum obv_status status = check_ends(sources, count, target, carrier, error);
    if (status != OBV_OK) {
        carrier->dispose(carrier, false);
        return status;
    }
    struct obv_binder *binder = create_binder(sources, count, target, carrier);
    if (!binder) {
        carrier->dispose(carrier, false);
        return obv__fail(error, OBV_E_MEMORY, NULL);
    }
    status = read_first(binder, sources, error);
    status = status ? status : observe_way(binder, target, error);
    status = status ? status : observe_ends(binder, sources, target, error);
    if (status != OBV_OK) {
        stop_ends(binder);
        drop_reference(binder);
        return status;
    }
    (void)obv__exchange_seq_cst(&binder->is_made, (uint8_t)1);
    if (obv__load_seq_cst(&binder->has_ended)) {
        stop_ends(binder);
    }
    *made = binder;
    if (carrier->begins_on_loop || !obv_execute(binder->way.handle)) {
        obv_schedule(binder->way.handle);
    }
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
        is_from |= &binder->ends[i] != bound &&
                   (const void *)binder->ends[i].object == source;
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
