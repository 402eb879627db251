/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of properties by kind: where they lie, how large they are, when two
 * are equal (EQ-1, EQ-6). Runs no code of the program, but for custom kinds,
 * whose answers a binding gives.
 */
#ifndef OBV_VALUE_H
#define OBV_VALUE_H

#include "platform/compiler.h"

#include <observable/computed.h>

#include <string.h>

/* Flags of the properties that the library makes: the field lies elsewhere, in
   a foreign object or a container; it holds a pointer to an observable object. */
#define OBV__AFAR        ((uint32_t)1 << 31)
#define OBV__AFAR_OBJECT ((uint32_t)1 << 30)

/** The value of an element that is not there, where one is handed in. */
extern const char obv__missing OBV__HIDDEN;

/** Bytes of a kind; 0 where the property alone says it: enum, bytes, custom. */
size_t obv__value_size(enum obv_kind kind);

/** A field of so many bits, whatever its type. */
typedef OBV__MAY_ALIAS uint16_t obv__field_16;
typedef OBV__MAY_ALIAS uint32_t obv__field_32;
typedef OBV__MAY_ALIAS uint64_t obv__field_64;

static inline void *obv__field(const struct obv_object *object,
                               const struct obv_property *property)
{
    return (char *)(uintptr_t)object + property->offset;
}

/** Reads the field of an enum property as a number, and writes one; false if it
    cannot hold that. */
int64_t obv__enum_number(const struct obv_property *property,
                         const void *field);
bool obv__enum_store(const struct obv_property *property, int64_t number,
                     void *field);

/** Whether two values of one property are equal. */
bool obv__value_equal(const struct obv_property *property, const void *a,
                      const void *b);

/** Whether values of two properties can be compared: those of the class that is
    replaced and of the class that replaces it. */
bool obv__properties_alike(const struct obv_property *a,
                           const struct obv_property *b);

/** The place where a value of a built-in kind is to be read: its field, or for
    an any-thread property `scalar`, into which it has been read at once. */
const void *obv__property_stored(const struct obv_object *object,
                                 const struct obv_property *property,
                                 uint64_t *scalar);

/** Whether the property has equal values in two objects; reads each of an
    any-thread property at once. The kinds may differ: then it has not. */
bool obv__property_equal(struct obv_object *a,
                         const struct obv_property *property_a,
                         struct obv_object *b,
                         const struct obv_property *property_b);

/** Whether the property of an object has this value, which is one of the
    property `like`, perhaps another class's; reads one of an any-thread
    property at once. */
bool obv__property_has(struct obv_object *object,
                       const struct obv_property *property,
                       const struct obv_property *like, const void *value);

/** Whether a binding reads the property where it lies: of a custom one, but not
    of an element, which its container has. */
static inline bool obv__is_read_by_binding(const struct obv_property *property)
{
    return property->custom && !(property->flags & OBV__AFAR);
}

/** Whether a property of this kind may hold an object. */
bool obv__may_hold_object(const struct obv_property *property);

/** Whether the property is compared in a way of its own: then its setters take
    the slow path. */
static inline bool
obv__compares_its_own_way(const struct obv_property *property)
{
    return property->equal || property->computed ||
           (property->flags & OBV_ALWAYS_DIFFERENT);
}

/** Whether values are words of four or eight bytes that are compared as such. */
static inline bool obv__is_word(const struct obv_property *property)
{
    return property->kind <= OBV_KIND_pointer && !property->equal &&
           !(property->flags & OBV_ALWAYS_DIFFERENT) &&
           (property->size == sizeof(uint32_t) ||
            property->size == sizeof(uint64_t));
}

/** Whether a record keeps values for a binding as words. */
static inline bool obv__keeps_word(const struct obv_property *property)
{
    return property->computed && (property->computed->flags & OBV_DETAIL_WORD);
}

/** Whether a computed property that is not compared in a way of its own has
    doubles. */
static inline bool obv__computes_double(const struct obv_property *property)
{
    return property->kind == OBV_KIND_f64 ||
           (property->computed->flags & OBV_DETAIL_DOUBLE);
}

/** Whether two doubles, given by their words, are the same number. */
static inline bool obv__doubles_equal(uint64_t a, uint64_t b)
{
    double left, right;
    memcpy(&left, &a, sizeof left);
    memcpy(&right, &b, sizeof right);
    return OBV_DETAIL_SAME(left, right);
}

/** Whether a record keeps values for a binding in boxes. */
static inline bool obv__keeps_boxes(const struct obv_property *property)
{
    return property->custom && property->computed && !obv__keeps_word(property);
}

/** The object that a value of a property is, or NULL; not of a foreign one.
    `held`: with a reference, to be given back. */
struct obv_object *obv__value_object(const struct obv_property *property,
                                     const void *value, bool *held);

/** The object that a property holds, or NULL; also for kinds that hold none.
    `held`: with a reference, to be given back. */
struct obv_object *obv__child(struct obv_object *object,
                              const struct obv_property *property, bool *held);

#endif
