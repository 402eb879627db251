/* SPDX-License-Identifier: Apache-2.0 */
#include "Counts.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic int64_t count;

int64_t allocation_count(void)
{
    return atomic_load(&count);
}

void *malloc(size_t size)
{
    atomic_fetch_add(&count, 1);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    atomic_fetch_add(&count, 1);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size)
{
    atomic_fetch_add(&count, 1);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    atomic_fetch_add(&count, 1);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = aligned_alloc(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}
