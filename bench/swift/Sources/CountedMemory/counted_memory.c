/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that a caller asked for stand in front of its memory, so that what
 * is given back is known; a header keeps the largest alignment that is asked
 * for by far the most callers, others have the header's room before it.
 */
#define _GNU_SOURCE
#include "CountedMemory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

void *__libc_malloc(size_t size);
void __libc_free(void *memory);
void *__libc_memalign(size_t alignment, size_t size);

/** In front of all that is given out; no larger than any alignment. */
struct front {
    size_t size;
    void *block; /* what the C library gave */
};

static _Atomic int64_t allocations, bytes;

int64_t counted_allocations(void)
{
    return atomic_load(&allocations);
}

int64_t counted_bytes(void)
{
    return atomic_load(&bytes);
}

static struct front *front_of(void *memory)
{
    return (struct front *)memory - 1;
}

static void *give(void *block, size_t room, size_t size)
{
    if (block == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = (char *)block + room;
    *front_of(memory) = (struct front){size, block};
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&bytes, (int64_t)size);
    return memory;
}

void *malloc(size_t size)
{
    size_t room = sizeof(struct front);
    return give(__libc_malloc(size + room), room, size);
}

void free(void *memory)
{
    if (memory == NULL) {
        return;
    }
    struct front *front = front_of(memory);
    atomic_fetch_sub(&bytes, (int64_t)front->size);
    __libc_free(front->block);
}

void *calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = malloc(all);
    return memory == NULL ? NULL : memset(memory, 0, all);
}

void *realloc(void *memory, size_t size)
{
    void *moved = malloc(size);
    if (moved != NULL && memory != NULL) {
        size_t old = front_of(memory)->size;
        memcpy(moved, memory, old < size ? old : size);
        free(memory);
    }
    return moved;
}

void *memalign(size_t alignment, size_t size)
{
    size_t room =
        alignment > sizeof(struct front) ? alignment : sizeof(struct front);
    return give(__libc_memalign(room, size + room), room, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

size_t malloc_usable_size(void *memory)
{
    return memory == NULL ? 0 : front_of(memory)->size;
}
