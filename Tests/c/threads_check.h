/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at the library's list of threads from outside.
 */
#ifndef OBV_TEST_THREADS_CHECK_H
#define OBV_TEST_THREADS_CHECK_H

#include "base/reclaim.h"

static inline bool threads_count_one(struct obv__thread *thread,
                                     uintptr_t count)
{
    (void)thread;
    ++*(size_t *)count;
    return false;
}

/* Listed threads now. */
static inline size_t threads_count(void)
{
    size_t count = 0;
    (void)obv__threads_find(threads_count_one, (uintptr_t)&count);
    return count;
}

static inline bool threads_is_ahead(struct obv__thread *thread, uintptr_t none)
{
    (void)none;
    return obv__load_relaxed(&thread->epoch) > obv__load_acquire(&obv__epoch);
}

/* Invariant R1 of base/reclaim.c. */
static inline bool threads_are_right(void)
{
    return !obv__threads_find(threads_is_ahead, 0);
}

#endif
