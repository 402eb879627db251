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
#include "dispatch/reading.h"
#include "edit/edit.h"
#include "model/context.h"
#include "model/owned.h"
#include "model/value.h"
#include "platform/exception.h"
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
    uint32_t depth;
    union {
        uint32_t unusual; /* any of these */
        struct {
            int8_t failed;      /* enum obv_status, of what it has read */
            bool is_apart;      /* for a value that is not kept */
            bool is_checked;    /* what it reads, with what is declared */
            bool is_unrecorded; /* memory was short for an edge */
        };
    };
};

/* So many functions call each other before sources are brought up to date
   first. */
enum { DEEP = 200 };

static void **place_of_innermost(struct obv__thread *self)
{
    return &self->slots[OBV__THREAD_COMPUTES];
}

/* The evaluation is through. Release: who finds that it rests sees its value. */
static void rest(struct obv__computed *computed, unsigned unsound)
{
    obv__store_release(&computed->state, (uint8_t)(OBV__RESTS | unsound));
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
    if (obv__load_acquire(&computed->stale)) {
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

/* Another value is stored: the one before it is lent to the record, as what those who
   wait compare with, if there was one, and memory to keep it. False: nobody does. */
static bool lend_displaced(struct obv__computed *computed,
                           const struct displaced *old, union obv__raw *left,
                           bool *has_left)
{
    uint8_t is_now = OBV__FIRST_IS_NOW;
    /* The state is looked at behind the version: pairs with ask_first()
       (invalidation.c). */
    bool is_first =
        obv__load_seq_cst(&computed->first_state) == OBV__FIRST_IS_NOW &&
        obv__cas_seq_cst(
            &computed->first_state, &is_now,
            (uint8_t)(old->is_known ? OBV__FIRST_KEPT : OBV__FIRST_UNKNOWN));
    if (is_first) {
        *has_left = obv__first_take(computed, left);
        computed->first = old->value;
        obv__store_release(
            &computed->has_first,
            (uint8_t)(old->is_kept ? OBV__FIRST_IS_LENT : OBV__FIRST_IS_NONE));
        computed->first_until = old->until;
    }
    return is_first;
}

/* The record keeps what was lent to it, if somebody waits still, and no evaluation
   within has put another in its place. Else false. */
static bool give_displaced(struct obv__computed *computed)
{
    uint8_t lent = OBV__FIRST_IS_LENT;
    bool waits = obv__load_acquire(&computed->first_state) >= OBV__FIRST_KEPT;
    return obv__cas_seq_cst(
               &computed->has_first, &lent,
               (uint8_t)(waits ? OBV__FIRST_IS_OWN : OBV__FIRST_IS_NONE)) &&
           waits;
}

/* Who has read the property has to evaluate: that has another value. Whether anybody
   else hears of it. */
OBV__INLINE bool dirty_dependents(const struct obv__computed *computed,
                                  uintptr_t thread)
{
    bool has_others = false;
    uint64_t stamp = obv__load_relaxed(&computed->stamp);
    for (struct obv__watcher *w = obv__first(computed->head); w;
         w = obv__next(w)) {
        if (obv__is_edge(w)) {
            obv__computed_dirty(w->of, thread, stamp);
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
    obv__computed_set_phase(computed, OBV__RESTS);
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
    if (OBV__UNLIKELY(!computed->is_word) &&
        computed->version == computed->version_before &&
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

/* Another thread may read a scalar at the same time. Bytes lie anywhere. */
OBV__INLINE void store_value(const struct obv_property *property, void *field,
                             const void *value, bool is_word)
{
    bool is_bytes = !is_word && property->kind == OBV_KIND_bytes;
    switch (is_bytes ? 0 : property->size) {
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

static void drop_displaced(struct obv__computed *computed,
                           union obv__raw *value, struct obv__work_list *work)
{
    if (work && obv__may_hold_object(computed->property)) {
        obv__work_list_keep_replaced(work, computed->property, value);
    } else {
        obv__raw_drop(computed->context, computed->property, value);
    }
}

/* Somebody wants the value that was stored before, or it owns something. */
OBV__NOINLINE static void tell_stored(struct obv__thread *self,
                                      struct obv__computed *computed,
                                      struct displaced *old, bool has_others,
                                      struct obv__work_list *work)
{
    struct obv__work_list own;
    union obv__raw left;
    bool has_left = false;
    if (OBV__UNLIKELY(obv__load_acquire(&computed->box_readers))) {
        obv__box_wait(computed);
    }
    /* Before it is announced: paths that leave meanwhile compare with it. */
    bool is_first = lend_displaced(computed, old, &left, &has_left);
    bool is_due =
        has_others &&
        announce(self, computed,
                 old->is_known ? obv__raw_value(computed, &old->value) : NULL,
                 OBV__EDIT_COMPUTED, work, &own);
    /* Handlers may set it there and back. */
    bool is_given = is_first && give_displaced(computed);
    if (is_due) {
        obv__work_list_deliver(&own);
    }
    if (has_left) {
        drop_displaced(computed, &left, has_others ? work : NULL);
    }
    if (old->is_kept && !is_given) {
        drop_displaced(computed, &old->value, has_others ? work : NULL);
    }
}

/* Another value: what depends on it is told before it is seen as valid, since another
   thread checks who depends on it then. */
OBV__INLINE void store_fresh(struct obv__thread *self,
                             struct obv__computed *computed, const void *fresh,
                             unsigned unsound, struct obv__work_list *work,
                             bool is_word)
{
    const struct obv_property *property = computed->property;
    union obv__raw before;
    bool is_kept = true;
    if (is_word) {
        before.scalar = value_word(property, computed->value);
    } else {
        is_kept =
            keep_raw(computed->context, property, computed->value, &before);
    }
    bool is_known = is_kept && obv__computed_has_value(computed);
    store_value(property, computed->value, fresh, is_word);
    count_version(computed);
    bool has_others =
        dirty_dependents(computed, (uintptr_t)self->slots[OBV__THREAD_NUMBER]);
    rest(computed, unsound);
    if (has_others || (!is_word && !obv__kind_is_scalar(property->kind))) {
        struct displaced old = {before, is_kept, is_known,
                                (uint32_t)obv__registration_epoch()};
        tell_stored(self, computed, &old, has_others, work);
    }
}

/* obv__value_equal(), of words without a call. */
OBV__INLINE bool is_stored_already(const struct obv__computed *computed,
                                   const void *fresh, bool is_word)
{
    const struct obv_property *property = computed->property;
    return is_word ? value_word(property, computed->value) ==
                         value_word(property, fresh)
                   : obv__value_equal(property, computed->value, fresh);
}

/* Stores what was computed; an equal value is let go of. */
OBV__INLINE void store_result(struct obv__thread *self,
                              struct obv__computed *computed, void *fresh,
                              unsigned unsound, struct obv__work_list *work,
                              bool is_word)
{
    if (obv__computed_has_value(computed) &&
        is_stored_already(computed, fresh, is_word)) {
        rest(computed, unsound);
        if (!is_word) {
            obv__value_disown(computed->context, computed->property, fresh);
        }
        return;
    }
    store_fresh(self, computed, fresh, unsound, work, is_word);
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

/* So many are looked through for a repeated read: of what was read first, and of
   what hangs where it was read. */
enum { LOOKS = 4 };

/* Whether an edge of a record, of which each is of this evaluation, hangs there. */
static bool hangs_there(const struct obv__computed *computed,
                        const struct obv_object *object, uint32_t slot)
{
    struct obv_detail_node *node = obv__node(object);
    const uintptr_t *head = node ? obv__list(node, slot) : NULL;
    const struct obv__watcher *w = head ? obv__first(head) : NULL;
    bool found = false;
    for (int i = 0; i < LOOKS && w && !found; i++) {
        found = obv__is_edge(w) && w->of == computed;
        w = obv__next(w);
    }
    return found;
}

/* Whether this evaluation has surely read it before. A repeated read that is not
   found gets one more edge: no read searches. */
static bool was_read(const struct evaluation *evaluation,
                     const struct obv_object *object, uint32_t slot)
{
    const struct obv__edge *end = evaluation->next;
    const struct obv__edge *edge = evaluation->computed->dependencies;
    bool found = is_edge_of(evaluation->last, object, slot);
    for (int i = 0; i < LOOKS && edge != end && !found; i++) {
        found = is_edge_of(edge, object, slot);
        edge = obv__edge_next(edge);
    }
    return found || (!end && hangs_there(evaluation->computed, object, slot));
}

/* Those that were not read again. */
OBV__NOINLINE static void end_edges_before(struct evaluation *evaluation,
                                           const struct obv__edge *end)
{
    struct obv_context *context = evaluation->computed->context;
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
    struct obv__edge *next = evaluation->next, *made;
    struct obv__edge *after = next ? obv__edge_next(next) : NULL;
    if (is_edge_of(after, object, slot)) {
        end_edges_before(evaluation, after);
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
        evaluation->computed->happened |= OBV__IS_OVERTAKEN;
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
        status = (enum obv_status)evaluation->failed;
    }
    return evaluation->failed == OBV_E_CYCLE ? OBV_E_CYCLE : status;
}

/* Field by field, and the next: an initializer makes a string operation of it, which
   costs more than the rest. */
OBV__INLINE void begin_evaluations(struct obv__thread *self,
                                   struct evaluation *evaluation,
                                   struct obv__work_list *work)
{
    struct evaluation *outer = *place_of_innermost(self);
    evaluation->reader.outer = self->slots[OBV__THREAD_READER];
    evaluation->reader.read = read_at_offset;
    evaluation->reader.read_slot = read_slot;
    evaluation->outer = outer;
    evaluation->work = work;
    evaluation->depth = 1;
    if (outer) {
        evaluation->work = outer->work;
        evaluation->depth = outer->depth + 1;
    } else {
        obv__recording_begin(self);
    }
}

OBV__INLINE void end_evaluations(struct obv__thread *self,
                                 const struct evaluation *evaluation)
{
    if (!evaluation->outer) {
        obv__recording_end(self);
    }
}

OBV__INLINE void begin_evaluation(struct evaluation *evaluation,
                                  struct obv__computed *computed)
{
    evaluation->computed = computed;
    evaluation->unusual = 0;
}

/* What was declared is looked at as well. */
OBV__NOINLINE static void begin_with_declared(struct evaluation *evaluation)
{
    struct obv__computed *computed = evaluation->computed;
    evaluation->is_unrecorded = obv__declared_is_short(computed);
    evaluation->is_checked = obv__dependency_check_begin(computed);
    if (evaluation->is_checked) {
        evaluation->undeclared = NULL;
        evaluation->reader.read = read_checked;
        evaluation->reader.read_slot = read_slot_checked;
    }
}

OBV__NOINLINE static enum obv_status
end_unusual(struct evaluation *evaluation, enum obv_status status, void *result)
{
    if (evaluation->failed != OBV_OK) {
        status = fail_with_source(evaluation, status, result);
    }
    if (evaluation->is_unrecorded && evaluation->outer) {
        evaluation->outer->is_unrecorded = true;
    }
    evaluation->reader.read = read_at_offset;
    evaluation->reader.read_slot = read_slot;
    return status;
}

/* Runs the function of the program. */
OBV__INLINE enum obv_status run_function(struct obv__thread *self,
                                         struct evaluation *evaluation,
                                         void *result)
{
    const struct obv__computed *computed = evaluation->computed;
    const struct obv_property *property = computed->property;
    *place_of_innermost(self) = evaluation;
    OBV__NO_EXCEPTION_LEAVES();
    enum obv_status status =
        property->computed->evaluate(computed->object, property, result);
    *place_of_innermost(self) = evaluation->outer;
    return status;
}

/* The same; what it reads is what the record depends on. */
OBV__INLINE enum obv_status record_function(struct obv__thread *self,
                                            struct evaluation *evaluation,
                                            void *result)
{
    evaluation->last = NULL;
    evaluation->next = evaluation->computed->dependencies;
    self->slots[OBV__THREAD_READER] = &evaluation->reader;
    enum obv_status status = run_function(self, evaluation, result);
    self->slots[OBV__THREAD_READER] = evaluation->reader.outer;
    if (OBV__UNLIKELY(evaluation->next != NULL)) {
        end_edges_before(evaluation, NULL);
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
    void *room = property->size <= NEAR
                     ? near
                     : obv__context_allocate(context, property->size);
    return room ? memset(room, 0, property->size) : NULL;
}

static void leave_room(struct obv_context *context,
                       const struct obv_property *property, void *room,
                       const void *near)
{
    if (room && room != near) {
        obv__context_free(context, room, property->size);
    }
}

/* Its function is about to run. */
static void take_marks(struct obv__computed *computed)
{
    bool is_shared = obv__computed_is_shared(computed);
    obv__computed_put_phase(computed, OBV__RUNS, is_shared);
    obv__store_relaxed(&computed->is_set, (uint8_t)0);
    obv__store_relaxed(&computed->is_dirty, (uint8_t)0);
    /* Release: behind the phase. */
    obv__store_release(&computed->stale, (uintptr_t)0);
    if (is_shared) {
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
    obv__store_release(&computed->stale, (uintptr_t)0);
}

/* The value that it had stays. */
static void set_failed(struct obv__computed *computed, bool is_short)
{
    unsigned no_value = obv__computed_unsound(computed) & OBV__NO_VALUE;
    rest(computed, no_value | OBV__FAILED | (is_short ? OBV__SHORT : 0));
}

/* So often in a row a function is run again for immediate observations, since a
   handler that it sets off sets what it has read. */
enum { AGAIN = 64 };

/* The edit that has asked does so again, or who gives the record back. */
OBV__NOINLINE static void want_again(struct obv__computed *computed,
                                     struct obv__work_list *work)
{
    bool is_wanted = (computed->happened & OBV__WANTED_AGAIN) != 0;
    computed->happened &= (uint8_t) ~(OBV__WANTED_AGAIN | OBV__RAN_AGAIN);
    computed->happened |= is_wanted ? OBV__RAN_AGAIN : 0;
    computed->run_again = is_wanted ? computed->run_again + 1 : 0;
    if (computed->run_again > AGAIN) {
        const struct obv_diagnostic diagnostic = {
            .kind = OBV_DIAGNOSTIC_DEPTH,
            .text = "handlers set what a computed property has read whenever "
                    "it is computed: it stays invalid until the next change",
            .path = computed->property->name};
        computed->run_again = 0;
        obv__store_release(&computed->stale, (uintptr_t)0);
        obv__diagnose(computed->context, &diagnostic);
    } else if (is_wanted && work) {
        obv__work_list_add_invalid(work, computed);
    } else if (is_wanted) {
        obv__wait(computed);
    }
}

/* No memory for what it would compute. */
OBV__NOINLINE static enum obv_status
run_out_of_memory(struct obv__computed *computed)
{
    computed->happened |= OBV__HAS_RUN;
    computed->status = OBV_E_MEMORY;
    set_failed(computed, true);
    stay_armed(computed);
    return OBV_E_MEMORY;
}

/* Whether the function has answered a value, and there is nothing else to it. */
OBV__INLINE bool was_sound(const struct evaluation *evaluation,
                           enum obv_status status)
{
    const struct obv__computed *computed = evaluation->computed;
    return status == OBV_OK && evaluation->unusual == 0 &&
           computed->happened == 0 && !obv__load_acquire(&computed->stale);
}

/* Its function has ended its object, whose values are gone. */
OBV__NOINLINE static enum obv_status
end_with_object(struct obv__computed *computed, void *result,
                enum obv_status status)
{
    if (status == OBV_OK) {
        obv__value_disown(computed->context, computed->property, result);
    }
    obv__edges_end(computed->context, computed);
    rest(computed, OBV__NO_VALUE | OBV__FAILED);
    return OBV_E_ENDED;
}

/* Whatever else the function has answered or done. */
OBV__NOINLINE static enum obv_status
end_otherwise(struct obv__thread *self, const struct evaluation *evaluation,
              void *result, enum obv_status status)
{
    struct obv__computed *computed = evaluation->computed;
    const struct obv_property *property = computed->property;
    if (OBV__UNLIKELY(computed->happened & OBV__HAS_ENDED)) {
        return end_with_object(computed, result, status);
    }
    if (OBV__UNLIKELY(computed->happened & OBV__WAS_SET)) {
        if (status == OBV_OK) {
            obv__value_disown(computed->context, property, result);
        }
        status = OBV_OK;
    } else if (status == OBV_OK) {
        unsigned unsound = OBV__UNLIKELY(evaluation->is_unrecorded)
                               ? OBV__OVERTAKEN | OBV__SHORT
                           : (computed->happened & OBV__IS_OVERTAKEN) ||
                                   obv__load_acquire(&computed->stale)
                               ? OBV__OVERTAKEN
                               : 0;
        store_result(self, computed, result, unsound, evaluation->work, false);
    } else {
        set_failed(computed,
                   evaluation->is_unrecorded || status == OBV_E_MEMORY);
    }
    if (OBV__UNLIKELY(evaluation->is_unrecorded)) {
        stay_armed(computed);
    }
    if (OBV__UNLIKELY(evaluation->is_checked) && status == OBV_OK) {
        obv__dependency_check_end(computed, evaluation->undeclared);
    }
    if (computed->happened & (OBV__WANTED_AGAIN | OBV__RAN_AGAIN)) {
        want_again(computed, evaluation->work);
    }
    return status;
}

/* The record is claimed. Its object is kept by the caller. `is_word` is known
   when this is compiled. */
OBV__INLINE enum obv_status evaluate_as(struct obv__thread *self,
                                        struct evaluation *evaluation,
                                        struct obv__computed *computed,
                                        bool is_word)
{
    const struct obv_property *property = computed->property;
    union near near;
    void *result = &near;
    if (is_word) {
        near.word = 0;
    } else {
        result = room_for(computed->context, property, &near);
        if (OBV__UNLIKELY(!result)) {
            return run_out_of_memory(computed);
        }
    }
    begin_evaluation(evaluation, computed);
    if (OBV__UNLIKELY(computed->declares)) {
        begin_with_declared(evaluation);
    }
    take_marks(computed);
    computed->happened &= OBV__RAN_AGAIN;
    enum obv_status status = record_function(self, evaluation, result);
    computed->checked = NULL;
    bool is_sound = was_sound(evaluation, status);
    computed->happened |= OBV__HAS_RUN;
    if (!is_sound) {
        status = end_unusual(evaluation, status, result);
    }
    if (!is_word || !is_sound) {
        /* Code of the program may run, and finds no cycle here. */
        obv__computed_set_phase(computed, OBV__CHECKS);
    }
    if (is_sound) {
        store_result(self, computed, result, 0, evaluation->work, is_word);
    } else {
        status = end_otherwise(self, evaluation, result, status);
        obv__computed_set_phase(computed, OBV__RESTS);
    }
    computed->status = (int8_t)status;
    if (!is_word) {
        leave_room(computed->context, property, result, &near);
    }
    return status;
}

OBV__NOINLINE static enum obv_status
evaluate_large(struct obv__thread *self, struct evaluation *evaluation,
               struct obv__computed *computed)
{
    return evaluate_as(self, evaluation, computed, false);
}

OBV__INLINE enum obv_status evaluate(struct obv__thread *self,
                                     struct evaluation *evaluation,
                                     struct obv__computed *computed)
{
    return OBV__UNLIKELY(!computed->is_word)
               ? evaluate_large(self, evaluation, computed)
               : evaluate_as(self, evaluation, computed, true);
}

OBV__INLINE enum obv_status evaluate_alone(struct obv__thread *self,
                                           struct obv__computed *computed,
                                           struct obv__work_list *work)
{
    struct evaluation evaluation;
    begin_evaluations(self, &evaluation, work);
    enum obv_status status = evaluate(self, &evaluation, computed);
    end_evaluations(self, &evaluation);
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
    status = end_unusual(&evaluation, status, apart);
    end_evaluations(self, &evaluation);
    if (innermost) {
        /* It has read another value, and is as new. */
        obv__computed_renew(innermost->computed,
                            obv__load_relaxed(&computed->stamp));
    } else {
        obv__first_unknown(computed);
    }
    return status == OBV_OK ? OBV_E_BUSY : status;
}

/* Pulling ------------------------------------------------------------------ */

static bool must_evaluate(const struct obv__computed *computed)
{
    return obv__load_acquire(&computed->is_dirty) ||
           obv__computed_unsound(computed);
}

/* The same while it is checked: it is evaluated once, and not at all where what it
   depends on has set it. */
static bool is_to_run(const struct obv__computed *computed)
{
    return must_evaluate(computed) &&
           !(computed->happened & (OBV__HAS_RUN | OBV__WAS_SET));
}

/* Begins to check a claimed record: marks that come from here on stay. Whether it is
   to be evaluated whatever its sources have to say. */
OBV__INLINE bool begin_check(struct obv__computed *computed)
{
    computed->checked = computed->dependencies;
    computed->happened &= OBV__RAN_AGAIN;
    computed->status = OBV_OK;
    computed->version_before = computed->version;
    if (OBV__UNLIKELY(computed->declares)) {
        obv__declared_check(computed);
    }
    bool is_shared = obv__computed_is_shared(computed);
    obv__computed_put_phase(computed, OBV__CHECKS, is_shared);
    if (must_evaluate(computed)) {
        return true;
    }
    obv__store_release(&computed->stale, (uintptr_t)0);
    if (is_shared) {
        obv__fence_seq_cst();
    }
    return false;
}

/* The next source that was read and is not valid, claimed; NULL: there is none. One
   that cannot be claimed has to be read. */
OBV__INLINE struct obv__computed *claim_read(struct obv__thread *self,
                                             struct obv__computed *computed)
{
    while (computed->checked) {
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

/* The next source, declared or read. What is declared is looked at in any case:
   nobody but we sees to it that this tells of its changes. */
OBV__INLINE struct obv__computed *claim_source(struct obv__thread *self,
                                               struct obv__computed *computed,
                                               bool with_read)
{
    if (OBV__UNLIKELY(computed->declares) &&
        !(computed->happened & OBV__HAS_RUN)) {
        struct obv__computed *declared = obv__declared_claim(self, computed);
        if (declared) {
            return declared;
        }
    }
    return with_read ? claim_read(self, computed) : NULL;
}

/* One claimed record after the other, from the source on that lies deepest. */
OBV__NOINLINE static enum obv_status pull_sources(struct obv__thread *self,
                                                  struct obv__computed *asked,
                                                  struct obv__work_list *work,
                                                  bool is_deep)
{
    struct evaluation evaluation;
    enum obv_status status = OBV_OK;
    struct obv__computed *at = asked;
    begin_evaluations(self, &evaluation, work);
    at->asker = NULL;
    bool is_due = begin_check(at);
    while (at) {
        struct obv__computed *source =
            claim_source(self, at, !is_due || is_deep);
        if (source) {
            source->asker = at;
            is_due = begin_check(source);
            at = source;
            continue;
        }
        struct obv_object *object = at->object;
        bool held = false;
        status = (enum obv_status)at->status;
        if (is_due || is_to_run(at)) {
            /* Who asks keeps the object of what it asks for. */
            bool is_there = at == asked
                                ? !(at->happened & OBV__HAS_ENDED)
                                : obv__computed_hold(self, at, &held) != NULL;
            status = is_there ? evaluate(self, &evaluation, at) : OBV_E_ENDED;
        }
        struct obv__computed *asker = at->asker;
        if (OBV__UNLIKELY(at->happened & OBV__WAS_SET)) {
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
        is_due = at && is_to_run(at);
    }
    end_evaluations(self, &evaluation);
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

/* Another thread is at it. A function that reads it, and who cannot do with a value
   of its own, are told of the other's: as long as that is not there, nobody else
   hears of what it depends on by a declared path alone. */
OBV__NOINLINE static enum obv_status
compute_beside(struct obv__thread *self, struct obv__computed *computed,
               struct obv__work_list *work, void *apart)
{
    bool is_wanted = work || *place_of_innermost(self);
    if (is_wanted && obv__claim_or_wait(self, computed)) {
        return pull_sources(self, computed, work, false);
    }
    return is_had_apart(computed->property, apart)
               ? obv__compute_apart(self, computed, apart)
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
    unsigned phase = obv__computed_phase(computed);
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

/* For who does not read it. */
OBV__NOINLINE static void compute_to_know(struct obv__thread *self,
                                          struct obv__computed *computed,
                                          struct obv__work_list *work)
{
    (void)compute(self, computed, work, NULL);
}

/* What a function has read has no value, or is invalid again. */
OBV__NOINLINE static void tell_reader(struct evaluation *innermost,
                                      enum obv_status status)
{
    if (status == OBV_OK && !innermost->is_apart) {
        /* Its own function has made it so, and so is who reads it. */
        innermost->computed->happened |= OBV__IS_OVERTAKEN;
    }
    if (status != OBV_OK && status != OBV_E_BUSY &&
        innermost->failed == OBV_OK) {
        innermost->failed = (int8_t)status;
    }
}

/* `computed`: its record, or NULL. An object that has ended has no computed
   property, and this nothing to do. */
OBV__NOINLINE static enum obv_status
compute_in_section(struct obv_object *object, uint32_t slot,
                   struct obv__computed *computed, void *apart)
{
    struct obv__thread *self = obv__thread_self();
    struct evaluation *innermost = *place_of_innermost(self);
    enum obv_status status = OBV_OK;
    if (OBV__UNLIKELY(!computed) &&
        !obv__slot_is_computed(obv__class_of(object), slot)) {
        return OBV_OK;
    }
    obv__epoch_enter(self);
    if (OBV__UNLIKELY(!computed)) {
        status = make_computed(object, slot, &computed);
    }
    if (computed) {
        status =
            compute(self, computed, innermost ? innermost->work : NULL, apart);
    }
    if (innermost && (status != OBV_OK || !obv__computed_is_valid(computed))) {
        tell_reader(innermost, status);
    }
    obv__epoch_leave(self);
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
        compute_to_know(self, computed, work);
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
        computed->happened |= OBV__IS_OVERTAKEN;
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
        computed->happened |= OBV__WANTED_AGAIN;
    } else if (object && !obv__computed_is_valid(computed)) {
        compute_to_know(work->thread, computed, work);
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

static struct obv__computed *record_of(struct obv_object *object, uint32_t slot)
{
    return obv__computed_in(obv__node(object), slot);
}

/* A read that another reader is told of, or that is not the next of last time. */
OBV__NOINLINE static bool compute_told(struct obv_object *object,
                                       uint32_t property, void *apart)
{
    obv_detail_read_property(object, property);
    struct obv__computed *computed = record_of(object, property);
    return (computed && obv__computed_is_valid(computed)) ||
           compute_in_section(object, property, computed, apart) != OBV_E_BUSY;
}

bool obv_detail_compute(struct obv_object *object, uint32_t property,
                        void *apart)
{
    struct obv_detail_reader *reader = OBV__UNLIKELY(obv_detail_is_reading())
                                           ? obv__reader(obv__thread_or_new())
                                           : NULL;
    struct evaluation *evaluation = evaluation_of(reader);
    struct obv__computed *computed;
    if (!reader) {
        computed = record_of(object, property);
    } else if (reader->read_slot == read_slot &&
               is_edge_of(evaluation->next, object, property)) {
        /* Told first: from the edge on whatever makes it invalid marks who
           reads it. */
        pass_next(evaluation);
        computed = evaluation->last->source;
    } else {
        return compute_told(object, property, apart);
    }
    return (computed && obv__computed_is_valid(computed)) ||
           compute_in_section(object, property, computed, apart) != OBV_E_BUSY;
}
