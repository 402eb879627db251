/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test allocator: counts blocks and bytes, checks the size that comes
 * back with each block, and fails on request.
 */
#include "test.h"

#include <observable/allocator.h>

#include <stdlib.h>
#include <string.h>

static size_t live_blocks, live_bytes, allocations, fail_at;
static bool fail_on, fail_all, failed;

static void *allocate(void *context, size_t size)
{
    (void)context;
    size_t n = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (fail_on && (n == fail_at || (fail_all && n > fail_at))) {
        failed = true;
        return NULL;
    }
    size_t *block = aligned_alloc(16, (size + 16 + 15) / 16 * 16);
    if (!block) {
        return NULL;
    }
    block[0] = size;
    memset(block + 2, 0xA5, size); /* nobody may count on zeros */
    __atomic_add_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&live_bytes, size, __ATOMIC_RELAXED);
    return block + 2;
}

static void give_back(void *context, void *memory, size_t size)
{
    (void)context;
    size_t *block = (size_t *)memory - 2;
    CHECK_EQ(block[0], size);
    memset(memory, 0x5A, size);
    __atomic_sub_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&live_bytes, size, __ATOMIC_RELAXED);
    free(block);
}

const struct obv_allocator *test_allocator(void)
{
    static const struct obv_allocator allocator = {allocate, give_back, NULL};
    return &allocator;
}

size_t test_live_blocks(void)
{
    return __atomic_load_n(&live_blocks, __ATOMIC_RELAXED);
}

size_t test_live_bytes(void)
{
    return __atomic_load_n(&live_bytes, __ATOMIC_RELAXED);
}

size_t test_allocations(void)
{
    return __atomic_load_n(&allocations, __ATOMIC_RELAXED);
}

void test_fail_allocation(size_t n, bool all)
{
    failed = false;
    fail_on = n != 0;
    fail_all = all;
    fail_at = test_allocations() + n;
}

bool test_allocation_failed(void)
{
    return failed;
}
