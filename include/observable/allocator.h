/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of memory: an argument at creation, never a global. A NULL
 * allocator is the C library's.
 */
#ifndef OBSERVABLE_ALLOCATOR_H
#define OBSERVABLE_ALLOCATOR_H

#include <observable/base.h>

OBV_BEGIN_DECLS

/**
 * An allocator. Copied when it is given, so the struct may be a temporary;
 * `context` must outlive whatever was created with it.
 *
 * Threads:   both functions are called on any thread, at the same time.
 * Callbacks: they must not call this library, nor wait for a thread that
 *            does: some of its own locks may be held around them.
 */
struct obv_allocator {
    /** Answers `size` bytes, never 0, aligned for every type (16), or NULL. */
    void *OBV_NULLABLE (*OBV_NONNULL allocate)(void *OBV_NULLABLE context,
                                               size_t size);
    /** Takes back a block of as many bytes as were asked for; never NULL. */
    void (*OBV_NONNULL free)(void *OBV_NULLABLE context,
                             void *OBV_NONNULL block, size_t size);
    void *OBV_NULLABLE context;
};

OBV_END_DECLS

#endif
