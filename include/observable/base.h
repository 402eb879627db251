/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that every other header uses: visibility, attributes, C++ linkage.
 * Not part of the vocabulary of users; nothing here is a function.
 */
#ifndef OBSERVABLE_BASE_H
#define OBSERVABLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** OBV_API: exported from the shared library; everything else is hidden. */
#if defined(_WIN32) && defined(OBV_BUILDING_SHARED)
#define OBV_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define OBV_API __attribute__((visibility("default")))
#else
#define OBV_API
#endif

/** OBV_NODISCARD: a result that must be looked at. */
#if defined(__GNUC__)
#define OBV_NODISCARD __attribute__((warn_unused_result))
#else
#define OBV_NODISCARD
#endif

/** Nullability, told to Swift's importer; in C the text says it. */
#if defined(__clang__) && (defined(__swift__) || defined(__OBJC__))
#define OBV_NULLABLE _Nullable
#define OBV_NONNULL  _Nonnull
#else
#define OBV_NULLABLE
#define OBV_NONNULL
#endif

#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(swift_name)
#define OBV_SWIFT_NAME(name) __attribute__((swift_name(name)))
#endif
#endif
#ifndef OBV_SWIFT_NAME
#define OBV_SWIFT_NAME(name)
#endif

#if defined(__cplusplus)
#define OBV_BEGIN_DECLS extern "C" {
#define OBV_END_DECLS   }
#else
#define OBV_BEGIN_DECLS
#define OBV_END_DECLS
#endif

#endif
