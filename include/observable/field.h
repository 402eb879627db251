/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a field is of the type that its kind says, at compile time: the part
 * of OBV_FIELD(), OBV_PROPERTY() and their relatives that looks at the field.
 * Part of the binary interface's headers, not of the programming interface:
 * programs use <observable/object.h>.
 *
 * In C the type is asked for by _Generic and the compilers' built-in functions,
 * in C++ by <type_traits>.
 */
#ifndef OBSERVABLE_FIELD_H
#define OBSERVABLE_FIELD_H

#include <observable/kind.h>

#if defined(__cplusplus)
extern "C++" {
#include <type_traits>
}
#endif

OBV_BEGIN_DECLS

/* The type of a kind; `object_of(TAG)` says its own. */
#define OBV_DETAIL_TYPEDEF(kind_name, type)                                    \
    typedef type obv_detail_type_##kind_name;
OBV_SCALAR_KINDS(OBV_DETAIL_TYPEDEF)
#undef OBV_DETAIL_TYPEDEF
#define obv_detail_type_object_of(tag) struct tag

/*
 * Forms. A kind of the table has the form obv_scalar; the others have one of
 * their own. Macros by form are called OBV_DETAIL_<what>_<form>.
 *
 * `bool` is a macro in C, which must not be expanded before it is pasted. So a
 * macro that is given a kind's name pastes it at once, and hands on the result.
 */
#define OBV_DETAIL_FORM_enum           ~, obv_enum
#define OBV_DETAIL_FORM_pointer        ~, obv_pointer
#define OBV_DETAIL_FORM_string         ~, obv_string
#define OBV_DETAIL_FORM_object         ~, obv_object
#define OBV_DETAIL_FORM_object_of(tag) ~, obv_object_of
#define OBV_DETAIL_FORM_bytes          ~, obv_bytes
#define OBV_DETAIL_FORM_custom         ~, obv_custom

/* The expansion of a pasted name; `second` if that is no macro. */
#define OBV_DETAIL_OR(...)                    OBV_DETAIL_SECOND(__VA_ARGS__, ~)
#define OBV_DETAIL_SECOND(first, second, ...) second

/* The macro `what` of a form. */
#define OBV_DETAIL_BY_FORM(what, form) OBV_DETAIL_PASTE(what, form)
#define OBV_DETAIL_PASTE(what, form)   what##form

/* The shape of a field's type, as a constant: 0 if it is no number. */
#define OBV_DETAIL_SHAPE_BOOL           1
#define OBV_DETAIL_SHAPE_SIGNED(type)   (100 + (int)sizeof(type))
#define OBV_DETAIL_SHAPE_UNSIGNED(type) (200 + (int)sizeof(type))
#define OBV_DETAIL_SHAPE_FLOATING(type) (300 + (int)sizeof(type))

#if defined(__cplusplus)

extern "C++" {
template <typename T, bool = std::is_enum<T>::value> struct obv_detail_number {
    typedef T type;
};
template <typename T> struct obv_detail_number<T, true> {
    typedef typename std::underlying_type<T>::type type;
};
template <typename T> constexpr int obv_detail_shape()
{
    typedef typename obv_detail_number<T>::type number;
    return std::is_same<number, bool>::value ? OBV_DETAIL_SHAPE_BOOL
           : std::is_floating_point<number>::value
               ? OBV_DETAIL_SHAPE_FLOATING(T)
           : !std::is_integral<number>::value ? 0
           : std::is_signed<number>::value    ? OBV_DETAIL_SHAPE_SIGNED(T)
                                              : OBV_DETAIL_SHAPE_UNSIGNED(T);
}
}

#define OBV_DETAIL_STATIC_ASSERT      static_assert
#define OBV_DETAIL_SHAPE(lvalue)      (obv_detail_shape<decltype(lvalue)>())
#define OBV_DETAIL_IS_POINTER(lvalue) (std::is_pointer<decltype(lvalue)>::value)
#define OBV_DETAIL_IS(lvalue, type)                                            \
    (std::is_same<decltype(lvalue), type>::value)
#define OBV_DETAIL_IS_OBJECT(lvalue)                                           \
    (OBV_DETAIL_IS_POINTER(lvalue) &&                                          \
     std::is_class<std::remove_pointer<decltype(lvalue)>::type>::value)
#define OBV_DETAIL_IS_BLOCK(lvalue)                                            \
    (std::is_array<decltype(lvalue)>::value ||                                 \
     std::is_class<decltype(lvalue)>::value ||                                 \
     std::is_union<decltype(lvalue)>::value)
/* The size of a field, in an expression that asserts. */
#define OBV_DETAIL_ASSERTED_SIZE(lvalue, fits, message)                        \
    ([] {                                                                      \
        static_assert(fits, message);                                          \
        return (uint32_t)sizeof(lvalue);                                       \
    }())

#else

#if defined(__CHAR_UNSIGNED__)
#define OBV_DETAIL_SHAPE_CHAR OBV_DETAIL_SHAPE_UNSIGNED(char)
#else
#define OBV_DETAIL_SHAPE_CHAR OBV_DETAIL_SHAPE_SIGNED(char)
#endif

#define OBV_DETAIL_STATIC_ASSERT _Static_assert
#define OBV_DETAIL_SHAPE(lvalue)                                               \
    _Generic((lvalue), bool                                                    \
             : OBV_DETAIL_SHAPE_BOOL, char                                     \
             : OBV_DETAIL_SHAPE_CHAR, signed char                              \
             : OBV_DETAIL_SHAPE_SIGNED(char), short                            \
             : OBV_DETAIL_SHAPE_SIGNED(short), int                             \
             : OBV_DETAIL_SHAPE_SIGNED(int), long                              \
             : OBV_DETAIL_SHAPE_SIGNED(long), long long                        \
             : OBV_DETAIL_SHAPE_SIGNED(long long), unsigned char               \
             : OBV_DETAIL_SHAPE_UNSIGNED(char), unsigned short                 \
             : OBV_DETAIL_SHAPE_UNSIGNED(short), unsigned                      \
             : OBV_DETAIL_SHAPE_UNSIGNED(int), unsigned long                   \
             : OBV_DETAIL_SHAPE_UNSIGNED(long), unsigned long long             \
             : OBV_DETAIL_SHAPE_UNSIGNED(long long), float                     \
             : OBV_DETAIL_SHAPE_FLOATING(float), double                        \
             : OBV_DETAIL_SHAPE_FLOATING(double), long double                  \
             : OBV_DETAIL_SHAPE_FLOATING(long double), default : 0)
/* An array is a pointer only once it is used. */
#define OBV_DETAIL_IS_ARRAY(lvalue)                                            \
    (!__builtin_types_compatible_p(__typeof__(lvalue),                         \
                                   __typeof__(((void)0, (lvalue)))))
#define OBV_DETAIL_IS_POINTER(lvalue)                                          \
    (__builtin_classify_type(lvalue) == 5 && !OBV_DETAIL_IS_ARRAY(lvalue))
#define OBV_DETAIL_IS(lvalue, type)                                            \
    __builtin_types_compatible_p(__typeof__(lvalue), type)
/* Of pointers the compiler tells those to numbers from those to structs. */
#define OBV_DETAIL_POINTERS_TO(type) type * : 0, const type * : 0
#define OBV_DETAIL_IS_OBJECT(lvalue)                                           \
    (OBV_DETAIL_IS_POINTER(lvalue) &&                                          \
     _Generic((lvalue), OBV_DETAIL_POINTERS_TO(void),                          \
              OBV_DETAIL_POINTERS_TO(bool), OBV_DETAIL_POINTERS_TO(char),      \
              OBV_DETAIL_POINTERS_TO(signed char),                             \
              OBV_DETAIL_POINTERS_TO(short), OBV_DETAIL_POINTERS_TO(int),      \
              OBV_DETAIL_POINTERS_TO(long), OBV_DETAIL_POINTERS_TO(long long), \
              OBV_DETAIL_POINTERS_TO(unsigned char),                           \
              OBV_DETAIL_POINTERS_TO(unsigned short),                          \
              OBV_DETAIL_POINTERS_TO(unsigned),                                \
              OBV_DETAIL_POINTERS_TO(unsigned long),                           \
              OBV_DETAIL_POINTERS_TO(unsigned long long),                      \
              OBV_DETAIL_POINTERS_TO(float), OBV_DETAIL_POINTERS_TO(double),   \
              default : 1))
/* 12 and 13: a struct and a union. */
#define OBV_DETAIL_IS_BLOCK(lvalue)                                            \
    (OBV_DETAIL_IS_ARRAY(lvalue) || __builtin_classify_type(lvalue) == 12 ||   \
     __builtin_classify_type(lvalue) == 13)
#define OBV_DETAIL_ASSERTED_SIZE(lvalue, fits, message)                        \
    ((uint32_t)(sizeof(lvalue) + 0 * sizeof(struct {                           \
                                     _Static_assert(fits, message);            \
                                     char nothing;                             \
                                 })))

#endif

/* Whether a field, given as an lvalue, fits a kind; `type` is
   obv_detail_type_<kind>. */
#define OBV_DETAIL_FITS_obv_scalar(lvalue, type)                               \
    (OBV_DETAIL_SHAPE(lvalue) == OBV_DETAIL_SHAPE((type)0))
#define OBV_DETAIL_FITS_obv_enum(lvalue, type)                                 \
    (OBV_DETAIL_SHAPE(lvalue) > 100 && OBV_DETAIL_SHAPE(lvalue) < 300)
#define OBV_DETAIL_FITS_obv_pointer(lvalue, type) OBV_DETAIL_IS_POINTER(lvalue)
#define OBV_DETAIL_FITS_obv_string(lvalue, type)                               \
    (OBV_DETAIL_IS(lvalue, const char *) || OBV_DETAIL_IS(lvalue, char *))
#define OBV_DETAIL_FITS_obv_object(lvalue, type) OBV_DETAIL_IS_OBJECT(lvalue)
#define OBV_DETAIL_FITS_obv_object_of(lvalue, type)                            \
    (OBV_DETAIL_IS(lvalue, type *) ||                                          \
     OBV_DETAIL_IS(lvalue, struct obv_object *))
#define OBV_DETAIL_FITS_obv_bytes(lvalue, type)  OBV_DETAIL_IS_BLOCK(lvalue)
#define OBV_DETAIL_FITS_obv_custom(lvalue, type) true

#define OBV_DETAIL_NEEDS_obv_scalar                                            \
    "a field of that size, sign and sort (bool; i8 to i64: intN_t; "           \
    "u8 to u64: uintN_t; size: size_t; f32: float; f64: double)"
#define OBV_DETAIL_NEEDS_obv_enum    "a field of an enumeration or integer type"
#define OBV_DETAIL_NEEDS_obv_pointer "a field that is a pointer"
#define OBV_DETAIL_NEEDS_obv_string  "a const char * or char * field"
#define OBV_DETAIL_NEEDS_obv_object  "a field that is a pointer to a struct"
#define OBV_DETAIL_NEEDS_obv_object_of                                         \
    "a field that is a pointer to that struct, or to struct obv_object"
#define OBV_DETAIL_NEEDS_obv_bytes  "a field that is an array or a struct"
#define OBV_DETAIL_NEEDS_obv_custom ""

/* In no brackets of its own: for C++ that would be a reference. */
#define OBV_DETAIL_LVALUE(struct_tag, field) ((struct struct_tag *)0)->field

#define OBV_DETAIL_FITS(struct_tag, field, form, type)                         \
    OBV_DETAIL_BY_FORM(OBV_DETAIL_FITS_, form)                                 \
    (OBV_DETAIL_LVALUE(struct_tag, field), type)
#define OBV_DETAIL_MISFIT(struct_tag, field, form, kind_text)                  \
    "obv: " #struct_tag "." #field ": kind " kind_text                         \
    " needs " OBV_DETAIL_BY_FORM(OBV_DETAIL_NEEDS_, form)

/* Stands in front of accessors. */
#define OBV_DETAIL_CHECK(struct_tag, field, form, type, kind_text)             \
    OBV_DETAIL_STATIC_ASSERT(                                                  \
        OBV_DETAIL_FITS(struct_tag, field, form, type),                        \
        OBV_DETAIL_MISFIT(struct_tag, field, form, kind_text));
/* The size of a field, for its line in a table. */
#define OBV_DETAIL_SIZE(struct_tag, field, form, type, kind_text)              \
    OBV_DETAIL_ASSERTED_SIZE(                                                  \
        OBV_DETAIL_LVALUE(struct_tag, field),                                  \
        OBV_DETAIL_FITS(struct_tag, field, form, type),                        \
        OBV_DETAIL_MISFIT(struct_tag, field, form, kind_text))
/* The flags of a line that the field's type says by itself. */
#define OBV_DETAIL_FLAGS(struct_tag, field, kind_number)                       \
    ((kind_number) == OBV_KIND_enum &&                                         \
             OBV_DETAIL_SHAPE(OBV_DETAIL_LVALUE(struct_tag, field)) > 200      \
         ? OBV_UNSIGNED                                                        \
         : 0)

OBV_END_DECLS

#endif
