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

#include "computed/dependencies.h"
#include "computed/dependency_check.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "edit/edit.h"
#include "model/context.h"
#include "model/owned.h"
#include "model/value.h"
#include "wiring/claim.h"

#include <observable/value.h>

#include <stdio.h>
#include <string.h>

/* Of one pull: a function of the program that runs, on this thread, or one after
   the other. */
struct evaluation {
    struct obv_detail_reader reader; /* the first: who is told of reads is it */
    struct evaluation *outer;
    struct obv__computed *computed;
    struct obv__edge *last; /* that was read again; NULL: none yet */
    struct obv__edge *next; /* the one behind it, from last time; or NULL */
    struct obv__work_list *work; /* who is told joins this edit; or NULL */
    const char *undeclared;      /* the first read that was not; or NULL */
    enum obv_status failed;      /* of what it has read */
    uint32_t depth;
    bool is_apart;      /* for a value that is not kept */
    bool is_checked;    /* what it reads, with what is declared */
    bool is_unrecorded; /* memory was short for an edge */
};

/* So many functions call each other before sources are brought up to date
   first. */
enum { DEEP = 200 };

static void **place_of_innermost(struct obv__thread *self)
{
    return &self->slots[OBV__THREAD_COMPUTES];
}

/* Release: who finds that it rests sees its value. */
static void set_phase(struct obv__computed *computed, enum obv__phase phase)
{
    obv__store_release(&computed->phase, (uint8_t)phase);
}

/* Values ------------------------------------------------------------------- */

/* Keeps a copy of a value, with what it owns; false: no memory. */
OBV__NOINLINE static bool keep_raw(struct obv_context *context,
                                   const struct obv_property *property,
                                   const void *value, union obv__raw *raw)
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

void obv__first_drop(struct obv_context *context,
                     struct obv__computed *computed)
{
    union obv__raw first;
    if (obv__first_take(computed, &first)) {
        obv__raw_drop(context, computed->property, &first);
    }
}

void obv__first_answered(struct obv_context *context,
                         struct obv__computed *computed, uint8_t answered)
{
    uint8_t none = OBV__FIRST_NONE;
    if (!obv__cas_seq_cst(&computed->first_state, &answered, none)) {
        return;
    }
    /* Pairs with ask_first() (invalidation.c), which looks at the state behind its
       mark: either it sees that nobody waits any more, or we see the mark. */
    obv__fence_seq_cst();
    if (obv__load_acquire(&computed->is_stale)) {
        obv__cas_seq_cst(&computed->first_state, &none,
                         (uint8_t)OBV__FIRST_IS_NOW);
    }
    obv__first_drop(context, computed);
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

/* The value before the one that is stored. */
struct displaced {
    union obv__raw value;
    bool is_kept;   /* there was memory for a copy */
    bool is_known;  /* it was a value, and is kept */
    uint32_t until; /* the registration epoch then */
};

/* Another value is stored: the one before it is what those who wait compare with,
   if there was memory to keep it. It is theirs, or let go of. */
static void keep_displaced(struct obv__computed *computed,
                           struct displaced *old)
{
    uint8_t is_now = OBV__FIRST_IS_NOW;
    /* The state is looked at behind the version: pairs with ask_first()
       (invalidation.c). */
    bool is_first =
        obv__load_seq_cst(&computed->first_state) == OBV__FIRST_IS_NOW &&
        obv__cas_seq_cst(
            &computed->first_state, &is_now,
            (uint8_t)(old->is_kept ? OBV__FIRST_KEPT : OBV__FIRST_UNKNOWN));
    if (is_first) {
        obv__first_drop(computed->context, computed);
        computed->first = old->value;
        computed->has_first = old->is_kept;
        computed->first_until = old->until;
    } else if (old->is_kept) {
        obv__raw_drop(computed->context, computed->property, &old->value);
    }
}

/* Who has read the property has to evaluate: that has another value. Whether anybody
   else hears of it. */
OBV__INLINE bool dirty_dependents(const struct obv__computed *computed,
                                  uintptr_t thread)
{
    bool has_others = false;
    for (struct obv__watcher *w = obv__first(computed->head); w;
         w = obv__next(w)) {
        if (obv__is_edge(w)) {
            obv__computed_dirty(w->of, thread,
                                obv__load_relaxed(&computed->stamp));
        } else {
            has_others = true;
        }
    }
    const struct obv__more *more = obv__more(computed->node);
    return has_others || (more && obv__first(&more->every));
}

/* Paths follow, and immediate observations are due: with the edit that has asked, or
   else with one of its own; whether that is to be delivered. */
static bool announce(struct obv__thread *self, struct obv__computed *computed,
                     const void *old, enum obv__edit_kind kind,
                     struct obv__work_list *outer, struct obv__work_list *own)
{
    if (!outer) {
        obv__work_list_init(own, self, computed->context);
        own->edit.kind = OBV__EDIT_COMPUTED;
    }
    obv__edit_collect_computed(outer ? outer : own, computed->object,
                               computed->slot, old, kind);
    return !outer;
}

OBV__NOINLINE static void tell_valid_again(struct obv__thread *self,
                                           struct obv__computed *computed,
                                           struct obv__work_list *work)
{
    struct obv__work_list own;
    bool held;
    struct obv_object *object = obv__computed_hold(self, computed, &held);
    set_phase(computed, OBV__RESTS);
    if (object && obv__edit_may_be_valid(object, computed->slot) &&
        announce(self, computed, NULL, OBV__EDIT_VALID, work, &own)) {
        obv__work_list_deliver(&own);
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

/* A claimed record is perhaps valid, and was not. With another value that is
   told already. */
OBV__INLINE void tell_valid(struct obv__thread *self,
                            struct obv__computed *computed,
                            struct obv__work_list *work)
{
    if (OBV__UNLIKELY(computed->version == computed->version_before) &&
        obv__may_hold_object(computed->property)) {
        tell_valid_again(self, computed, work);
    }
}

/* The bits of a value of four or eight bytes. */
OBV__INLINE uint64_t value_word(const struct obv_property *property,
                                const void *value)
{
    union obv__raw raw = {.scalar = 0};
    if (property->size == sizeof(uint32_t)) {
        memcpy(&raw, value, sizeof(uint32_t));
    } else {
        memcpy(&raw, value, sizeof(uint64_t));
    }
    return raw.scalar;
}

/* Another thread may read a scalar at the same time. */
OBV__INLINE void store_value(const struct obv_property *property, void *field,
                             const void *value)
{
    switch (property->size) {
#define STORE(type)                                                            \
    case sizeof(type): {                                                       \
        type now;                                                              \
        memcpy(&now, value, sizeof now);                                       \
        obv__store_release((type *)field, now);                                \
        break;                                                                 \
    }
        STORE(uint8_t)
        STORE(obv__field_16)
        STORE(obv__field_32)
        STORE(obv__field_64)
#undef STORE
    default:
        memcpy(field, value, property->size);
    }
}

static void count_version(struct obv__computed *computed)
{
    uint32_t next = obv__load_relaxed(&computed->version) + 1;
    obv__store_release(&computed->version, next);
    if (obv__computed_is_shared(computed)) {
        obv__fence_seq_cst();
    }
}

/* Somebody wants the value that was stored before, or it owns something. */
OBV__NOINLINE static void tell_stored(struct obv__thread *self,
                                      struct obv__computed *computed,
                                      struct displaced *old, bool has_others,
                                      struct obv__work_list *work)
{
    struct obv__work_list own;
    if (OBV__UNLIKELY(obv__load_acquire(&computed->box_readers))) {
        obv__box_wait(computed);
    }
    bool is_due =
        has_others &&
        announce(self, computed,
                 old->is_known ? obv__raw_value(computed, &old->value) : NULL,
                 OBV__EDIT_COMPUTED, work, &own);
    /* Handlers may set it there and back. */
    keep_displaced(computed, old);
    if (is_due) {
        obv__work_list_deliver(&own);
    }
}

/* Another value: what depends on it is told before it is seen as valid, since another
   thread checks who depends on it then. */
OBV__INLINE void store_fresh(struct obv__thread *self,
                             struct obv__computed *computed, const void *fresh,
                             unsigned unsound, struct obv__work_list *work)
{
    const struct obv_property *property = computed->property;
    struct displaced old;
    old.is_kept = true;
    if (computed->is_word) {
        old.value.scalar = value_word(property, computed->value);
    } else {
        old.is_kept =
            keep_raw(computed->context, property, computed->value, &old.value);
    }
    old.is_known = old.is_kept && obv__computed_has_value(computed);
    old.until = (uint32_t)obv__registration_epoch();
    store_value(property, computed->value, fresh);
    count_version(computed);
    obv__store_relaxed(&computed->unsound, (uint8_t)unsound);
    bool has_others =
        dirty_dependents(computed, (uintptr_t)self->slots[OBV__THREAD_NUMBER]);
    set_phase(computed, OBV__RESTS);
    if (has_others || !obv__kind_is_scalar(property->kind)) {
        tell_stored(self, computed, &old, has_others, work);
    }
}

/* obv__value_equal(), of words without a call. */
OBV__INLINE bool is_stored_already(const struct obv__computed *computed,
                                   const void *fresh)
{
    const struct obv_property *property = computed->property;
    return computed->is_word
               ? value_word(property, computed->value) ==
                     value_word(property, fresh)
               : obv__value_equal(property, computed->value, fresh);
}

/* Stores what was computed; an equal value is let go of. */
OBV__INLINE void store_result(struct obv__thread *self,
                              struct obv__computed *computed, void *fresh,
                              unsigned unsound, struct obv__work_list *work)
{
    if (obv__computed_has_value(computed) &&
        is_stored_already(computed, fresh)) {
        obv__store_relaxed(&computed->unsound, (uint8_t)unsound);
        if (!computed->is_word) {
            obv__value_disown(computed->context, computed->property, fresh);
        }
        return;
    }
    store_fresh(self, computed, fresh, unsound, work);
}

/* Dependencies ------------------------------------------------------------- */

static void set_next(struct evaluation *evaluation, struct obv__edge *edge)
{
    evaluation->next = edge;
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

/* Whether this evaluation has read it before: mostly right before. */
static bool was_read(const struct evaluation *evaluation,
                     const struct obv_object *object, uint32_t slot)
{
    if (evaluation->last && is_edge_of(evaluation->last, object, slot)) {
        return true;
    }
    const struct obv__edge *end = evaluation->next;
    const struct obv__edge *edge = evaluation->computed->dependencies;
    while (edge != end && !is_edge_of(edge, object, slot)) {
        edge = obv__edge_next(edge);
    }
    return edge != end;
}

static void end_edges_before(struct obv_context *context,
                             struct evaluation *evaluation,
                             const struct obv__edge *end)
{
    struct obv__edge *edge = evaluation->next;
    while (edge != end) {
        struct obv__edge *next = obv__edge_next(edge);
        obv__edge_end(context, edge);
        edge = next;
    }
    set_next(evaluation, edge);
}

static void pass_next(struct evaluation *evaluation)
{
    evaluation->last = evaluation->next;
    evaluation->next = obv__edge_next(evaluation->next);
}

/* It was not read next last time: it is new, or something before it is not read any
   more. */
OBV__NOINLINE static void record_anew(struct evaluation *evaluation,
                                      struct obv_object *object, uint32_t slot)
{
    struct obv_context *context = evaluation->computed->context;
    struct obv__edge *next = evaluation->next, *made;
    struct obv__edge *after = next ? obv__edge_next(next) : NULL;
    if (is_edge_of(after, object, slot)) {
        end_edges_before(context, evaluation, after);
        pass_next(evaluation);
        return;
    }
    if (!obv__edge_make(evaluation->computed, object, slot, &made)) {
        evaluation->is_unrecorded = true;
    } else if (made) {
        made->watcher.with.next_member = next ? &next->watcher : NULL;
        set_next(evaluation, made);
        pass_next(evaluation);
    }
}

/* Anything but the next edge. What a lazy property reads is nobody's dependency. */
OBV__NOINLINE static void record_other(struct evaluation *evaluation,
                                       struct obv_object *object, uint32_t slot)
{
    if (evaluation->computed->is_lazy) {
        return;
    }
    if (!was_read(evaluation, object, slot)) {
        record_anew(evaluation, object, slot);
    } else if (!obv__slot_is_valid(object, slot)) {
        /* Another value than it has read before. */
        evaluation->computed->is_overtaken = 1;
    }
}

OBV__INLINE void record_read(struct evaluation *evaluation,
                             struct obv_object *object, uint32_t slot)
{
    if (is_edge_of(evaluation->next, object, slot)) {
        pass_next(evaluation);
    } else {
        record_other(evaluation, object, slot);
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

/* Both, where what is declared is checked. */
static void read_slot_checked(struct obv_detail_reader *reader,
                              struct obv_object *object, uint32_t slot)
{
    struct evaluation *evaluation = evaluation_of(reader);
    const struct obv__computed *computed = evaluation->computed;
    const char *undeclared = obv__dependency_check_read(computed, object, slot);
    if (!evaluation->undeclared) {
        evaluation->undeclared = undeclared;
    }
    record_read(evaluation, object, slot);
}

static void read_checked(struct obv_detail_reader *reader,
                         struct obv_object *object, uint32_t offset,
                         const void *what)
{
    const struct obv_class *cls = obv__class_or_null(object);
    uint32_t index;
    (void)what;
    if (cls && obv_class_property_at(cls, offset, &index) == OBV_OK) {
        read_slot_checked(reader, object, index);
    }
}

/* Cycles ------------------------------------------------------------------- */

/* The names of the functions that run inside of that of a record, from it on. */
static void write_names(const struct evaluation *evaluation,
                        const struct obv__computed *first, char *text,
                        size_t room)
{
    size_t length = 0;
    if (evaluation->computed != first && evaluation->outer) {
        write_names(evaluation->outer, first, text, room);
        length = strlen(text);
    }
    (void)snprintf(text + length, room - length, "%s%s", length ? ", " : "",
                   evaluation->computed->property->name);
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
        if (at->computed == computed) {
            break;
        }
    }
    if (innermost && depth <= 32) {
        write_names(innermost, computed, names, sizeof names);
    }
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_CYCLE,
        .text = "computed properties need each other: none of them has a value",
        .path = names[0] ? names : computed->property->name};
    obv__diagnose(computed->context, &diagnostic);
    return OBV_E_CYCLE;
}

/* Evaluating --------------------------------------------------------------- */

/* Something that it has read could not be computed, whatever it has made of it. */
OBV__NOINLINE static enum obv_status
fail_with_source(const struct evaluation *evaluation, enum obv_status status,
                 void *result)
{
    const struct obv__computed *computed = evaluation->computed;
    if (status == OBV_OK) {
        obv__value_disown(computed->context, computed->property, result);
        status = evaluation->failed;
    }
    return evaluation->failed == OBV_E_CYCLE ? OBV_E_CYCLE : status;
}

OBV__INLINE void read_unchecked(struct evaluation *evaluation)
{
    evaluation->reader.read = read_at_offset;
    evaluation->reader.read_slot = read_slot;
}

/* Field by field, and the next: an initializer makes a string operation of it, which
   costs more than the rest. */
OBV__INLINE void begin_evaluations(struct obv__thread *self,
                                   struct evaluation *evaluation,
                                   struct obv__work_list *work)
{
    struct evaluation *outer = *place_of_innermost(self);
    evaluation->reader.outer = self->slots[OBV__THREAD_READER];
    read_unchecked(evaluation);
    evaluation->outer = outer;
    evaluation->work = work;
    evaluation->depth = 1;
    if (outer) {
        evaluation->work = outer->work;
        evaluation->depth = outer->depth + 1;
    } else {
        /* Relaxed: only this thread's own reads are for it. */
        obv__fetch_add_relaxed(&obv_detail_reading, 1u);
    }
    evaluation->is_apart = false;
}

static void end_evaluations(const struct evaluation *evaluation)
{
    if (!evaluation->outer) {
        obv__fetch_add_relaxed(&obv_detail_reading, UINT32_MAX);
    }
}

OBV__INLINE void begin_evaluation(struct evaluation *evaluation,
                                  struct obv__computed *computed)
{
    evaluation->computed = computed;
    evaluation->failed = OBV_OK;
    evaluation->is_checked = evaluation->is_unrecorded = false;
}

/* Who is told of what the function reads. */
OBV__INLINE void begin_recording(struct obv__thread *self,
                                 struct evaluation *evaluation)
{
    evaluation->last = NULL;
    evaluation->next = evaluation->computed->dependencies;
    if (OBV__UNLIKELY(evaluation->is_checked)) {
        evaluation->undeclared = NULL;
        evaluation->reader.read = read_checked;
        evaluation->reader.read_slot = read_slot_checked;
    }
    self->slots[OBV__THREAD_READER] = &evaluation->reader;
}

OBV__INLINE void end_recording(struct obv__thread *self,
                               struct evaluation *evaluation)
{
    self->slots[OBV__THREAD_READER] = evaluation->reader.outer;
    if (OBV__UNLIKELY(evaluation->is_checked)) {
        read_unchecked(evaluation);
    }
    if (OBV__UNLIKELY(evaluation->next != NULL)) {
        end_edges_before(evaluation->computed->context, evaluation, NULL);
    }
}

/* Runs the function of the program. */
OBV__INLINE enum obv_status run_function(struct obv__thread *self,
                                         struct evaluation *evaluation,
                                         void *result)
{
    const struct obv__computed *computed = evaluation->computed;
    const struct obv_property *property = computed->property;
    *place_of_innermost(self) = evaluation;
    enum obv_status status =
        property->computed->evaluate(computed->object, property, result);
    *place_of_innermost(self) = evaluation->outer;
    if (OBV__UNLIKELY(evaluation->failed != OBV_OK)) {
        status = fail_with_source(evaluation, status, result);
    }
    if (OBV__UNLIKELY(evaluation->is_unrecorded) && evaluation->outer) {
        evaluation->outer->is_unrecorded = true;
    }
    return status;
}

/* Bytes of a value that need no memory. */
enum { NEAR = 64 };

union near {
    unsigned char bytes[NEAR];
    uint64_t word;
};

/* Room for a value, zeroed; NULL: no memory. */
static void *room_for(struct obv_context *context,
                      const struct obv_property *property, union near *near)
{
    if (OBV__UNLIKELY(property->size > sizeof near->word)) {
        void *room = property->size <= NEAR
                         ? near
                         : obv__context_allocate(context, property->size);
        return room ? memset(room, 0, property->size) : NULL;
    }
    near->word = 0;
    return near;
}

static void leave_room(struct obv_context *context,
                       const struct obv_property *property, void *room,
                       const void *near)
{
    if (room && room != near) {
        obv__context_free(context, room, property->size);
    }
}

static void take_marks(struct obv__computed *computed)
{
    computed->is_overtaken = 0;
    obv__store_relaxed(&computed->is_dirty, (uint8_t)0);
    /* Release: behind the phase. */
    obv__store_release(&computed->is_stale, (uint8_t)0);
    if (obv__computed_is_shared(computed)) {
        obv__fence_seq_cst();
    }
}

static void report_memory(const struct obv__computed *computed)
{
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_MEMORY,
        .text = "what a computed property depends on could not be recorded: it "
                "stays invalid",
        .path = computed->property->name};
    obv__diagnose(computed->context, &diagnostic);
}

/* Memory was short: it tells of the next mark, since of the last it may not have
   heard. */
OBV__NOINLINE static void stay_armed(struct obv__computed *computed)
{
    report_memory(computed);
    obv__store_release(&computed->is_stale, (uint8_t)0);
}

/* The value that it had stays. */
static void set_failed(struct obv__computed *computed, bool is_short)
{
    obv__store_relaxed(&computed->unsound,
                       (uint8_t)((computed->unsound & OBV__NO_VALUE) |
                                 OBV__FAILED | (is_short ? OBV__SHORT : 0)));
}

/* So often in a row a function is run again for immediate observations, since a
   handler that it sets off sets what it has read. */
enum { AGAIN = 64 };

/* The edit that has asked does so again, or who gives the record back. */
OBV__NOINLINE static void want_again(struct obv__computed *computed,
                                     struct obv__work_list *work)
{
    bool is_wanted = computed->is_wanted_again;
    computed->is_wanted_again = 0;
    computed->run_again = is_wanted ? computed->run_again + 1 : 0;
    if (computed->run_again > AGAIN) {
        const struct obv_diagnostic diagnostic = {
            .kind = OBV_DIAGNOSTIC_DEPTH,
            .text = "handlers set what a computed property has read whenever "
                    "it is computed: it stays invalid until the next change",
            .path = computed->property->name};
        computed->run_again = 0;
        obv__store_release(&computed->is_stale, (uint8_t)0);
        obv__diagnose(computed->context, &diagnostic);
    } else if (is_wanted && work) {
        obv__work_list_add_invalid(work, computed);
    } else if (is_wanted) {
        obv__wait(computed);
    }
}

/* The record is claimed. Its object is kept by the caller. */
OBV__INLINE enum obv_status evaluate(struct obv__thread *self,
                                     struct evaluation *evaluation,
                                     struct obv__computed *computed)
{
    const struct obv_property *property = computed->property;
    union near near;
    void *result = room_for(computed->context, property, &near);
    if (OBV__UNLIKELY(!result)) {
        computed->has_run = 1;
        computed->status = OBV_E_MEMORY;
        set_failed(computed, true);
        stay_armed(computed);
        return OBV_E_MEMORY;
    }
    begin_evaluation(evaluation, computed);
    set_phase(computed, OBV__RUNS);
    take_marks(computed);
    computed->was_set = 0;
    if (OBV__UNLIKELY(computed->declares)) {
        evaluation->is_unrecorded = obv__declared_is_short(computed);
        evaluation->is_checked = obv__dependency_check_begin(computed);
    }
    begin_recording(self, evaluation);
    enum obv_status status = run_function(self, evaluation, result);
    set_phase(computed, OBV__CHECKS);
    end_recording(self, evaluation);
    computed->has_run = 1;
    computed->checked = NULL;
    if (OBV__UNLIKELY(computed->was_set)) {
        if (status == OBV_OK) {
            obv__value_disown(computed->context, property, result);
        }
        status = OBV_OK;
    } else if (status == OBV_OK) {
        unsigned unsound =
            OBV__UNLIKELY(evaluation->is_unrecorded)
                ? OBV__OVERTAKEN | OBV__SHORT
            : computed->is_overtaken || obv__load_acquire(&computed->is_stale)
                ? OBV__OVERTAKEN
                : 0;
        store_result(self, computed, result, unsound, evaluation->work);
    } else {
        set_failed(computed,
                   evaluation->is_unrecorded || status == OBV_E_MEMORY);
    }
    computed->status = (int8_t)status;
    leave_room(computed->context, property, result, &near);
    if (OBV__UNLIKELY(evaluation->is_unrecorded)) {
        stay_armed(computed);
    }
    if (OBV__UNLIKELY(evaluation->is_checked) && status == OBV_OK) {
        obv__dependency_check_end(computed, evaluation->undeclared);
    }
    if (OBV__UNLIKELY(computed->is_wanted_again | computed->run_again)) {
        want_again(computed, evaluation->work);
    }
    set_phase(computed, OBV__RESTS);
    return status;
}

OBV__NOINLINE static enum obv_status
evaluate_alone(struct obv__thread *self, struct obv__computed *computed,
               struct obv__work_list *work)
{
    struct evaluation evaluation;
    begin_evaluations(self, &evaluation, work);
    enum obv_status status = evaluate(self, &evaluation, computed);
    end_evaluations(&evaluation);
    return status;
}

/* Whether a value that nobody keeps is of use to who reads. */
static bool is_had_apart(const struct obv_property *property, const void *apart)
{
    return apart && (obv__kind_is_scalar(property->kind) || property->custom);
}

/* Another thread evaluates it: for this one alone, and nothing is kept. What it
   reads is read by whoever this thread evaluates outside. */
enum obv_status obv__compute_apart(struct obv__thread *self,
                                   struct obv__computed *computed, void *apart)
{
    struct evaluation evaluation;
    struct evaluation *innermost = *place_of_innermost(self);
    /* Nobody else knows of those that run apart. */
    for (const struct evaluation *at = innermost; at; at = at->outer) {
        if (at->is_apart && at->computed == computed) {
            return report_cycle(self, computed);
        }
    }
    begin_evaluations(self, &evaluation, NULL);
    begin_evaluation(&evaluation, computed);
    evaluation.is_apart = true;
    memset(apart, 0, computed->property->size);
    enum obv_status status = run_function(self, &evaluation, apart);
    end_evaluations(&evaluation);
    if (innermost) {
        /* It has read another value, and is as new. */
        obv__computed_renew(innermost->computed,
                            obv__load_relaxed(&computed->stamp));
    }
    return status == OBV_OK ? OBV_E_BUSY : status;
}

/* Pulling ------------------------------------------------------------------ */

static bool must_evaluate(const struct obv__computed *computed)
{
    return obv__load_acquire(&computed->is_dirty) || computed->unsound;
}

/* The same while it is checked: it is evaluated once, and not at all where what it
   depends on has set it. */
static bool is_to_run(const struct obv__computed *computed)
{
    return must_evaluate(computed) && !computed->has_run && !computed->was_set;
}

/* Begins to check a claimed record: marks that come from here on stay. */
OBV__INLINE void begin_check(struct obv__computed *computed)
{
    computed->checked = computed->dependencies;
    computed->has_run = computed->was_set = 0;
    computed->version_before = computed->version;
    obv__declared_check(computed);
    set_phase(computed, OBV__CHECKS);
    if (!must_evaluate(computed)) {
        obv__store_release(&computed->is_stale, (uint8_t)0);
        if (obv__computed_is_shared(computed)) {
            obv__fence_seq_cst();
        }
    }
}

/* The next source that is not valid, claimed; NULL: there is none. One that cannot
   be claimed has to be read. Without `with_read` only what is declared is looked
   at: nobody but we sees to it that this tells of its changes. */
static struct obv__computed *claim_source(struct obv__thread *self,
                                          struct obv__computed *computed,
                                          bool with_read)
{
    struct obv__computed *declared =
        OBV__UNLIKELY(computed->declares) && !computed->has_run
            ? obv__declared_claim(self, computed)
            : NULL;
    if (declared) {
        return declared;
    }
    while (with_read && computed->checked) {
        struct obv__edge *edge = computed->checked;
        struct obv__computed *source =
            obv__load_acquire(&edge->watcher.place) ? edge->source : NULL;
        computed->checked = obv__edge_next(edge);
        if (source && !obv__computed_is_valid(source)) {
            if (obv__claim(self, source)) {
                return source;
            }
            obv__store_release(&computed->is_dirty, (uint8_t)1);
        }
    }
    return NULL;
}

/* One claimed record after the other, from the source on that lies deepest. */
OBV__NOINLINE static enum obv_status pull_sources(struct obv__thread *self,
                                                  struct obv__computed *asked,
                                                  struct obv__work_list *work,
                                                  bool is_deep)
{
    struct evaluation evaluation;
    bool has_begun = false;
    enum obv_status status = OBV_OK;
    struct obv__computed *at = asked;
    at->asker = NULL;
    begin_check(at);
    while (at) {
        bool is_due = is_to_run(at);
        struct obv__computed *source =
            claim_source(self, at, !is_due || is_deep);
        if (source) {
            source->asker = at;
            begin_check(source);
            at = source;
            continue;
        }
        bool held = false;
        status = at->has_run ? (enum obv_status)at->status : OBV_OK;
        if (is_due || is_to_run(at)) {
            if (!has_begun) {
                begin_evaluations(self, &evaluation, work);
                has_begun = true;
            }
            /* Who asks keeps the object of what it asks for. */
            bool is_there = at == asked || obv__computed_hold(self, at, &held);
            status = is_there ? evaluate(self, &evaluation, at) : OBV_E_ENDED;
        }
        struct obv__computed *asker = at->asker;
        struct obv_object *object = at->object;
        if (at->was_set) {
            obv__store_relaxed(&at->is_dirty, (uint8_t)0);
        }
        tell_valid(self, at, work);
        obv__give_back(self, at);
        if (asker && !obv__computed_is_valid(at)) {
            obv__store_release(&asker->is_dirty, (uint8_t)1);
        }
        if (held) {
            obv__class_of(object)->release(object);
        }
        at = asker;
    }
    if (has_begun) {
        end_evaluations(&evaluation);
    }
    return status;
}

/* A claimed record. One that is to be evaluated whatever its sources have to say is
   evaluated at once. */
OBV__INLINE enum obv_status pull(struct obv__thread *self,
                                 struct obv__computed *asked,
                                 struct obv__work_list *work)
{
    const struct evaluation *innermost = *place_of_innermost(self);
    bool is_deep = innermost && innermost->depth > DEEP;
    if (!must_evaluate(asked) || asked->declares || is_deep) {
        return pull_sources(self, asked, work, is_deep);
    }
    asked->version_before = asked->version;
    enum obv_status status = evaluate_alone(self, asked, work);
    tell_valid(self, asked, work);
    obv__give_back(self, asked);
    return status;
}

/* Another thread is at it. Who cannot do with a value of its own is told of the
   other's. */
OBV__NOINLINE static enum obv_status
compute_beside(struct obv__thread *self, struct obv__computed *computed,
               struct obv__work_list *work, void *apart)
{
    if (is_had_apart(computed->property, apart)) {
        return obv__compute_apart(self, computed, apart);
    }
    bool is_wanted = work || *place_of_innermost(self);
    return is_wanted && obv__claim_or_wait(self, computed)
               ? pull(self, computed, work)
               : OBV_E_BUSY;
}

/* Nobody has computed it before. */
OBV__NOINLINE static enum obv_status
make_computed(struct obv_object *object, uint32_t slot,
              struct obv__computed **computed)
{
    *computed = obv__computed_make(object, slot);
    return *computed                       ? OBV_OK
           : obv__object_is_ending(object) ? OBV_E_ENDED
                                           : OBV_E_MEMORY;
}

/* This thread has claimed the record already. */
OBV__NOINLINE static enum obv_status
compute_inside(struct obv__thread *self, struct obv__computed *computed,
               struct obv__work_list *work)
{
    uint8_t phase = obv__load_relaxed(&computed->phase);
    if (phase == OBV__RUNS) {
        obv__wait(computed);
        return report_cycle(self, computed);
    }
    if (phase == OBV__STANDS) {
        return OBV_OK;
    }
    /* It waits for a source whose function reads it now, which it did not last
       time. Or for its paths to be wired: then no function runs. */
    return evaluate_alone(self, computed, work);
}

/* In an epoch section. */
OBV__INLINE enum obv_status compute(struct obv__thread *self,
                                    struct obv__computed *computed,
                                    struct obv__work_list *work, void *apart)
{
    if (obv__claim(self, computed)) {
        return pull(self, computed, work);
    }
    return obv__computed_is_of(computed, obv__thread_number(self))
               ? compute_inside(self, computed, work)
               : compute_beside(self, computed, work, apart);
}

/* `computed`: its record, or NULL. */
OBV__NOINLINE static enum obv_status
compute_in_section(struct obv_object *object, uint32_t slot,
                   struct obv__computed *computed, void *apart)
{
    struct obv__thread *self = obv__thread_self();
    struct evaluation *innermost = *place_of_innermost(self);
    enum obv_status status = OBV_OK;
    obv__epoch_enter(self);
    if (OBV__UNLIKELY(!computed)) {
        status = make_computed(object, slot, &computed);
    }
    if (computed) {
        status =
            compute(self, computed, innermost ? innermost->work : NULL, apart);
    }
    if (status == OBV_OK && innermost && !innermost->is_apart &&
        !obv__computed_is_valid(computed)) {
        /* Its own function has done that: so is who reads it. */
        innermost->computed->is_overtaken = 1;
    }
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
               : compute_in_section(object, slot,
                                    obv__computed_of(object, slot), apart);
}

/* Whoever evaluates further out does not read it, nor has failed where it
   cannot be had. */
void obv__bring_path_up_to_date(struct obv_object *object, uint32_t slot,
                                struct obv__work_list *work)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__computed *computed = obv__computed_of(object, slot);
    struct obv__evaluating suspended;
    if (computed && obv__computed_runs(computed, obv__thread_number(self))) {
        return;
    }
    obv__evaluating_suspend(self, &suspended);
    if (computed || make_computed(object, slot, &computed) == OBV_OK) {
        (void)compute(self, computed, work, NULL);
    }
    obv__evaluating_resume(self, &suspended);
}

/* Whether an edge is of last time, and has not been read again yet. */
static bool is_of_last_time(const struct evaluation *evaluation,
                            const struct obv__watcher *edge)
{
    const struct obv__edge *at = evaluation->next;
    while (at && &at->watcher != edge) {
        at = obv__edge_next(at);
    }
    return at != NULL;
}

/* While a handler runs nobody evaluates: so those further out are not found. */
bool obv__overtake(const struct obv__thread *self,
                   struct obv__computed *computed,
                   const struct obv__watcher *edge)
{
    const struct evaluation *at = self->slots[OBV__THREAD_COMPUTES];
    while (at && at->computed != computed) {
        at = at->outer;
    }
    if (at && !(edge && is_of_last_time(at, edge))) {
        computed->is_overtaken = 1;
    }
    return at != NULL;
}

void obv__compute_for(struct obv__computed *computed,
                      struct obv__work_list *work)
{
    bool held;
    struct obv_object *object =
        obv__computed_hold(work->thread, computed, &held);
    if (obv__computed_runs(computed, obv__thread_number(work->thread))) {
        /* A handler that its function has set off has marked it. */
        computed->is_wanted_again = 1;
    } else if (object && !obv__computed_is_valid(computed)) {
        (void)compute(work->thread, computed, work, NULL);
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

static struct obv__computed *record_of(struct obv_object *object, uint32_t slot)
{
    return obv__computed_in(obv__node(object), slot);
}

/* obv_detail_read_property(), mostly without a call. The record that was read, or
   NULL: it has none yet. */
OBV__INLINE struct obv__computed *note_read(struct obv_object *object,
                                            uint32_t slot)
{
    struct obv_detail_reader *reader =
        obv__thread_or_new()->slots[OBV__THREAD_READER];
    struct evaluation *evaluation = evaluation_of(reader);
    if (!reader || reader->read_slot != read_slot) {
        obv_detail_read_property(object, slot);
    } else if (is_edge_of(evaluation->next, object, slot)) {
        pass_next(evaluation);
        return evaluation->last->source;
    } else {
        record_other(evaluation, object, slot);
    }
    return record_of(object, slot);
}

bool obv_detail_compute(struct obv_object *object, uint32_t property,
                        void *apart)
{
    /* Told first: from the edge on whatever makes it invalid marks who reads it. */
    struct obv__computed *computed = OBV__UNLIKELY(obv_detail_is_reading())
                                         ? note_read(object, property)
                                         : record_of(object, property);
    if (computed && obv__computed_is_valid(computed)) {
        return true;
    }
    /* Where it is not, the object is at its end. */
    return !obv__slot_is_computed(obv__class_of(object), property) ||
           compute_in_section(object, property, computed, apart) != OBV_E_BUSY;
}
