/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of kinds: what a property can hold. A kind of number is one
 * line of it; everything else, from the inline setter to the copy that is
 * handed over, is made from that line.
 *
 * A kind fits a field of its size, its signedness and its sort: `i64` takes
 * `int64_t`, `long` and `long long` wherever these have 64 bits, `u64` takes a
 * `size_t` of as many, and a plain `char` is `i8` or `u8` as the compiler has
 * it. `enum` takes any enumeration or integer type. OBV_FIELD(),
 * OBV_PROPERTY(), OBV_MODEL() and their relatives see the field, so what does
 * not fit does not compile:
 *
 *     error: static assertion failed: "obv: user.age: kind i64 needs a field
 *     of that size, sign and sort (...)"
 *
 * Of a class table that is written without them, obv_class_create() sees the
 * sizes alone.
 */
#ifndef OBSERVABLE_KIND_H
#define OBSERVABLE_KIND_H

#include <observable/base.h>

OBV_BEGIN_DECLS

/** The kinds that are one value of the processor's, each with its type: for a
    macro `X(kind_name, type)`. `bool` is a macro in C, so X pastes the name of
    its kind before it hands it on. */
#define OBV_INTEGER_KINDS(X)                                                   \
    X(i8, int8_t)                                                              \
    X(i16, int16_t)                                                            \
    X(i32, int32_t)                                                            \
    X(i64, int64_t)                                                            \
    X(u8, uint8_t)                                                             \
    X(u16, uint16_t)                                                           \
    X(u32, uint32_t)                                                           \
    X(u64, uint64_t)                                                           \
    X(size, size_t)
#define OBV_FLOATING_KINDS(X)                                                  \
    X(f32, float)                                                              \
    X(f64, double)
#define OBV_NUMBER_KINDS(X)                                                    \
    OBV_INTEGER_KINDS(X)                                                       \
    OBV_FLOATING_KINDS(X)
#define OBV_SCALAR_KINDS(X)                                                    \
    X(bool, bool)                                                              \
    OBV_NUMBER_KINDS(X)

#define OBV_DETAIL_ENUMERATOR(kind_name, type) OBV_KIND_##kind_name,

/** The kind of value that a property holds. */
enum obv_kind {
    /** Of a value that is handed over (<observable/value.h>): there is no
        container to read it of. No property is of this kind. */
    OBV_KIND_unreachable = 0,
    /** bool */
    OBV_KIND_bool = 1,
    OBV_INTEGER_KINDS(OBV_DETAIL_ENUMERATOR)
    /** An enumeration, or an integer that holds one: 1, 2, 4 or 8 bytes. */
    OBV_KIND_enum,
    /** Any pointer, compared by its value. */
    OBV_KIND_pointer,
    /* From here on comparing takes more than a look at the bytes. */
    OBV_FLOATING_KINDS(OBV_DETAIL_ENUMERATOR)
    /** const char *, NUL-terminated or NULL; the field owns a copy. */
    OBV_KIND_string,
    /** A pointer to an observable struct; the field owns a reference, unless it
        is OBV_UNOWNED. */
    OBV_KIND_object,
    /** An array of bytes, or a struct, inside the struct. */
    OBV_KIND_bytes,
    /** A value whose layout a language binding keeps to itself; the property
        says how it is compared and followed (struct obv_value_kind). */
    OBV_KIND_custom
};

OBV_END_DECLS

#endif
