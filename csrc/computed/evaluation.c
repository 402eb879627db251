/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluation.
 *
 * Pull. A record that is stale is checked: each source that it has read, in that
 * order, is brought up to date if it is computed itself and stale. As soon as one
 * has got another value, which makes the record dirty, it is evaluated, since
 * what it read after that one it may not read any more. If none has, it is valid
 * as it is. What waits for a source is linked by `asker`: no recursion.
 *
 * Evaluating calls the program's function, which may read other computed
 * properties, and so comes here again: that is the only recursion. Where that is
 * too deep, the sources of last time are brought up to date first also for who
 * is dirty: then one may be evaluated that is not read this time.
 *
 * Marks. The record's are taken away before anything is read, with a full fence
 * behind where another thread may set what is read; who marks sets the mark
 * after its value, and looks on from there behind a full fence (invalidation.c).
 * So either we read the new value, or the mark stays, and what depends on us
 * hears of it.
 *
 * Edges. What the function reads is compared with what it read last time, in
 * order; mostly nothing has changed, and nothing is linked or allocated.
 */
#include "computed/evaluation.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "edit/edit.h"
#include "edit/setter.h"
#include "model/context.h"
#include "model/value.h"

#include <observable/value.h>

#include <stdio.h>
#include <string.h>

/* A function of the program that runs, on this thread. */
struct evaluation {
    struct obv_detail_reader reader; /* the first: who is told of reads is it */
    struct evaluation *outer;
    struct obv__computed *computed; /* NULL: for a value that is not kept */
    struct obv_object *object;
    uint32_t slot;
    uint32_t depth;
    struct obv__edge *last;      /* that was read again; NULL: none yet */
    struct obv__work_list *work; /* who is told joins this edit; or NULL */
    enum obv_status failed;      /* of what it has read */
    bool is_unrecorded;          /* memory was short for an edge */
};

/* So many functions call each other before sources are brought up to date
   first. */
enum { DEEP = 200 };

static void **place_of_innermost(struct obv__thread *self)
{
    return &self->slots[OBV__THREAD_COMPUTES];
}

/* Claims ------------------------------------------------------------------- */

bool obv__computed_claim(struct obv__thread *self,
                         struct obv__computed *computed)
{
    uintptr_t nobody = 0;
    /* Acquire, pairs with obv__computed_leave(): what another thread has made of
       it is seen. */
    return obv__cas_acq_rel(&computed->evaluator, &nobody,
                            obv__thread_number(self));
}

/* Release: who finds that it rests sees its value. */
static void set_phase(struct obv__computed *computed, enum obv__phase phase)
{
    obv__store_release(&computed->phase, (uint8_t)phase);
}

void obv__computed_leave(struct obv__computed *computed)
{
    set_phase(computed, OBV__RESTS);
    obv__store_release(&computed->evaluator, (uintptr_t)0);
}

/* Values ------------------------------------------------------------------- */

/* As much as any property but bytes needs. */
enum { NEAR = 64 };

const void *obv__raw_value(const struct obv__computed *computed,
                           const union obv__raw *raw)
{
    return computed->property->size > sizeof *raw ? raw->far : raw;
}

/* Keeps a copy of a value, with what it owns; false: no memory. */
static bool keep_raw(struct obv_context *context,
                     const struct obv_property *property, const void *value,
                     union obv__raw *raw)
{
    void *place = raw;
    if (property->size > sizeof *raw) {
        place = raw->far = obv__context_allocate(context, property->size);
    }
    if (place) {
        memcpy(place, value, property->size);
    }
    return place != NULL;
}

/* Bytes, which own nothing, are all that can lie far. */
static void drop_raw(struct obv_context *context,
                     const struct obv_property *property, union obv__raw *raw)
{
    if (property->size > sizeof *raw) {
        obv__context_free(context, raw->far, property->size);
    } else {
        obv__value_disown(context, property, raw);
    }
}

void obv__first_drop(struct obv_context *context,
                     struct obv__computed *computed)
{
    uint8_t state = computed->first_state;
    union obv__raw first = computed->first;
    computed->first_state = OBV__FIRST_NONE;
    if (state == OBV__FIRST_KEPT) {
        drop_raw(context, computed->property, &first);
    }
}

static void end_values(struct obv_context *context,
                       struct obv__computed *computed)
{
    obv__first_drop(context, computed);
    if (computed->box) {
        computed->box->release(computed->box);
        computed->box = NULL;
    }
}

void obv__computed_values_end(struct obv_class *cls,
                              struct obv_detail_node *node)
{
    obv__each_computed(cls, node, end_values);
}

/* Whoever was scheduled since the last look compares with what is stored now. */
static void begin_first(struct obv_context *context,
                        struct obv__computed *computed)
{
    if (obv__load_acquire(&computed->asks_first)) {
        obv__store_relaxed(&computed->asks_first, (uint8_t)0);
        obv__first_drop(context, computed);
        computed->first_state = OBV__FIRST_IS_NOW;
    }
}

/* Who has read the property has to evaluate: that has another value. One whose
   function runs reads it now; if it has read it before, it is stale again. */
static void dirty_dependents(const struct obv__computed *computed)
{
    for (struct obv__watcher *w = obv__first(computed->head); w;
         w = obv__next(w)) {
        if (obv__is_edge(w)) {
            struct obv__computed *reader = w->of;
            if (obv__load_acquire(&reader->phase) != OBV__RUNS) {
                obv__store_release(&reader->is_dirty, (uint8_t)1);
            }
        }
    }
}

static bool has_observers(const struct obv__computed *computed)
{
    const struct obv__more *more = obv__more(computed->node);
    bool found = more && obv__first(&more->every);
    for (struct obv__watcher *w = obv__first(computed->head); w && !found;
         w = obv__next(w)) {
        found = !obv__is_edge(w);
    }
    return found;
}

/* Paths follow, immediate observations are told. */
static void announce(struct obv__thread *self, struct obv__computed *computed,
                     const void *old, struct obv__work_list *outer)
{
    struct obv__work_list own, *work = outer;
    if (!has_observers(computed)) {
        return;
    }
    if (!work) {
        work = &own;
        obv__work_list_init(work, self,
                            obv__class_of(computed->object)->context);
    }
    obv__edit_collect_computed(work, computed->object, computed->slot, old,
                               OBV__EDIT_COMPUTED);
    if (!outer) {
        obv__work_list_deliver(work);
    }
}

/* Stores what was computed; an equal value is let go of. */
static void store_result(struct obv__thread *self,
                         struct obv__computed *computed, void *fresh,
                         struct obv__work_list *work)
{
    const struct obv_property *property = computed->property;
    struct obv_context *context = obv__class_of(computed->object)->context;
    void *field = obv__computed_value(computed);
    union obv__raw old;
    begin_first(context, computed);
    if (computed->has_value && obv__value_equal(property, field, fresh)) {
        obv__value_disown(context, property, fresh);
        return;
    }
    bool had = keep_raw(context, property, field, &old);
    bool is_known = had && computed->has_value;
    memcpy(field, fresh, property->size);
    obv__store_relaxed(&computed->has_value, (uint8_t)1);
    set_phase(computed, OBV__RESTS);
    dirty_dependents(computed);
    announce(self, computed, is_known ? obv__raw_value(computed, &old) : NULL,
             work);
    if (had && computed->first_state == OBV__FIRST_IS_NOW) {
        computed->first = old;
        computed->first_state = OBV__FIRST_KEPT;
    } else if (had) {
        drop_raw(context, property, &old);
    }
}

/* Dependencies ------------------------------------------------------------- */

static struct obv__edge *edge_behind(const struct evaluation *evaluation)
{
    return evaluation->last ? obv__edge_next(evaluation->last)
                            : evaluation->computed->dependencies;
}

static void set_behind(struct evaluation *evaluation, struct obv__edge *edge)
{
    if (evaluation->last) {
        evaluation->last->watcher.with.next_member =
            edge ? &edge->watcher : NULL;
    } else {
        evaluation->computed->dependencies = edge;
    }
}

static bool is_edge_of(const struct obv__edge *edge,
                       const struct obv_object *object, uint32_t slot)
{
    /* Acquire: an end has taken the place away. Numbers of objects that have ended
       are 0, so an address is never another object's. */
    return edge && edge->watcher.slot == slot &&
           obv__load_acquire(&edge->watcher.place) == (uintptr_t)object;
}

/* Whether this evaluation has read it before. */
static bool was_read(const struct evaluation *evaluation,
                     const struct obv_object *object, uint32_t slot)
{
    const struct obv__edge *end = edge_behind(evaluation);
    const struct obv__edge *edge = evaluation->computed->dependencies;
    while (edge != end && !is_edge_of(edge, object, slot)) {
        edge = obv__edge_next(edge);
    }
    return edge != end;
}

static void end_edges_behind(struct obv_context *context,
                             struct evaluation *evaluation,
                             const struct obv__edge *end)
{
    struct obv__edge *edge = edge_behind(evaluation);
    while (edge != end) {
        struct obv__edge *next = obv__edge_next(edge);
        obv__edge_end(context, edge);
        edge = next;
    }
    set_behind(evaluation, edge);
}

/* It was not read next last time: it is new, or something before it is not read any
   more. */
OBV__NOINLINE static void record_anew(struct evaluation *evaluation,
                                      struct obv_object *object, uint32_t slot)
{
    struct obv_context *context = obv__class_of(evaluation->object)->context;
    struct obv__edge *next = edge_behind(evaluation), *made;
    if (was_read(evaluation, object, slot)) {
        return;
    }
    struct obv__edge *after = next ? obv__edge_next(next) : NULL;
    if (is_edge_of(after, object, slot)) {
        end_edges_behind(context, evaluation, after);
        evaluation->last = after;
        return;
    }
    if (!obv__edge_make(evaluation->computed, object, slot, &made)) {
        evaluation->is_unrecorded = true;
    } else if (made) {
        made->watcher.with.next_member = next ? &next->watcher : NULL;
        set_behind(evaluation, made);
        evaluation->last = made;
    }
}

static void record_read(struct evaluation *evaluation,
                        struct obv_object *object, uint32_t slot)
{
    struct obv__edge *next = edge_behind(evaluation);
    if (is_edge_of(next, object, slot)) {
        evaluation->last = next;
    } else if (!evaluation->last ||
               !is_edge_of(evaluation->last, object, slot)) {
        record_anew(evaluation, object, slot);
    }
}

static struct evaluation *evaluation_of(struct obv_detail_reader *reader)
{
    return (struct evaluation *)(void *)reader;
}

static void read_slot(struct obv_detail_reader *reader,
                      struct obv_object *object, uint32_t slot)
{
    record_read(evaluation_of(reader), object, slot);
}

/* The getter of a binding knows an offset (<observable/detail.h>). */
static void read_at_offset(struct obv_detail_reader *reader,
                           struct obv_object *object, uint32_t offset,
                           const void *what)
{
    const struct obv_class *cls = obv__class_or_null(object);
    uint32_t index;
    (void)what;
    if (cls && obv_class_property_at(cls, offset, &index) == OBV_OK) {
        record_read(evaluation_of(reader), object, index);
    }
}

/* What a lazy property reads is nobody's dependency. */
static void read_lazily(struct obv_detail_reader *reader,
                        struct obv_object *object, uint32_t offset,
                        const void *what)
{
    (void)reader;
    (void)object;
    (void)offset;
    (void)what;
}

static void read_slot_lazily(struct obv_detail_reader *reader,
                             struct obv_object *object, uint32_t slot)
{
    (void)reader;
    (void)object;
    (void)slot;
}

/* Cycles ------------------------------------------------------------------- */

static bool is_same_place(const struct evaluation *evaluation,
                          const struct obv_object *object, uint32_t slot)
{
    return evaluation->object == object && evaluation->slot == slot;
}

/* The names of the functions that run inside of that of a record, from it on. */
static void write_names(const struct evaluation *evaluation,
                        const struct obv__computed *first, char *text,
                        size_t room)
{
    size_t length = 0;
    if (!is_same_place(evaluation, first->object, first->slot) &&
        evaluation->outer) {
        write_names(evaluation->outer, first, text, room);
        length = strlen(text);
    }
    (void)snprintf(
        text + length, room - length, "%s%s", length ? ", " : "",
        obv__property_at(evaluation->object, evaluation->slot)->name);
}

OBV__NOINLINE static enum obv_status
report_cycle(struct obv__thread *self, const struct obv__computed *computed)
{
    struct evaluation *innermost = *place_of_innermost(self);
    char names[256] = "";
    unsigned depth = 0;
    for (struct evaluation *at = innermost; at; at = at->outer) {
        at->failed = OBV_E_CYCLE;
        depth++;
        if (is_same_place(at, computed->object, computed->slot)) {
            break;
        }
    }
    if (depth <= 32) {
        write_names(innermost, computed, names, sizeof names);
    }
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_CYCLE,
        .text = "computed properties need each other: none of them has a value",
        .path = names[0] ? names : computed->property->name};
    obv__diagnose(obv__class_of(computed->object)->context, &diagnostic);
    return OBV_E_CYCLE;
}

/* Evaluating --------------------------------------------------------------- */

/* Runs the function of the program. */
static enum obv_status run_function(struct obv__thread *self,
                                    struct evaluation *evaluation,
                                    const struct obv_property *property,
                                    void *result)
{
    void **innermost = place_of_innermost(self);
    void **reader = &self->slots[OBV__THREAD_READER];
    struct evaluation *outer = *innermost;
    bool is_lazy = (property->computed->flags & OBV_LAZY) != 0;
    evaluation->outer = outer;
    evaluation->depth = outer ? outer->depth + 1 : 1;
    evaluation->work = outer ? outer->work : evaluation->work;
    evaluation->reader.outer = *reader;
    evaluation->reader.read = is_lazy ? read_lazily : read_at_offset;
    evaluation->reader.read_slot = is_lazy ? read_slot_lazily : read_slot;
    *innermost = evaluation;
    if (evaluation->computed) {
        *reader = &evaluation->reader;
    }
    enum obv_status status =
        property->computed->evaluate(evaluation->object, property, result);
    if (evaluation->computed) {
        *reader = evaluation->reader.outer;
    }
    *innermost = outer;
    if (status == OBV_OK && evaluation->failed != OBV_OK) {
        obv__value_disown(obv__class_of(evaluation->object)->context, property,
                          result);
        status = evaluation->failed;
    }
    if (evaluation->failed == OBV_E_CYCLE) {
        status = OBV_E_CYCLE; /* whatever the function has made of it */
    }
    if (evaluation->is_unrecorded && outer) {
        outer->is_unrecorded = true;
    }
    return status;
}

/* Room for a value, zeroed; NULL: no memory. */
static void *room_for(struct obv_context *context,
                      const struct obv_property *property, void *near)
{
    void *room = property->size <= NEAR
                     ? near
                     : obv__context_allocate(context, property->size);
    if (room) {
        memset(room, 0, property->size);
    }
    return room;
}

static void leave_room(struct obv_context *context,
                       const struct obv_property *property, void *room,
                       const void *near)
{
    if (room && room != near) {
        obv__context_free(context, room, property->size);
    }
}

static void take_marks(struct obv_context *context,
                       struct obv__computed *computed)
{
    obv__store_relaxed(&computed->is_dirty, (uint8_t)0);
    /* Release: behind the phase. */
    obv__store_release(&computed->is_stale, (uint8_t)0);
    /* Relaxed: who has made such a class has told this thread of its objects. */
    if (OBV__UNLIKELY(obv__load_relaxed(&context->any_thread))) {
        obv__fence_seq_cst();
    }
}

static void report_memory(struct obv_context *context,
                          const struct obv__computed *computed)
{
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_MEMORY,
        .text = "what a computed property depends on could not be recorded: it "
                "stays invalid",
        .path = computed->property->name};
    obv__diagnose(context, &diagnostic);
}

/* It was marked while its function ran, which may have set what it has read; or
   memory was short for what that read. Who depends on it has been told; from here
   on it tells again. */
static void stay_invalid(struct obv__computed *computed)
{
    if (computed->outcome == OBV__SOUND) {
        obv__store_relaxed(&computed->outcome, (uint8_t)OBV__OVERTAKEN);
    }
    obv__store_release(&computed->is_stale, (uint8_t)0);
}

/* The record is claimed. Its object is kept by the caller. */
static enum obv_status evaluate(struct obv__thread *self,
                                struct obv__computed *computed,
                                struct obv__work_list *work)
{
    const struct obv_property *property = computed->property;
    struct obv_context *context = obv__class_of(computed->object)->context;
    struct evaluation evaluation = {.computed = computed,
                                    .object = computed->object,
                                    .slot = computed->slot,
                                    .work = work};
    union {
        unsigned char bytes[NEAR];
        uint64_t aligned;
    } near;
    void *result = room_for(context, property, &near);
    if (!result) {
        computed->has_run = 1;
        computed->status = OBV_E_MEMORY;
        stay_invalid(computed);
        return OBV_E_MEMORY;
    }
    set_phase(computed, OBV__RUNS);
    take_marks(context, computed);
    computed->was_set = 0;
    enum obv_status status = run_function(self, &evaluation, property, result);
    set_phase(computed, OBV__CHECKS);
    computed->has_run = 1;
    computed->checked = NULL;
    end_edges_behind(context, &evaluation, NULL);
    if (computed->was_set) {
        if (status == OBV_OK) {
            obv__value_disown(context, property, result);
        }
        status = OBV_OK;
    } else if (status == OBV_OK) {
        obv__store_relaxed(&computed->outcome, (uint8_t)OBV__SOUND);
        store_result(self, computed, result, evaluation.work);
    } else {
        obv__store_relaxed(&computed->outcome, (uint8_t)OBV__FAILED);
    }
    leave_room(context, property, result, &near);
    computed->status = (int8_t)status;
    if (evaluation.is_unrecorded) {
        report_memory(context, computed);
    }
    if (evaluation.is_unrecorded || obv__load_acquire(&computed->is_stale)) {
        stay_invalid(computed);
    }
    set_phase(computed, OBV__RESTS);
    return status;
}

/* Another thread evaluates it: for this one alone, and nothing is kept. What it
   reads is read by whoever this thread evaluates outside. */
static enum obv_status evaluate_apart(struct obv__thread *self,
                                      struct obv_object *object, uint32_t slot,
                                      void *apart)
{
    const struct obv_property *property = obv__property_at(object, slot);
    struct evaluation evaluation = {.object = object, .slot = slot};
    if (!apart || property->size > sizeof(uint64_t) ||
        (property->kind >= OBV_KIND_string && !property->custom)) {
        return OBV_E_BUSY;
    }
    /* Nobody else knows of those that run apart. */
    for (const struct evaluation *at = *place_of_innermost(self); at;
         at = at->outer) {
        if (!at->computed && is_same_place(at, object, slot)) {
            return report_cycle(self, obv__computed_of(object, slot));
        }
    }
    memset(apart, 0, property->size);
    enum obv_status status = run_function(self, &evaluation, property, apart);
    return status == OBV_OK ? OBV_E_BUSY : status;
}

/* Pulling ------------------------------------------------------------------ */

static bool must_evaluate(const struct obv__computed *computed)
{
    return obv__load_acquire(&computed->is_dirty) || !computed->has_value ||
           computed->outcome != OBV__SOUND;
}

/* Begins to check a claimed record: marks that come from here on stay. */
static void begin_check(struct obv_context *context,
                        struct obv__computed *computed)
{
    computed->checked = computed->dependencies;
    computed->has_run = 0;
    set_phase(computed, OBV__CHECKS);
    if (!must_evaluate(computed)) {
        obv__store_release(&computed->is_stale, (uint8_t)0);
        if (OBV__UNLIKELY(obv__load_relaxed(&context->any_thread))) {
            obv__fence_seq_cst();
        }
    }
}

/* The next source that is not valid, claimed; NULL: there is none. One that cannot
   be claimed has to be read. */
static struct obv__computed *claim_source(struct obv__thread *self,
                                          struct obv__computed *computed)
{
    while (computed->checked) {
        struct obv__edge *edge = computed->checked;
        struct obv__computed *source =
            obv__load_acquire(&edge->watcher.place) ? edge->source : NULL;
        computed->checked = obv__edge_next(edge);
        if (source && !obv__computed_is_valid(source)) {
            if (obv__computed_claim(self, source)) {
                return source;
            }
            obv__store_release(&computed->is_dirty, (uint8_t)1);
        }
    }
    return NULL;
}

/* One claimed record after the other, from the source on that lies deepest. */
static enum obv_status pull(struct obv__thread *self,
                            struct obv__computed *asked,
                            struct obv__work_list *work)
{
    const struct evaluation *innermost = *place_of_innermost(self);
    struct obv_context *context = obv__class_of(asked->object)->context;
    bool is_deep = innermost && innermost->depth > DEEP;
    bool is_counted = innermost != NULL; /* among those who record reads */
    enum obv_status status = OBV_OK;
    struct obv__computed *at = asked;
    at->asker = NULL;
    begin_check(context, at);
    while (at) {
        bool is_due = must_evaluate(at) && !at->has_run;
        struct obv__computed *source =
            is_due && !is_deep ? NULL : claim_source(self, at);
        if (source) {
            source->asker = at;
            begin_check(context, source);
            at = source;
            continue;
        }
        bool held = false;
        status = at->has_run ? (enum obv_status)at->status : OBV_OK;
        if (must_evaluate(at) && !at->has_run) {
            if (!is_counted) {
                /* Relaxed: only this thread's own reads are for it. */
                obv__fetch_add_relaxed(&obv_detail_reading, 1u);
                is_counted = true;
            }
            struct obv_object *object = obv__computed_hold(self, at, &held);
            status = object ? evaluate(self, at, work) : OBV_E_ENDED;
        }
        struct obv__computed *asker = at->asker;
        struct obv_object *object = at->object;
        obv__computed_leave(at);
        if (asker && !obv__computed_is_valid(at)) {
            obv__store_release(&asker->is_dirty, (uint8_t)1);
        }
        if (held) {
            obv__class_of(object)->release(object);
        }
        at = asker;
    }
    if (is_counted && !innermost) {
        obv__fetch_add_relaxed(&obv_detail_reading, UINT32_MAX);
    }
    return status;
}

/* In an epoch section. */
static enum obv_status compute(struct obv__thread *self,
                               struct obv_object *object, uint32_t slot,
                               struct obv__work_list *work, void *apart)
{
    struct obv__computed *computed = obv__computed_make(object, slot);
    if (!computed) {
        return obv__object_is_ending(object) ? OBV_E_ENDED : OBV_E_MEMORY;
    }
    if (obv__computed_claim(self, computed)) {
        return pull(self, computed, work);
    }
    /* Relaxed: only we write our own number there. */
    if (obv__load_relaxed(&computed->evaluator) != obv__thread_number(self)) {
        return evaluate_apart(self, object, slot, apart);
    }
    if (obv__load_relaxed(&computed->phase) == OBV__RUNS) {
        return report_cycle(self, computed);
    }
    /* It waits for a source whose function reads it now, which it did not last
       time. */
    return evaluate(self, computed, work);
}

static enum obv_status compute_in_section(struct obv_object *object,
                                          uint32_t slot, void *apart)
{
    struct obv__thread *self = obv__thread_self();
    struct evaluation *innermost = *place_of_innermost(self);
    obv__epoch_enter(self);
    enum obv_status status =
        compute(self, object, slot, innermost ? innermost->work : NULL, apart);
    obv__epoch_leave(self);
    if (innermost && status != OBV_OK && status != OBV_E_BUSY &&
        innermost->failed == OBV_OK) {
        innermost->failed = status;
    }
    return status;
}

enum obv_status obv__compute(struct obv_object *object, uint32_t slot,
                             void *apart)
{
    return obv__slot_is_valid(object, slot)
               ? OBV_OK
               : compute_in_section(object, slot, apart);
}

void obv__compute_for(struct obv__computed *computed,
                      struct obv__work_list *work)
{
    bool held;
    struct obv_object *object =
        obv__computed_hold(work->thread, computed, &held);
    if (object &&
        !obv__computed_runs(computed, obv__thread_number(work->thread)) &&
        !obv__computed_is_valid(computed)) {
        (void)compute(work->thread, object, computed->slot, work, NULL);
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

bool obv_detail_compute(struct obv_object *object, uint32_t property,
                        void *apart)
{
    enum obv_status status = OBV_OK;
    const struct obv__computed *computed =
        obv__computed_in(obv__node(object), property);
    if (!computed || !obv__computed_is_valid(computed)) {
        if (!obv__slot_is_computed(obv__class_of(object), property)) {
            return true; /* at its end */
        }
        status = compute_in_section(object, property, apart);
    }
    OBV_DETAIL_TELL_READ(object, property);
    return status != OBV_E_BUSY;
}
