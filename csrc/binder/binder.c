/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders, whatever carries their values: which end is to be set, when, and
 * from what stamp. What carries values of C from one to the other is in bind.c.
 *
 * A binder has an observation of each end, with values, for which each set is a
 * change. That of the source is delivered by the loop of the target, which
 * belongs to whoever may set the target; that of the target by the loop of the
 * source. So what is carried was copied where it was set, and is stored where
 * it may be. What an end holds is as new as the last stamp that its observation
 * has gathered.
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
    uint64_t carried; /* the stamp of what the binder has set the end to; any
                         thread */
};

struct obv_binder {
    struct obv_context *context;
    struct obv_carrier *carrier;
    struct bound ends[2];   /* source, target */
    struct bound way;       /* of the target: what its path leads through */
    struct obv_value first; /* what is carried as the binder begins; of who
                               takes its stamp */
    /* Any thread. */
    uint64_t first_stamp; /* 0: it was carried */
    uint32_t references;  /* the program's, and of each observation */
    uint8_t has_ended;
    bool is_made; /* constant once obv__bind() has returned */
};

enum { SOURCE, TARGET };

/* Ends --------------------------------------------------------------------- */

static void drop_reference(struct obv_binder *binder)
{
    struct obv_context *context = binder->context;
    /* Acquire and release: the last has everybody's uses behind it. */
    if (obv__fetch_add_acq_rel(&binder->references, (uint32_t)-1) != 1) {
        return;
    }
    obv__value_drop(context, &binder->first);
    for (int i = SOURCE; i <= TARGET; i++) {
        obv_release(binder->ends[i].handle);
    }
    obv_release(binder->way.handle);
    binder->carrier->dispose(binder->carrier, binder->is_made);
    obv__context_free(context, binder, sizeof *binder);
}

static void stop_all(struct obv_binder *binder)
{
    obv__store_release(&binder->has_ended, (uint8_t)1);
    for (int i = SOURCE; i <= TARGET; i++) {
        obv_stop(binder->ends[i].handle);
    }
    obv_stop(binder->way.handle);
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

/* Sets an end to what a value becomes, as of a stamp; 0: as of now. */
static void set_end(struct obv_binder *binder, int end,
                    const struct obv_value *value, uint64_t stamp,
                    bool is_settled)
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
    obv_stamp_begin(&carried, stamp);
    enum obv_status status = binder->carrier->carry(
        binder->carrier, end == SOURCE, value, root, is_settled);
    obv_stamp_end(&carried);
    if (release) {
        release(root);
    }
    if (status != OBV_OK) {
        tell_failure(binder,
                     is_settled ? "a ring of binders makes different values of "
                                  "one set: the first stays"
                                : obv_status_text(status));
    }
}

/* The stamp of what an end was set to; 0: not since its path leads
   elsewhere. */
static uint64_t held_by(const struct obv_binder *binder, int end)
{
    uint64_t held = obv_last_stamp(binder->ends[end].handle);
    return end == TARGET && held == obv_last_stamp(binder->way.handle) ? 0
                                                                       : held;
}

/* What an end was set to is carried to the other, unless it has come from
   there, or the other was set later. */
static void carry_from(struct obv_binder *binder, int from,
                       const struct obv_value *value, uint64_t stamp)
{
    int to = from == SOURCE ? TARGET : SOURCE;
    uint64_t held = held_by(binder, to);
    if (held <= stamp &&
        obv__load_acquire(&binder->ends[from].carried) != stamp) {
        set_end(binder, to, value, stamp, held == stamp);
    }
}

static void end_was_set(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct bound *bound = bound_of(call->kind);
    struct obv_binder *binder = bound->binder;
    int from = bound == &binder->ends[SOURCE] ? SOURCE : TARGET;
    (void)observer;
    (void)root;
    /* Of the target of a binder that sets it alone the stamps are asked for. */
    if (call->cause && (from == SOURCE || binder->carrier->is_two_way)) {
        carry_from(binder, from, call->now, call->cause->stamp);
    }
}

/* The binder begins; or the path to the target leads elsewhere. */
static void way_has_changed(void *observer, struct obv_object *root,
                            const struct obv_call *call)
{
    struct obv_binder *binder = bound_of(call->kind)->binder;
    uint64_t first = obv__exchange_seq_cst(&binder->first_stamp, (uint64_t)0);
    (void)observer;
    (void)root;
    if (first != 0) {
        carry_from(binder, SOURCE, &binder->first, first);
        obv__value_drop(binder->context, &binder->first);
    } else if (held_by(binder, TARGET) == 0) {
        set_end(binder, TARGET, NULL,
                obv__load_acquire(&binder->ends[TARGET].carried), false);
    }
}

/* Beginning ---------------------------------------------------------------- */

static enum obv_status failed_at_end(int end, enum obv_status status,
                                     struct obv_error *error)
{
    if (status != OBV_OK && error) {
        error->index = (size_t)end;
    }
    return status;
}

static enum obv_status observe_end(struct obv_binder *binder,
                                   struct bound *bound,
                                   const struct obv_compiled_end *end,
                                   const struct obv_observe_options *options,
                                   struct obv_error *error)
{
    const struct obv_compiled_pair pair = {end->object, end->path};
    bound->kind.dispose = end_is_over;
    bound->kind.label = binder->carrier->label;
    bound->kind.file = binder->carrier->file;
    bound->kind.line = binder->carrier->line;
    bound->binder = binder;
    enum obv_status status = obv_observe_compiled(
        &pair, 1, &bound->kind, NULL, options, &bound->handle, error);
    if (status == OBV_OK) {
        obv__fetch_add_relaxed(&binder->references, 1u);
    }
    return status;
}

static enum obv_status
observe_both(struct obv_binder *binder,
             const struct obv_compiled_end *const ends[2],
             struct obv_error *error)
{
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = OBV_VALUES | OBV_TOKEN,
                                          .compare =
                                              OBV_COMPARE_ALWAYS_DIFFERENT};
    enum obv_status status = OBV_OK;
    for (int i = TARGET; status == OBV_OK && i >= SOURCE; i--) {
        /* Who is told may set the other end; of a target that is only looked
           at, itself. */
        int told = i == TARGET && binder->carrier->is_two_way ? SOURCE : TARGET;
        options.loop = ends[told]->loop;
        binder->ends[i].kind.changed = end_was_set;
        status = failed_at_end(
            i, observe_end(binder, &binder->ends[i], ends[i], &options, error),
            error);
    }
    return status;
}

/* The object that the target is a property of may be another one by and by:
   then a binder that sets it alone does so once more. */
static enum obv_status observe_way(struct obv_binder *binder,
                                   const struct obv_compiled_end *target,
                                   struct obv_error *error)
{
    size_t count = obv_path_count(target->path);
    bool is_followed = !binder->carrier->is_two_way && count > 1;
    const struct obv_observe_options options = {
        .size = sizeof options,
        .loop = target->loop,
        .flags = OBV_TOKEN | (is_followed ? OBV_VALUES : 0u)};
    struct obv_path *way = NULL;
    enum obv_status status = OBV_OK;
    if (is_followed) {
        status = obv_path_make(obv_context_names(binder->context),
                               obv_path_elements(target->path), count - 1, &way,
                               error);
    }
    if (status == OBV_OK) {
        const struct obv_compiled_end end = {target->object, way, target->loop};
        binder->way.kind.changed = way_has_changed;
        status = observe_end(binder, &binder->way, &end, &options, error);
    }
    obv_path_destroy(way);
    return failed_at_end(TARGET, status, error);
}

static enum obv_status read_first(struct obv_binder *binder,
                                  const struct obv_compiled_end *source,
                                  struct obv_error *error)
{
    enum obv_status status = obv_value_at_compiled(source->object, source->path,
                                                   &binder->first, error);
    if (status == OBV_OK) {
        binder->first_stamp = obv__stamp_next();
    }
    return status;
}

enum obv_status obv_bind_compiled(const struct obv_compiled_end *source,
                                  const struct obv_compiled_end *target,
                                  struct obv_carrier *carrier,
                                  struct obv_binder **made,
                                  struct obv_error *error)
{
    const struct obv_compiled_end *const ends[2] = {source, target};
    enum obv_status status = OBV_OK;
    for (int i = SOURCE; status == OBV_OK && i <= TARGET; i++) {
        status =
            failed_at_end(i, obv__check_object(ends[i]->object, error), error);
    }
    if (status != OBV_OK) {
        carrier->dispose(carrier, false);
        return status;
    }
    struct obv_context *context = obv__class_of(source->object)->context;
    struct obv_binder *binder =
        obv__context_allocate_zeroed(context, sizeof *binder);
    if (!binder) {
        carrier->dispose(carrier, false);
        return obv__fail(error, OBV_E_MEMORY, NULL);
    }
    *binder = (struct obv_binder){
        .context = context, .carrier = carrier, .references = 1};
    binder->first.kind = OBV_KIND_unreachable;
    status = read_first(binder, source, error);
    status = status ? status : observe_way(binder, target, error);
    status = status ? status : observe_both(binder, ends, error);
    if (status != OBV_OK) {
        obv_unbind(binder);
        return status;
    }
    binder->is_made = true;
    *made = binder;
    if (carrier->begins_on_loop || !obv_execute(binder->way.handle)) {
        obv_schedule(binder->way.handle);
    }
    return OBV_OK;
}
