/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Setters: comparing and storing, for the inline setters' slow paths. Phase 1 of an
 * edit; the rest is edit.c.
 */
#include "edit/edit.h"
#include "dispatch/change_records.h"
#include "dispatch/loop.h"
#include "model/misuse.h"
#include "computed/settling.h"
#include "model/above.h"
#include "model/class.h"
#include "model/computed.h"
#include "model/node.h"
#include "model/owned.h"
#include "dispatch/trace.h"
#include "model/value.h"
#include "model/path_node.h"
#include "wiring/class_watch.h"

#include <string.h>

/* Told to the default context: an object that was never made has none. */
OBV__NOINLINE static const struct obv_property *tell_unmade(void)
{
    struct obv_context *context = obv_context_default();
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_HEADER,
        .text = "an object is set before obv_object_init()"};
    if (context) {
        obv__diagnose(context, &diagnostic);
    }
    return NULL;
}

/* The property, or NULL: the object has ended or was never made, and nothing
   can be set. */
OBV__INLINE const struct obv_property *
property_of(const struct obv_object *object, uint32_t property)
{
    uintptr_t word = obv__word(object);
    if (OBV__UNLIKELY(word == 0)) {
        return tell_unmade();
    }
    return obv__property_in(obv__class_of_word(word), property);
}

void obv_detail_check_number(struct obv_object *object, uint32_t property,
                             uint32_t offset)
{
    struct obv_class *cls = obv__class_or_null(object);
    const struct obv_property *line =
        cls ? obv__property_in(cls, property) : NULL;
    if (cls && (!line || (!line->computed && line->offset != offset)) &&
        !obv__exchange_seq_cst(&cls->has_told_number, (uint8_t)1)) {
        obv__tell_misuse(cls->context, OBV__OTHER_NUMBER, cls,
                         line ? line->name : NULL);
    }
}

void obv_detail_changed(struct obv_object *object, uint32_t property)
{
    obv__edit_from(object, property, NULL);
}

void obv_detail_changed_from(struct obv_object *object, uint32_t property,
                             const void *old)
{
    obv__edit_from(object, property, old);
}

void obv_detail_was_set(struct obv_object *object, uint32_t property,
                        const struct obv_detail_set *set)
{
    obv__edit_set(object, property, set);
}

/* The answer of obv_detail_look() about one property: who watches it, and
   how. */
OBV__INLINE uint32_t look_at(struct obv_object *object,
                             struct obv_detail_node *node, uint32_t index,
                             uint64_t epoch)
{
    struct obv_detail_slot *slot = node ? &node->slots[index] : NULL;
    uintptr_t head = slot ? obv__load_acquire(&slot->head) : 0;
    if (head == 0) {
        return 0;
    }
    if (obv__load_acquire(&slot->all_pending_at) == epoch) {
        return OBV_DETAIL_LOOK_ALL_PENDING;
    }
    if (!(head & OBV_DETAIL_SLOW_PATH)) {
        return OBV_DETAIL_LOOK_WATCHED;
    }
    unsigned wants = obv__edit_wants(object, index);
    uint32_t looks = OBV_DETAIL_LOOK_WATCHED | OBV_DETAIL_LOOK_SLOW_PATH;
    looks |= wants & OBV__WANTS_SAME ? OBV_DETAIL_LOOK_SAME : 0;
    return looks | (wants & OBV__WANTS_PRIOR ? OBV_DETAIL_LOOK_PRIOR : 0);
}

uint32_t obv_detail_look(struct obv_object *object, uint32_t offset,
                         uint32_t *property)
{
    /* Seq_cst, before all other loads. Pairs with a thread that links a
       watcher, raises the registration epoch, and then reads the value. Either
       this load finds the epoch raised, and the loads below find the watcher;
       or the epoch is raised later, and that thread reads the value that was
       stored before this call. The same holds of a drain and the mark. */
    uint64_t epoch = obv__registration_epoch();
    /* A binding's object is never without a word. */
    uintptr_t word = obv__word(object);
    if (word & OBV_DETAIL_NO_NODE) {
        return 0;
    }
    struct obv_detail_node *node = obv__node(object);
    uint32_t index =
        obv__class_index_at(obv__class_by_number(node->class_number), offset);
    if (index == 0) {
        return 0;
    }
    *property = index - 1;
    return look_at(object, node, index - 1, epoch);
}

uint32_t obv_detail_look_first(struct obv_object *object, uint32_t offset,
                               uint32_t *property)
{
    uint32_t looks = obv_detail_look(object, offset, property);
    if (OBV__UNLIKELY(obv__class_subscriptions_exist())) {
        const struct obv_class *cls = obv__class_of(object);
        uint32_t index = cls ? obv__class_index_at(cls, offset) : 0;
        if (index != 0 && (obv__is_traced() ||
                           obv__class_subscriptions_await(object, index - 1))) {
            *property = index - 1;
            looks |= OBV_DETAIL_LOOK_FIRST;
        }
    }
    return looks;
}

#define ANY_SUBSCRIPTION() OBV__UNLIKELY(obv__class_subscriptions_exist())

/* Before a store: class-level observations begin to follow this instance, if
   any observation wants a call before the store, or one for an equal value. */
OBV__NOINLINE static void attach_before(struct obv_object *object,
                                        uint32_t index, bool is_same)
{
    if (obv__load_relaxed(&obv__somebody_wants)) {
        (void)obv__above.attach_class(object, index, is_same, NULL);
    }
}

uint32_t obv_detail_attach(struct obv_object *object, uint32_t property,
                           bool is_same)
{
    attach_before(object, property, is_same);
    return OBV_DETAIL_LOOK_WATCHED | OBV_DETAIL_LOOK_SLOW_PATH |
           (obv__is_traced() ? OBV_DETAIL_LOOK_SAME : 0u) |
           look_at(object, obv__node(object), property,
                   obv__registration_epoch());
}

/* A set of which an observer wants to know more than that the value has
   changed. */
struct wanted {
    unsigned wants;  /* obv__edit_wants() */
    bool tells_same; /* it is told also where the values are equal */
    bool held;       /* the object, by a reference */
    bool is_first; /* a computed property had no value, or an error: a change */
    bool had_none; /* it had no value: its field holds no old value */
};

/* Makes the calls before the store. They may set the property, so the caller
   reads the old value afterwards. They may let go of the object, so it is
   held. */
static struct obv_detail_prior_calls begin(struct wanted *wanted,
                                           struct obv_object *object,
                                           uint32_t index, bool is_equal,
                                           const void *offered)
{
    wanted->tells_same = (wanted->wants & OBV__WANTS_SAME) != 0;
    if (!(wanted->wants & OBV__WANTS_PRIOR) ||
        (is_equal && !wanted->tells_same)) {
        return (struct obv_detail_prior_calls){0};
    }
    wanted->held = wanted->held || obv__object_hold(object);
    return obv_detail_prior(object, index, offered, is_equal);
}

/* Tells of a set after the store. If it `is_same`, `old` may be what is
   stored. */
static inline void tell_set(const struct wanted *wanted,
                            struct obv_object *object, uint32_t index,
                            const void *old, bool is_same,
                            struct obv_detail_prior_calls prior)
{
    const struct obv_detail_set set = {
        .old = old, .is_same = is_same, .prior = prior};
    if (is_same && !wanted->tells_same) {
        if (obv__is_traced()) {
            obv__trace_set(object, index, true);
        }
        return;
    }
    if (OBV__UNLIKELY(wanted->wants != 0) || ANY_SUBSCRIPTION()) {
        obv__edit_set(object, index, &set);
    } else {
        obv__edit_from(object, index, old);
    }
}

static void end(const struct wanted *wanted, struct obv_object *object)
{
    obv__object_let_go(object, wanted->held);
}

/* Values that a property owns: texts and objects --------------------------- */

enum obv_status obv_string_copy(const struct obv_class *cls, const char *text,
                                const char **copy)
{
    *copy = obv__text_copy(cls->context, text);
    return text && !*copy ? OBV_E_MEMORY : OBV_OK;
}

void obv_string_free(const struct obv_class *cls, const char *text)
{
    obv__text_free(cls->context, text);
}

/* Nobody can follow an object that was never made: it counts as one that is at
   its end already. */
OBV__NOINLINE static void refuse_unmade(const struct obv_object *object,
                                        const struct obv_property *property)
{
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_HEADER,
        .text = "an object is stored in a property before obv_object_init(): "
                "NULL is stored in its place",
        .path = property->name};
    obv__diagnose(obv__class_of(object)->context, &diagnostic);
}

/* Whether a value can be stored: with a reference, if it is to be owned. */
OBV__INLINE bool accept_value(const struct obv_object *object,
                              const struct obv_property *property,
                              struct obv_object *value)
{
    uintptr_t word = obv__word(value);
    if (OBV__UNLIKELY(word == 0)) {
        refuse_unmade(object, property);
        return false;
    }
    const struct obv_class *cls = obv__class_of_word(word);
    return (property->flags & OBV_UNOWNED) || !cls->retain ||
           cls->retain(value);
}

/* The value of any property; if it is larger, its first bytes. */
union value {
    uint64_t scalar;
    const char *text;
    struct obv_object *object;
    unsigned char bytes[64];
};

/* The part of an offered value that the property will own. False: no memory. */
static inline bool take_value(const struct obv_object *object,
                              const struct obv_property *property,
                              enum obv_kind kind, const void *offered,
                              union value *own)
{
    memcpy(own, offered, sizeof own->object);
    if (kind == OBV_KIND_object) {
        if (own->object && !accept_value(object, property, own->object)) {
            own->object = NULL; /* it is at its end already */
        }
        return true;
    }
    const char *text = own->text;
    own->text = obv__text_copy(obv__class_of(object)->context, text);
    return !text || own->text;
}

/* Setting ----------------------------------------------------------------- */

/* Stores the value of a property that any thread may set. The exchange pairs
   with a thread that wires a path to the property and then reads it. */
static void exchange_value(const struct obv_property *property, void *field,
                           const void *value, union value *old)
{
    switch (property->size) {
#define EXCHANGE(type)                                                         \
    case sizeof(type): {                                                       \
        type now, before;                                                      \
        memcpy(&now, value, sizeof now);                                       \
        OBV_DETAIL_EXCHANGE((type *)field, &now, &before);                     \
        memcpy(old, &before, sizeof before);                                   \
        break;                                                                 \
    }
        EXCHANGE(uint8_t)
        EXCHANGE(obv__field_16)
        EXCHANGE(obv__field_32)
        EXCHANGE(obv__field_64)
#undef EXCHANGE
    }
}

static inline bool is_stored(const struct obv_object *object,
                             const struct obv_property *property,
                             const void *value)
{
    uint64_t scalar;
    return obv__value_equal(
        property, obv__property_stored(object, property, &scalar), value);
}

/* Stores, and tells. The value that the property has owned before, or `now`
   where that is equal, is let go of once the immediate handlers have
   returned. */
static inline void store(struct wanted *wanted, struct obv_object *object,
                         uint32_t index, const struct obv_property *property,
                         enum obv_kind kind, const union value *now,
                         struct obv_detail_prior_calls prior)
{
    struct obv_context *context = obv__class_of(object)->context;
    size_t size = obv__kind_owns(kind) ? sizeof now->object : property->size;
    void *field = obv__field(object, property), *kept = field;
    union value old;
    size_t far = 0;
    bool is_same = is_stored(object, property, now) && !wanted->is_first;
    if (!is_same) {
        far = size > sizeof old ? size : 0;
        kept = far ? obv__context_allocate(context, far) : &old;
        if (kept) { /* else there is no memory, and what is old not known */
            memcpy(kept, field, size);
        }
        memmove(field, now, size);
    }
    const union value *left = is_same ? now : &old;
    bool owes = obv__kind_owns(kind) && obv__is_owed(property, kind, left);
    tell_set(wanted, object, index, wanted->had_none ? NULL : kept, is_same,
             prior);
    if (owes) {
        obv__owned_drop(context, kind, left);
    }
    if (far != 0) {
        obv__context_free(context, kept, far);
    }
}

static void store_any_thread(struct wanted *wanted, struct obv_object *object,
                             uint32_t index,
                             const struct obv_property *property,
                             const void *now)
{
    union value old;
    exchange_value(property, obv__field(object, property), now, &old);
    tell_set(wanted, object, index, &old, obv__value_equal(property, &old, now),
             (struct obv_detail_prior_calls){0});
}

/* Tells the trace of a set of an equal value that nobody asks about. A value
   that nobody watches is stored all the same, as without a trace: equal values
   may have different bits. */
OBV__NOINLINE static void trace_equal(struct obv_object *object, uint32_t index,
                                      const struct obv_property *property,
                                      enum obv_kind kind, const void *offered)
{
    struct obv_detail_node *node = obv__node(object);
    const struct obv_detail_slot *slot =
        node ? obv__slot_to_tell(node, index) : NULL;
    bool is_watched = slot && obv__load_acquire(&slot->head) != 0;
    obv__trace_set(object, index, true);
    if (!is_watched && !obv__kind_owns(kind) && !property->computed) {
        memcpy(obv__field(object, property), offered, property->size);
    }
}

/* Whether the record is still marked as set: a call before the store may have
   changed what the property depends on, and may even have computed it. */
static bool is_marked_set(const struct obv_object *object, uint32_t index)
{
    const struct obv__computed *computed = obv__computed_of(object, index);
    return !computed ||
           (obv__flags(computed) & (OBV__WAS_SET | OBV__STALE)) == OBV__WAS_SET;
}

/* Phase 1 of a set. OBV_E_MEMORY: nothing was set. */
static enum obv_status change(struct obv_object *object, uint32_t index,
                              const struct obv_property *property,
                              const void *offered)
{
    enum obv_kind kind = property->kind;
    bool is_computed = property->computed != NULL;
    bool is_any_thread =
        !obv__kind_owns(kind) && (property->flags & OBV_ANY_THREAD);
    struct wanted wanted = {0};
    struct obv_detail_prior_calls prior = {0};
    bool is_same = is_stored(object, property, offered);
    if (is_computed) {
        const struct obv__computed *computed = obv__computed_of(object, index);
        wanted.had_none = !computed || !obv__computed_has_value(computed);
        wanted.is_first =
            wanted.had_none || (obv__flags(computed) & OBV__FAILED) != 0;
        is_same = is_same && !wanted.is_first;
    }
    if (ANY_SUBSCRIPTION()) {
        attach_before(object, index, is_same);
        is_same = is_stored(object, property, offered) && !wanted.is_first;
    }
    wanted.wants = obv__edit_wants(object, index);
    if (is_same && wanted.wants == 0 && !is_any_thread) {
        if (obv__is_traced()) {
            trace_equal(object, index, property, kind, offered);
        }
        if (is_computed) {
            obv__computed_was_set(object, index, true);
        }
        return OBV_OK;
    }
    union value own;
    const void *now = obv__kind_owns(kind) ? &own : offered;
    if (obv__kind_owns(kind) &&
        !take_value(object, property, kind, offered, &own)) {
        return OBV_E_MEMORY;
    }
    if (is_computed) {
        obv__computed_was_set(object, index, is_same);
    }
    if (wanted.wants != 0) {
        prior =
            begin(&wanted, object, index,
                  is_stored(object, property, now) && !wanted.is_first, now);
    }
    if (is_computed && wanted.wants != 0 && !is_marked_set(object, index)) {
        is_same = is_stored(object, property, now) && !wanted.is_first;
        obv__computed_was_set(object, index, is_same);
    }
    if (is_any_thread) {
        store_any_thread(&wanted, object, index, property, now);
    } else {
        store(&wanted, object, index, property, kind, now, prior);
    }
    end(&wanted, object);
    return OBV_OK;
}

/* Whether the value in a record (or NULL) equals another one. If the last
   evaluation has failed, it equals none. */
static bool is_kept(const struct obv__computed *computed, const void *value,
                    bool had_failed)
{
    return !had_failed && computed && obv__computed_has_value(computed) &&
           obv__value_equal(computed->property, computed->field, value);
}

/* Marks a record as set, and makes the calls before the store. If there is no
   value yet, the calls come first: they have it computed. If they change what
   the property depends on, the record is marked once more. Answers whether
   there was a value. */
static bool mark_kept(struct wanted *wanted, struct obv_object *object,
                      uint32_t index, struct obv__computed *computed,
                      const void *own, bool *is_same,
                      struct obv_detail_prior_calls *prior)
{
    bool had_failed = computed && (obv__flags(computed) & OBV__FAILED);
    *is_same = is_kept(computed, own, had_failed);
    if (ANY_SUBSCRIPTION()) {
        attach_before(object, index, *is_same);
        *is_same = is_kept(computed, own, had_failed);
    }
    wanted->wants = obv__edit_wants(object, index);
    bool had_value = computed && obv__computed_has_value(computed);
    bool waits =
        computed && !had_value && (wanted->wants & OBV__WANTS_PRIOR) != 0;
    if (!waits) {
        obv__computed_was_set(object, index, *is_same);
    }
    *prior = begin(wanted, object, index, *is_same, own);
    if (waits) {
        had_value = obv__computed_has_value(computed);
    }
    if (computed && (waits || !is_marked_set(object, index))) {
        *is_same = is_kept(computed, own, had_failed || !had_value);
        obv__computed_was_set(object, index, *is_same);
    }
    return had_value;
}

void obv_detail_set_kept(struct obv_object *object, uint32_t index,
                         const void *kept)
{
    const struct obv_property *property = obv__property_at(object, index);
    struct obv_context *context = obv__class_of(object)->context;
    struct wanted wanted = {0};
    if (index >= obv__class_of(object)->property_count) {
        if (property) {
            obv__value_disown(context, property, kept); /* late.h */
        }
        return;
    }
    struct obv__computed *computed = obv__computed_make(object, index);
    union value own = {0}, old = {0};
    struct obv_detail_prior_calls prior;
    bool is_same;
    memcpy(&own, kept, property->size);
    bool has_old =
        mark_kept(&wanted, object, index, computed, &own, &is_same, &prior) ||
        obv__keeps_boxes(property); /* without a value the box is NULL */
    if (computed) {
        /* A call before the store may have set it. */
        memcpy(&old, computed->field, property->size);
    }
    if (computed && !is_same) {
        memcpy(computed->field, &own, property->size);
        own = old;
    }
    tell_set(&wanted, object, index, has_old ? &old : NULL, is_same, prior);
    end(&wanted, object);
    obv__value_disown(context, property, &own);
}

static enum obv_status refusal_of(const struct obv_object *object)
{
    return obv__word(object) ? OBV_E_ENDED : OBV_E_ARGUMENT;
}

enum obv_status obv_detail_change(struct obv_object *object, uint32_t index,
                                  const void *value)
{
    const struct obv_property *property = property_of(object, index);
    return property ? change(object, index, property, value)
                    : refusal_of(object);
}

/* Whether a set does nothing but compare addresses or words, store, and tell of it. */
static inline bool is_told_alone(struct obv_object *object, uint32_t index,
                                 const struct obv_property *property)
{
    return !obv__compares_its_own_way(property) &&
           !(property->flags & (OBV_ANY_THREAD | OBV__AFAR)) &&
           !ANY_SUBSCRIPTION() &&
           (!obv__load_relaxed(&obv__somebody_wants) ||
            obv__edit_wants(object, index) == 0);
}

/* Stores a word of a size, which is a constant, and tells of it. */
OBV__INLINE void change_word(struct obv_object *object, uint32_t index,
                             const struct obv_property *property,
                             uint64_t value, size_t size)
{
    void *field = obv__field(object, property);
    uint64_t old = 0;
    memcpy(&old, field, size);
    if (memcmp(&old, &value, size) != 0) {
        memcpy(field, &value, size);
        obv__edit_word(object, index, old);
    }
}

enum obv_status obv_detail_change_scalar(struct obv_object *object,
                                         uint32_t index, uint64_t value)
{
    const struct obv_property *property = property_of(object, index);
    if (!property) {
        return refusal_of(object);
    }
    if (!obv__is_word(property) || !is_told_alone(object, index, property)) {
        return obv_detail_change(object, index, &value);
    }
    if (property->size == sizeof(uint32_t)) {
        change_word(object, index, property, value, sizeof(uint32_t));
    } else {
        change_word(object, index, property, value, sizeof(uint64_t));
    }
    return OBV_OK;
}

void obv_detail_change_enum(struct obv_object *object, uint32_t index,
                            int64_t value)
{
    const struct obv_property *property = property_of(object, index);
    uint64_t field;
    if (property) {
        (void)obv__enum_store(property, value, &field);
        (void)obv_detail_change(object, index, &field);
    }
}

/* Stores a reference and tells of it; the one before is let go of once the immediate
   handlers have returned. */
OBV__INLINE void change_reference(struct obv_object *object, uint32_t index,
                                  const struct obv_property *property,
                                  struct obv_object *value)
{
    void *field = obv__field(object, property);
    struct obv_object *old;
    if (memcmp(field, &value, sizeof value) == 0) {
        return;
    }
    if (value && !accept_value(object, property, value)) {
        value = NULL; /* it is at its end already */
    }
    /* After accept_value(): a `retain` of the program may have set the
       property. */
    memcpy(&old, field, sizeof old);
    bool owes = obv__is_owed(property, OBV_KIND_object, &old);
    if (value != old) {
        memcpy(field, &value, sizeof value);
        obv__edit_from(object, index, &old);
    }
    if (owes) {
        obv__object_release(old);
    }
}

void obv_detail_change_object(struct obv_object *object, uint32_t index,
                              struct obv_object *value)
{
    const struct obv_property *property = property_of(object, index);
    if (property && is_told_alone(object, index, property)) {
        change_reference(object, index, property, value);
    } else if (property) {
        (void)change(object, index, property, &value);
    }
}
