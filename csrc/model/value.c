/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of properties by kind.
 */
#include "model/value.h"

#include "model/container.h"
#include "model/foreign_entry.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/pause_point.h"

#include <string.h>

const char obv__missing = 0;

size_t obv__value_size(enum obv_kind kind)
{
#define SIZE_OF(kind_name, type) [OBV_KIND_##kind_name] = sizeof(type),
    static const uint8_t sizes[] = {
        OBV_SCALAR_KINDS(SIZE_OF)[OBV_KIND_pointer] = sizeof(void *),
        [OBV_KIND_string] = sizeof(char *),
        [OBV_KIND_object] = sizeof(struct obv_object *),
        [OBV_KIND_custom] = 0,
    };
#undef SIZE_OF
    return kind <= OBV_KIND_custom ? sizes[kind] : 0;
}

/* Values of a word or of half a word are copied without a call. */
static bool bytes_equal(const void *a, const void *b, size_t size)
{
    uint64_t word_a, word_b;
    uint32_t half_a, half_b;
    switch (size) {
    case sizeof word_a:
        memcpy(&word_a, a, sizeof word_a);
        memcpy(&word_b, b, sizeof word_b);
        return word_a == word_b;
    case sizeof half_a:
        memcpy(&half_a, a, sizeof half_a);
        memcpy(&half_b, b, sizeof half_b);
        return half_a == half_b;
    default:
        return memcmp(a, b, size) == 0;
    }
}

OBV__INLINE bool values_equal(const struct obv_property *property,
                              const void *a, const void *b)
{
    if (property->flags & OBV_ALWAYS_DIFFERENT) {
        return false;
    }
    if (property->equal) {
        return property->equal(a, b);
    }
    if (property->kind <= OBV_KIND_pointer) {
        return bytes_equal(a, b, property->size); /* most often */
    }
    switch (property->kind) {
#define FLOATING_EQUAL(kind_name, type)                                        \
    case OBV_KIND_##kind_name:                                                 \
        return OBV_DETAIL_SAME(*(const type *)a, *(const type *)b);
        OBV_FLOATING_KINDS(FLOATING_EQUAL)
#undef FLOATING_EQUAL
    case OBV_KIND_string: {
        const char *left = *(const char *const *)a;
        const char *right = *(const char *const *)b;
        return left && right ? strcmp(left, right) == 0 : left == right;
    }
    case OBV_KIND_custom:
        return property->custom->same(property, a, b);
    default:
        return bytes_equal(a, b, property->size);
    }
}

bool obv__value_equal(const struct obv_property *property, const void *a,
                      const void *b)
{
    return values_equal(property, a, b);
}

int64_t obv__enum_number(const struct obv_property *property, const void *field)
{
    bool is_unsigned = (property->flags & OBV_UNSIGNED) != 0;
    switch (property->size) {
    case 1:
        return is_unsigned ? *(const uint8_t *)field : *(const int8_t *)field;
    case 2:
        return is_unsigned ? *(const uint16_t *)field : *(const int16_t *)field;
    case 4:
        return is_unsigned ? (int64_t) * (const uint32_t *)field
                           : *(const int32_t *)field;
    default:
        return *(const int64_t *)field;
    }
}

bool obv__enum_store(const struct obv_property *property, int64_t number,
                     void *field)
{
    switch (property->size) {
    case 1:
        *(uint8_t *)field = (uint8_t)number;
        break;
    case 2:
        *(uint16_t *)field = (uint16_t)number;
        break;
    case 4:
        *(uint32_t *)field = (uint32_t)number;
        break;
    default:
        *(int64_t *)field = number;
        break;
    }
    return obv__enum_number(property, field) == number;
}

/* A scalar that another thread may store at the same time, read as one. */
static void read_scalar(const struct obv_property *property, const void *field,
                        uint64_t *value)
{
    *value = 0;
    switch (property->size) {
        /* Seq_cst, pairs with the setter's exchange: a thread that wired before
           this read finds the value, or the setter finds the wiring. */
#define READ(type)                                                             \
    case sizeof(type): {                                                       \
        type read = obv__load_seq_cst((const type *)field);                    \
        memcpy(value, &read, sizeof read);                                     \
        break;                                                                 \
    }
        READ(uint8_t)
        READ(obv__field_16)
        READ(obv__field_32)
        READ(obv__field_64)
#undef READ
    }
}

/* Of a property that any thread may set, or computes, or that lies in a foreign
   object. */
OBV__NOINLINE static const void *
read_specially(const struct obv_object *object,
               const struct obv_property *property, uint64_t *scalar)
{
    const void *field = obv__field(object, property);
    if (property->flags & OBV__AFAR) {
        field = obv__class_of(object)->field(object, property, scalar);
        if (field == scalar || !(property->flags & OBV_ANY_THREAD)) {
            return field;
        }
    }
    read_scalar(property, field, scalar);
    return scalar;
}

const void *obv__property_stored(const struct obv_object *object,
                                 const struct obv_property *property,
                                 uint64_t *scalar)
{
    bool is_computed_scalar =
        property->computed && property->kind < OBV_KIND_string;
    return is_computed_scalar ||
                   (property->flags & (OBV_ANY_THREAD | OBV__AFAR))
               ? read_specially(object, property, scalar)
               : obv__field(object, property);
}

bool obv__properties_alike(const struct obv_property *a,
                           const struct obv_property *b)
{
    return a == b || (a->kind == b->kind && a->size == b->size &&
                      a->custom == b->custom && a->equal == b->equal);
}

OBV__NOINLINE static bool equal_specially(struct obv_object *a,
                                          const struct obv_property *property_a,
                                          struct obv_object *b,
                                          const struct obv_property *property_b)
{
    uint64_t value_a, value_b;
    if ((property_a->flags | property_b->flags) & OBV_ALWAYS_DIFFERENT) {
        return false;
    }
    if (obv__is_read_by_binding(property_a)) {
        return property_a->custom->equal(property_a, a, property_b, b);
    }
    const void *left = obv__property_stored(a, property_a, &value_a);
    const void *right = obv__property_stored(b, property_b, &value_b);
    return left && right ? obv__value_equal(property_a, left, right)
                         : left == right;
}

bool obv__property_equal(struct obv_object *a,
                         const struct obv_property *property_a,
                         struct obv_object *b,
                         const struct obv_property *property_b)
{
    const uint32_t special = OBV_ALWAYS_DIFFERENT | OBV_ANY_THREAD | OBV__AFAR;
    obv__must_live(a);
    obv__must_live(b);
    if (!obv__properties_alike(property_a, property_b)) {
        return false;
    }
    if (OBV__UNLIKELY(property_a->custom ||
                      ((property_a->flags | property_b->flags) & special))) {
        return equal_specially(a, property_a, b, property_b);
    }
    return values_equal(property_a, obv__field(a, property_a),
                        obv__field(b, property_b));
}

bool obv__property_has(struct obv_object *object,
                       const struct obv_property *property,
                       const struct obv_property *like, const void *value)
{
    uint64_t scalar;
    if (!obv__properties_alike(property, like) ||
        (like->flags & OBV_ALWAYS_DIFFERENT)) {
        return false;
    }
    if (obv__is_read_by_binding(property)) {
        return property->custom->equals &&
               property->custom->equals(property, object, value);
    }
    const void *stored = obv__property_stored(object, property, &scalar);
    return stored && value != &obv__missing
               ? obv__value_equal(property, value, stored)
               : !stored && value == &obv__missing;
}

bool obv__may_hold_object(const struct obv_property *property)
{
    return property->kind == OBV_KIND_object ||
           (property->custom && property->custom->child) ||
           (property->flags & OBV_FOREIGN);
}

/* Of a property that holds no pointer to an object of the core's own kind. */
OBV__NOINLINE static struct obv_object *
child_behind(struct obv_object *object, const struct obv_property *property,
             bool *held)
{
    if (property->flags & OBV_FOREIGN) {
        return obv__foreign_child(object, property, held);
    }
    if (!obv__may_hold_object(property)) {
        return NULL;
    }
    if (obv__is_read_by_binding(property)) {
        struct obv_object *child = property->custom->child(property, object);
        *held = child != NULL;
        return child;
    }
    uint64_t scalar;
    const void *field = obv__property_stored(object, property, &scalar);
    return field ? obv__value_object(property, field, held) : NULL;
}

struct obv_object *obv__child(struct obv_object *object,
                              const struct obv_property *property, bool *held)
{
    *held = false;
    if (property->kind != OBV_KIND_object) {
        return child_behind(object, property, held);
    }
    uint64_t scalar;
    struct obv_object *const *field =
        obv__property_stored(object, property, &scalar);
    return field ? *field : NULL;
}

struct obv_object *obv__value_object(const struct obv_property *property,
                                     const void *value, bool *held)
{
    *held = false;
    if (property->kind == OBV_KIND_object) {
        struct obv_object *object;
        memcpy(&object, value, sizeof object);
        return object;
    }
    struct obv_object *object =
        property->custom && property->custom->child_of
            ? property->custom->child_of(property, value)
            : NULL;
    *held = object != NULL;
    return object;
}
