/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the core asks for memory: through a copy of the allocator that was given
 * at creation. Not a pool, and it counts nothing.
 *
 * Owed: no size wraps around; the size that comes back with a block is the
 * caller's to get right.
 */
#ifndef OBV_MEMORY_H
#define OBV_MEMORY_H

#include "platform/compiler.h"

#include <observable/allocator.h>

#include <string.h>

/** malloc() and free(). */
extern const struct obv_allocator obv__system_allocator OBV__HIDDEN;

/** Copies `from_or_null` to `to`; NULL stands for the C library's. */
void obv__allocator_init(struct obv_allocator *to,
                         const struct obv_allocator *from_or_null);

/** A block of `size` bytes aligned to 16, not cleared, or NULL. */
static inline void *obv__allocate(const struct obv_allocator *allocator,
                                  size_t size)
{
    return allocator->allocate(allocator->context, size);
}

/** The same with every byte 0. */
static inline void *obv__allocate_zeroed(const struct obv_allocator *allocator,
                                         size_t size)
{
    void *block = obv__allocate(allocator, size);
    return block ? memset(block, 0, size) : NULL;
}

/** Gives a block of `size` bytes back; NULL is allowed. */
static inline void obv__free(const struct obv_allocator *allocator, void *block,
                             size_t size)
{
    if (block) {
        allocator->free(allocator->context, block, size);
    }
}

/** An array of twice the capacity, or of 16 items, with what was in `items`, which
    is freed (but not `near_or_null`). NULL: no memory, and all is as before. */
void *obv__grown(const struct obv_allocator *allocator, void *items,
                 const void *near_or_null, size_t *capacity, size_t size);

#endif
