/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reference count with a try, as a user of the library writes one: what the
 * `retain` and `release` hooks of a class or a handler need.
 */
#ifndef OBV_SCENARIO_COUNT_H
#define OBV_SCENARIO_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct count {
    atomic_size_t references;
};

static inline void count_init(struct count *count)
{
    /* Relaxed: nobody else can reach the object yet. */
    atomic_store_explicit(&count->references, 1, memory_order_relaxed);
}

/** One reference more, or false: it has begun to end. */
static inline bool count_try(struct count *count)
{
    /* Relaxed, both: whoever tries holds the address by other means, and
       takes no data from the count. */
    size_t seen =
        atomic_load_explicit(&count->references, memory_order_relaxed);
    while (seen > 0) { /* repeats only if another thread moved the count */
        if (atomic_compare_exchange_weak_explicit(
                &count->references, &seen, seen + 1, memory_order_relaxed,
                memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/** One reference less; true for the one that was the last. */
static inline bool count_drop(struct count *count)
{
    /* Release orders what this owner did with the object before the end,
       acquire makes it visible to the one that ends it; they pair with each
       other. Without them the last owner could free what is still written. */
    return atomic_fetch_sub_explicit(&count->references, 1,
                                     memory_order_acq_rel) == 1;
}

#endif
