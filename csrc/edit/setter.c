/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Setters: comparing and storing, for the inline setters' slow ways and for the
 * forms by index. Phase 1 of an edit; the rest is edit.c.
 */
#include "edit/edit.h"
#include "edit/setter.h"
#include "model/above.h"
#include "model/class.h"
#include "model/node.h"
#include "model/value.h"
#include "wiring/way.h"

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
static const struct obv_property *property_of(const struct obv_object *object,
                                              uint32_t property)
{
    uintptr_t word = obv__word(object);
    if (OBV__UNLIKELY(word == 0)) {
        return tell_unmade();
    }
    return obv__slot_property(obv__class_of_word(word), property);
}

void obv_detail_changed(struct obv_object *object, uint32_t property)
{
    obv__edit_from(object, property, NULL);
}

void obv_detail_changed_scalar(struct obv_object *object, uint32_t property,
                               uint64_t old)
{
    obv__edit_from_scalar(object, property, old);
}

void obv_detail_changed_any_thread(struct obv_object *object, uint32_t property,
                                   uint64_t old, uint64_t now)
{
    obv__edit_from_any_thread(object, property, old, now);
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

struct obv_detail_prior_calls obv_detail_prior(struct obv_object *object,
                                               uint32_t property,
                                               const void *offered,
                                               bool is_same)
{
    return obv__edit_prior(object, property, offered, is_same);
}

/* Who watches a property. */
OBV__INLINE uint32_t look_at(struct obv_object *object,
                             struct obv_detail_node *node, uint32_t index,
                             uint64_t moment)
{
    struct obv_detail_slot *slot =
        node ? obv_detail_slot_of(node, index) : NULL;
    uintptr_t head = slot ? obv__load_acquire(&slot->head) : 0;
    if (head == 0) {
        return 0;
    }
    if (obv__load_acquire(&slot->quiet) == moment) {
        return OBV_DETAIL_LOOK_QUIET;
    }
    if (!(head & OBV_DETAIL_CAREFUL)) {
        return OBV_DETAIL_LOOK_WATCHED;
    }
    unsigned wants = obv__edit_wants(object, index);
    uint32_t looks = OBV_DETAIL_LOOK_WATCHED | OBV_DETAIL_LOOK_CAREFUL;
    looks |= wants & OBV__WANTS_SAME ? OBV_DETAIL_LOOK_SAME : 0;
    return looks | (wants & OBV__WANTS_PRIOR ? OBV_DETAIL_LOOK_PRIOR : 0);
}

/* The index of the property at an offset, and 1; 0: there is none. */
static uint32_t index_at(const struct obv_class *cls, uint32_t offset)
{
    return offset < cls->by_offset_count ? cls->by_offset[offset] : 0;
}

uint32_t obv_detail_look(struct obv_object *object, uint32_t offset,
                         uint32_t *property)
{
    /* Seq_cst, first of all, pairs with who links, raises the moment, and then
       reads the value: either this finds the moment raised, and what follows
       finds the watcher; or who raises it later reads the value that was stored
       before this. The same for a drain and the mark. */
    uint64_t moment = obv__moment();
    /* A binding's object is never without a word. */
    uintptr_t word = obv__word(object);
    if (word & OBV_DETAIL_NO_NODE) {
        return 0;
    }
    struct obv_detail_node *node = (struct obv_detail_node *)word;
    uint32_t index = index_at(obv__class_by_number(node->class_number), offset);
    if (index == 0) {
        return 0;
    }
    *property = index - 1;
    return look_at(object, node, index - 1, moment);
}

uint32_t obv_detail_look_first(struct obv_object *object, uint32_t offset,
                               uint32_t *property)
{
    uint32_t looks = obv_detail_look(object, offset, property);
    if (OBV__UNLIKELY(obv__class_levels_exist())) {
        const struct obv_class *cls = obv__class_of(object);
        uint32_t index = cls ? index_at(cls, offset) : 0;
        if (index != 0 && obv__above.class_awaits(object, index - 1)) {
            *property = index - 1;
            looks |= OBV_DETAIL_LOOK_FIRST;
        }
    }
    return looks;
}

uint32_t obv_detail_meet(struct obv_object *object, uint32_t property,
                         bool is_same)
{
    bool all = obv__above.class_meets(object, property, is_same, NULL);
    return look_at(object, obv__node(object), property, obv__moment()) |
           (all ? 0u : OBV_DETAIL_LOOK_FIRST);
}

void obv_detail_met_late(struct obv_object *object, uint32_t property,
                         bool is_same)
{
    obv__above.class_met_late(object, property, is_same);
}

static void release_value(struct obv_object *value)
{
    const struct obv_class *cls = obv__class_of(value);
    if (cls->release) {
        cls->release(value);
    }
}

#define ANY_LEVEL() OBV__UNLIKELY(obv__class_levels_exist())

/* A set that somebody wants more of than that something has changed. */
struct wanted {
    unsigned wants;  /* obv__edit_wants() */
    bool tells_same; /* it is told also where the values are equal */
    bool held;       /* the object, by a reference */
    bool is_late;    /* not all that observe its class could follow it */
    bool is_same;    /* and by then the set was one of an equal value */
    /* In a section, of one that is late and that nothing holds: says whether it
       has gone. NULL: nobody observes it, so nobody is called. */
    const struct obv_detail_node *node;
};

/* Class-level observations meet the object. The set goes on after this, so an
   object that handlers let go of lives until it is over, unless nothing holds
   it. */
OBV__NOINLINE static void meet(struct wanted *wanted, struct obv_object *object,
                               uint32_t index, bool is_equal)
{
    if (!obv__above.class_meets(object, index, is_equal, NULL)) {
        bool has_hooks = obv__class_of(object)->retain != NULL;
        wanted->held = obv__object_hold(object);
        wanted->is_late = wanted->held || !has_hooks;
        wanted->is_same = is_equal;
        wanted->node = has_hooks ? NULL : obv__node(object);
    }
    if (wanted->node) {
        obv__section_enter(obv__thread_self());
    }
}

/* Before the store: tells who wants to know before. What is old is read after
   this. An object that handlers let go of lives until the set is over. */
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
    return obv__edit_prior(object, index, offered, is_equal);
}

/* After the store of a property with an owner; `old` may refer to what is stored
   where that is equal. */
static inline void tell_set(const struct wanted *wanted,
                            struct obv_object *object, uint32_t index,
                            const void *old, bool is_same,
                            struct obv_detail_prior_calls prior)
{
    if (OBV__UNLIKELY(wanted->wants != 0)) {
        const struct obv_detail_set set = {
            .old = old, .is_same = is_same, .prior = prior};
        if (!is_same || wanted->tells_same) {
            obv__edit_set(object, index, &set);
        }
    } else if (!is_same) {
        obv__edit_from(object, index, old);
    }
}

/* The same of one that any thread may set, `now` being what this set has stored. */
static void tell_of_any_thread(struct wanted *wanted, struct obv_object *object,
                               uint32_t index, const void *old, const void *now,
                               bool is_same,
                               struct obv_detail_prior_calls prior)
{
    const struct obv_detail_set set = {
        .old = old, .now = now, .is_same = is_same, .prior = prior};
    if (!is_same && ANY_LEVEL()) {
        /* Also who observes its class since it was asked. */
        wanted->is_late = false;
        obv_detail_met_stored(object, index, &set);
    } else {
        obv__edit_set(object, index, &set);
    }
}

static void end(const struct wanted *wanted, struct obv_object *object,
                uint32_t index)
{
    if (OBV__UNLIKELY(wanted->is_late) &&
        !(wanted->node && obv__node_is_ending(wanted->node))) {
        obv__above.class_met_late(object, index, wanted->is_same);
    }
    if (OBV__UNLIKELY(wanted->node != NULL)) {
        obv__section_leave(obv__thread_self());
    }
    if (wanted->held) {
        release_value(object);
    }
}

/* Compares and stores a scalar of so many bits; an any-thread one by an exchange
   that pairs with whoever reads it after wiring. Of what kind it is, the property
   says. */
#define DEFINE_CHANGE(bits, type)                                              \
    static void change_##bits(struct obv_object *object, uint32_t index,       \
                              type value)                                      \
    {                                                                          \
        const struct obv_property *property = property_of(object, index);      \
        if (!property) {                                                       \
            return;                                                            \
        }                                                                      \
        type *field = obv__field(object, property);                            \
        struct wanted wanted = {0};                                            \
        struct obv_detail_prior_calls prior = {0};                             \
        type old;                                                              \
        if (ANY_LEVEL()) {                                                     \
            OBV_DETAIL_LOAD_VALUE(field, &old);                                \
            meet(&wanted, object, index,                                       \
                 obv__value_equal(property, &old, &value));                    \
        }                                                                      \
        wanted.wants = obv__edit_wants(object, index);                         \
        if (wanted.wants != 0) {                                               \
            OBV_DETAIL_LOAD_VALUE(field, &old);                                \
            prior = begin(&wanted, object, index,                              \
                          obv__value_equal(property, &old, &value), &value);   \
        }                                                                      \
        if (property->flags & OBV_ANY_THREAD) {                                \
            OBV_DETAIL_EXCHANGE(field, &value, &old);                          \
        } else {                                                               \
            old = *field;                                                      \
        }                                                                      \
        bool is_same = obv__value_equal(property, &old, &value);               \
        if (property->flags & OBV_ANY_THREAD) {                                \
            tell_of_any_thread(&wanted, object, index, &old, &value, is_same,  \
                               prior);                                         \
        } else {                                                               \
            if (!is_same) {                                                    \
                *field = value;                                                \
            }                                                                  \
            tell_set(&wanted, object, index, &old, is_same, prior);            \
        }                                                                      \
        end(&wanted, object, index);                                           \
    }

/* A field of so many bits, whatever its type. */
typedef OBV__MAY_ALIAS uint16_t field_16;
typedef OBV__MAY_ALIAS uint32_t field_32;
typedef OBV__MAY_ALIAS uint64_t field_64;

DEFINE_CHANGE(8, uint8_t)
DEFINE_CHANGE(16, field_16)
DEFINE_CHANGE(32, field_32)
DEFINE_CHANGE(64, field_64)

/* `size` is a constant, or one that an enum's field can have. */
OBV__INLINE void change_scalar(struct obv_object *object, uint32_t index,
                               const void *value, size_t size)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t pair;
    switch (size) {
    case sizeof byte:
        memcpy(&byte, value, sizeof byte);
        change_8(object, index, byte);
        break;
    case sizeof half:
        memcpy(&half, value, sizeof half);
        change_16(object, index, half);
        break;
    case sizeof word:
        memcpy(&word, value, sizeof word);
        change_32(object, index, word);
        break;
    default:
        memcpy(&pair, value, sizeof pair);
        change_64(object, index, pair);
        break;
    }
}

#define DEFINE_CHANGE_OF_KIND(kind_name, type)                                 \
    void obv_detail_change_##kind_name(struct obv_object *object,              \
                                       uint32_t index, type value)             \
    {                                                                          \
        change_scalar(object, index, &value, sizeof value);                    \
    }

OBV_SCALAR_KINDS(DEFINE_CHANGE_OF_KIND)
DEFINE_CHANGE_OF_KIND(pointer, const void *)

void obv_detail_change_enum(struct obv_object *object, uint32_t index,
                            int64_t value)
{
    const struct obv_property *property = property_of(object, index);
    uint64_t field;
    if (property) {
        (void)obv__enum_store(property, value, &field);
        change_scalar(object, index, &field, property->size);
    }
}

/* The bytes before a set, where somebody may want them. */
struct old_bytes {
    struct obv_context *context;
    size_t size;
    void *far; /* allocated; or NULL */
    unsigned char near[64];
};

/* Answers where they are; NULL: no memory, so they are not known. */
static const void *keep_bytes(struct old_bytes *old, struct obv_object *object,
                              const struct obv_property *property)
{
    old->context = obv__class_of(object)->context;
    old->size = property->size;
    old->far = old->size > sizeof old->near
                   ? obv__context_allocate(old->context, old->size)
                   : NULL;
    void *kept = old->size > sizeof old->near ? old->far : old->near;
    if (kept) {
        memcpy(kept, obv__field(object, property), old->size);
    }
    return kept;
}

void obv_detail_change_bytes(struct obv_object *object, uint32_t index,
                             const void *value)
{
    const struct obv_property *property = property_of(object, index);
    if (!property) {
        return;
    }
    void *field = obv__field(object, property);
    struct wanted wanted = {0};
    struct obv_detail_prior_calls prior = {0};
    if (ANY_LEVEL()) {
        meet(&wanted, object, index, obv__value_equal(property, field, value));
    }
    wanted.wants = obv__edit_wants(object, index);
    if (wanted.wants != 0) {
        prior = begin(&wanted, object, index,
                      obv__value_equal(property, field, value), value);
    }
    if (!obv__value_equal(property, field, value)) {
        struct old_bytes old;
        const void *kept = keep_bytes(&old, object, property);
        memmove(field, value, property->size);
        tell_set(&wanted, object, index, kept, false, prior);
        obv__context_free(old.context, old.far, old.size);
    } else {
        tell_set(&wanted, object, index, field, true, prior);
    }
    end(&wanted, object, index);
}

static char *copy_text(struct obv_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = obv__context_allocate(context, size);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

static void free_text(struct obv_context *context, const char *text)
{
    if (text) {
        obv__context_free(context, (void *)(uintptr_t)text, strlen(text) + 1);
    }
}

enum obv_status obv_detail_change_string(struct obv_object *object,
                                         uint32_t index, const char *value)
{
    const struct obv_property *property = property_of(object, index);
    if (!property) {
        return obv__word(object) ? OBV_E_ENDED : OBV_E_ARGUMENT;
    }
    struct obv_context *context = obv__class_of(object)->context;
    const char **field = obv__field(object, property);
    struct wanted wanted = {0};
    struct obv_detail_prior_calls prior = {0};
    bool is_equal = obv__value_equal(property, field, &value);
    if (ANY_LEVEL()) {
        meet(&wanted, object, index, is_equal);
    }
    wanted.wants = obv__edit_wants(object, index);
    if (is_equal && wanted.wants == 0) {
        end(&wanted, object, index);
        return OBV_OK;
    }
    const char *copy = value ? copy_text(context, value) : NULL;
    if (value && !copy) {
        wanted.is_late = false; /* nothing is stored */
        end(&wanted, object, index);
        return OBV_E_MEMORY;
    }
    if (wanted.wants != 0) {
        prior = begin(&wanted, object, index, is_equal, &copy);
    }
    const char *old = *field;
    if (!obv__value_equal(property, &old, &copy)) {
        *field = copy;
        tell_set(&wanted, object, index, &old, false, prior);
        /* The old one lives until the immediate handlers have returned. */
        copy = old;
    } else {
        tell_set(&wanted, object, index, field, true, prior);
    }
    free_text(context, copy);
    end(&wanted, object, index);
    return OBV_OK;
}

enum obv_status obv_string_copy(const struct obv_class *cls, const char *text,
                                const char **copy)
{
    *copy = text ? copy_text(cls->context, text) : NULL;
    return text && !*copy ? OBV_E_MEMORY : OBV_OK;
}

void obv_string_free(const struct obv_class *cls, const char *text)
{
    free_text(cls->context, text);
}

/* Nobody can follow an object that was never made: it counts as one that is at
   its end already. */
OBV__NOINLINE static void refuse_unmade(const struct obv_object *object,
                                        const struct obv_property *property)
{
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_HEADER,
        .text = "an object is stored before obv_object_init(): NULL is",
        .path = property->name};
    obv__diagnose(obv__class_of(object)->context, &diagnostic);
}

/* Whether a value can be stored: with a reference, if it is to be owned. */
static bool accept_value(const struct obv_object *object,
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

static bool objects_equal(const struct obv_property *property,
                          struct obv_object *a, struct obv_object *b)
{
    return property->equal || (property->flags & OBV_ALWAYS_DIFFERENT)
               ? obv__value_equal(property, &a, &b)
               : a == b;
}

void obv_detail_change_object(struct obv_object *object, uint32_t index,
                              struct obv_object *value)
{
    const struct obv_property *property = property_of(object, index);
    if (!property) {
        return;
    }
    bool owned = !(property->flags & OBV_UNOWNED);
    struct obv_object **field = obv__field(object, property);
    struct wanted wanted = {0};
    struct obv_detail_prior_calls prior = {0};
    bool is_equal = objects_equal(property, *field, value);
    if (ANY_LEVEL()) {
        meet(&wanted, object, index, is_equal);
    }
    wanted.wants = obv__edit_wants(object, index);
    if (is_equal && wanted.wants == 0) {
        end(&wanted, object, index);
        return;
    }
    if (value && !accept_value(object, property, value)) {
        value = NULL; /* it is at its end already */
        is_equal = objects_equal(property, *field, value);
    }
    if (wanted.wants != 0) {
        prior = begin(&wanted, object, index, is_equal, &value);
        is_equal = objects_equal(property, *field, value);
    }
    struct obv_object *old = *field, *left = value;
    if (!is_equal) {
        *field = value;
        left = old;
    }
    /* Asked before handlers are called, where one that nothing holds may go. */
    bool owes = owned && left && obv__class_of(left)->release;
    tell_set(&wanted, object, index, &old, is_equal, prior);
    /* The old one lives until the immediate handlers have returned. */
    if (owes) {
        release_value(left);
    }
    end(&wanted, object, index);
}

void obv__values_end(struct obv_object *object, const struct obv_class *cls)
{
    const struct obv_property *property;
    for (uint32_t i = 0; (property = obv__slot_property(cls, i)); i++) {
        void *field = obv__field(object, property);
        if (property->kind == OBV_KIND_string) {
            free_text(cls->context, *(const char **)field);
            *(const char **)field = NULL;
        } else if (property->kind == OBV_KIND_object &&
                   *(struct obv_object **)field) {
            struct obv_object *value = *(struct obv_object **)field;
            *(struct obv_object **)field = NULL;
            if (!(property->flags & OBV_UNOWNED)) {
                release_value(value);
            }
        }
    }
}

/* By index ---------------------------------------------------------------- */

static enum obv_status check(const struct obv_object *object, uint32_t index,
                             enum obv_kind kind)
{
    const struct obv_class *cls = obv__class_or_null(object);
    if (!cls) {
        return OBV_E_ARGUMENT;
    }
    const struct obv_property *property = obv__slot_property(cls, index);
    if (!property) {
        return obv__object_has_ended(object) ? OBV_E_ENDED : OBV_E_UNKNOWN;
    }
    return property->kind == kind ? OBV_OK : OBV_E_KIND;
}

/* A foreign object is changed by its own functions. */
static enum obv_status check_set(const struct obv_object *object,
                                 uint32_t index, enum obv_kind kind)
{
    enum obv_status status = check(object, index, kind);
    return status == OBV_OK && obv__class_of(object)->is_foreign ? OBV_E_KIND
                                                                 : status;
}

#define DEFINE_SET(kind_name, type)                                            \
    enum obv_status obv_set_##kind_name(struct obv_object *object,             \
                                        uint32_t property, type value)         \
    {                                                                          \
        enum obv_status status =                                               \
            check_set(object, property, OBV_KIND_##kind_name);                 \
        if (status == OBV_OK) {                                                \
            obv_detail_change_##kind_name(object, property, value);            \
        }                                                                      \
        return status;                                                         \
    }

#define DEFINE_GET(kind_name, type)                                            \
    enum obv_status obv_get_##kind_name(const struct obv_object *object,       \
                                        uint32_t index, type *value)           \
    {                                                                          \
        enum obv_status status = check(object, index, OBV_KIND_##kind_name);   \
        uint64_t scalar;                                                       \
        if (status == OBV_OK) {                                                \
            memcpy(value,                                                      \
                   obv__property_stored(object, property_of(object, index),    \
                                        &scalar),                              \
                   sizeof *value);                                             \
        }                                                                      \
        return status;                                                         \
    }

OBV_SCALAR_KINDS(DEFINE_SET)
DEFINE_SET(pointer, const void *)
DEFINE_SET(bytes, const void *)

OBV_SCALAR_KINDS(DEFINE_GET)
typedef void *pointer;
DEFINE_GET(pointer, pointer)
typedef const char *string;
DEFINE_GET(string, string)
typedef struct obv_object *object_pointer;
DEFINE_GET(object, object_pointer)

enum obv_status obv_set_object(struct obv_object *object, uint32_t property,
                               struct obv_object *value)
{
    enum obv_status status = check_set(object, property, OBV_KIND_object);
    if (status == OBV_OK && value && obv__word(value) == 0) {
        status = OBV_E_ARGUMENT;
    }
    if (status == OBV_OK) {
        obv_detail_change_object(object, property, value);
    }
    return status;
}

enum obv_status obv_set_enum(struct obv_object *object, uint32_t property,
                             int64_t value)
{
    enum obv_status status = check_set(object, property, OBV_KIND_enum);
    uint64_t scratch;
    if (status == OBV_OK &&
        !obv__enum_store(property_of(object, property), value, &scratch)) {
        status = OBV_E_ARGUMENT;
    }
    if (status == OBV_OK) {
        obv_detail_change_enum(object, property, value);
    }
    return status;
}

enum obv_status obv_get_enum(const struct obv_object *object, uint32_t index,
                             int64_t *value)
{
    enum obv_status status = check(object, index, OBV_KIND_enum);
    uint64_t scalar;
    if (status == OBV_OK) {
        const struct obv_property *property = property_of(object, index);
        *value = obv__enum_number(
            property, obv__property_stored(object, property, &scalar));
    }
    return status;
}

enum obv_status obv_set_string(struct obv_object *object, uint32_t property,
                               const char *value)
{
    enum obv_status status = check_set(object, property, OBV_KIND_string);
    return status == OBV_OK ? obv_detail_change_string(object, property, value)
                            : status;
}

enum obv_status obv_get_bytes(const struct obv_object *object,
                              uint32_t property, const void **value)
{
    enum obv_status status = check(object, property, OBV_KIND_bytes);
    uint64_t scalar;
    if (status == OBV_OK) {
        *value = obv__property_stored(object, property_of(object, property),
                                      &scalar);
        /* What the program reads lies nowhere. */
        status = *value == &scalar ? OBV_E_KIND : OBV_OK;
    }
    return status;
}
