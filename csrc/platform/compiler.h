/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints to the compiler that the language does not have.
 */
#ifndef OBV_PLATFORM_COMPILER_H
#define OBV_PLATFORM_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define OBV__HIDDEN              __attribute__((visibility("hidden")))
#define OBV__UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* The slow path, kept out of the frame of the fast one. */
#define OBV__NOINLINE __attribute__((noinline))
/* A part of the fast path, whatever the compiler thinks of its size. */
#define OBV__INLINE static inline __attribute__((always_inline))
/* A function into which the functions of its file that it calls are inlined. */
#define OBV__FLAT __attribute__((flatten))
/* Hides from the compiler where a pointer has come from, so that it addresses
   memory from this pointer, and keeps no second address in a register. */
#define OBV__OPAQUE(pointer) __asm__("" : "+r"(pointer))
/* A type that may alias memory of any other. */
#define OBV__MAY_ALIAS __attribute__((may_alias))
#else
#define OBV__NOINLINE
#define OBV__INLINE static inline
#define OBV__FLAT
#define OBV__HIDDEN
#define OBV__UNLIKELY(condition) (condition)
#define OBV__OPAQUE(pointer)     ((void)0)
#define OBV__MAY_ALIAS
#endif

/* The struct of a type in which a member stands at an address. */
#define OBV__STRUCT_OF(type, member, address)                                  \
    ((type *)((uintptr_t)(address)-offsetof(type, member)))

/* Built under the thread sanitizer. */
#if defined(__SANITIZE_THREAD__)
#define OBV__UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OBV__UNDER_TSAN 1
#endif
#endif

#endif
