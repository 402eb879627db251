/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library's allocator, and arrays that grow.
 */
#include "base/memory.h"

#include <stdlib.h>

static void *system_allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void system_free(void *context, void *block, size_t size)
{
    (void)context;
    (void)size;
    free(block);
}

const struct obv_allocator obv__system_allocator = {system_allocate,
                                                    system_free, NULL};

void obv__allocator_init(struct obv_allocator *to,
                         const struct obv_allocator *from_or_null)
{
    *to = from_or_null ? *from_or_null : obv__system_allocator;
}

void *obv__grown(const struct obv_allocator *allocator, void *items,
                 const void *near_or_null, size_t *capacity, size_t size)
{
    size_t before = *capacity, after = before == 0 ? 16 : 2 * before;
    void *grown = obv__allocate(allocator, after * size);
    if (!grown) {
        return NULL;
    }
    if (before != 0) {
        memcpy(grown, items, before * size);
    }
    if (items != near_or_null) {
        obv__free(allocator, items, before * size);
    }
    *capacity = after;
    return grown;
}
