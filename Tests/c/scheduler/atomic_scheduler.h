/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's stand-in for csrc/platform/atomic.h: the same names, each
 * operation a step. Given to the compiler with
 * -DOBV_ATOMIC_HEADER='"atomic_scheduler.h"'; scheduler.h tells the rest.
 */
#ifndef ATOMIC_SCHEDULER_H
#define ATOMIC_SCHEDULER_H

#pragma GCC system_header /* casts to the qualified types of fields */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scheduler_rmw {
    SCHEDULER_EXCHANGE,
    SCHEDULER_ADD,
    SCHEDULER_OR,
    SCHEDULER_AND
};

uint64_t scheduler_load(const void *address, size_t size, const char *file,
                        int line);
void scheduler_store(void *address, size_t size, uint64_t value,
                     const char *file, int line);
uint64_t scheduler_modify(void *address, size_t size, enum scheduler_rmw how,
                          uint64_t value, const char *file, int line);
bool scheduler_cas(void *address, size_t size, void *expected, uint64_t value,
                   const char *file, int line);
void scheduler_load_value(const void *address, size_t size, void *value,
                          const char *file, int line);
void scheduler_exchange(void *address, size_t size, const void *value,
                        void *old, const char *file, int line);
void scheduler_fence(const char *file, int line);
void scheduler_pause(const char *file, int line);
void scheduler_point(const char *name, const char *file, int line);
void scheduler_must_live(const void *address, const char *file, int line);
void scheduler_must_be_held(const uint8_t *word);

#define SCHEDULER_LOAD(p)                                                      \
    ((__typeof__(*(p)))(uintptr_t)scheduler_load((p), sizeof *(p), __FILE__,   \
                                                 __LINE__))
#define SCHEDULER_STORE(p, v)                                                  \
    scheduler_store((p), sizeof *(p), (uint64_t)(uintptr_t)(v), __FILE__,      \
                    __LINE__)
#define SCHEDULER_MODIFY(p, how, v)                                            \
    ((__typeof__(*(p)))(uintptr_t)scheduler_modify((p), sizeof *(p), (how),    \
                                                   (uint64_t)(uintptr_t)(v),   \
                                                   __FILE__, __LINE__))
#define SCHEDULER_CAS(p, expected, v)                                          \
    scheduler_cas((p), sizeof *(p), (expected), (uint64_t)(uintptr_t)(v),      \
                  __FILE__, __LINE__)

#define obv__load_relaxed(p) SCHEDULER_LOAD(p)
#define obv__load_acquire(p) SCHEDULER_LOAD(p)
#define obv__load_seq_cst(p) SCHEDULER_LOAD(p)

#define obv__store_relaxed(p, v) SCHEDULER_STORE(p, v)
#define obv__store_release(p, v) SCHEDULER_STORE(p, v)

#define obv__exchange_acquire(p, v) SCHEDULER_MODIFY(p, SCHEDULER_EXCHANGE, v)
#define obv__exchange_acq_rel(p, v) SCHEDULER_MODIFY(p, SCHEDULER_EXCHANGE, v)
#define obv__exchange_seq_cst(p, v) SCHEDULER_MODIFY(p, SCHEDULER_EXCHANGE, v)

#define obv__cas_acq_rel(p, expected, v) SCHEDULER_CAS(p, expected, v)
#define obv__cas_seq_cst(p, expected, v) SCHEDULER_CAS(p, expected, v)

#define obv__fetch_add_relaxed(p, v) SCHEDULER_MODIFY(p, SCHEDULER_ADD, v)
#define obv__fetch_add_acq_rel(p, v) SCHEDULER_MODIFY(p, SCHEDULER_ADD, v)
#define obv__fetch_add_seq_cst(p, v) SCHEDULER_MODIFY(p, SCHEDULER_ADD, v)
#define obv__fetch_or_acq_rel(p, v)  SCHEDULER_MODIFY(p, SCHEDULER_OR, v)
#define obv__fetch_and_acq_rel(p, v) SCHEDULER_MODIFY(p, SCHEDULER_AND, v)
#define obv__fetch_and_seq_cst(p, v) SCHEDULER_MODIFY(p, SCHEDULER_AND, v)

/* The inline setters of <observable/detail.h>, which is included after this:
   the compiler is told to include this header first. */
#define OBV_DETAIL_LOAD_RELAXED(p) SCHEDULER_LOAD(p)
#define OBV_DETAIL_LOAD_ACQUIRE(p) SCHEDULER_LOAD(p)
#define OBV_DETAIL_LOAD_SEQ_CST(p) SCHEDULER_LOAD(p)
#define OBV_DETAIL_EXCHANGE(p, v, old)                                         \
    scheduler_exchange((p), sizeof *(p), (v), (old), __FILE__, __LINE__)
#define OBV_DETAIL_LOAD_VALUE(p, v)                                            \
    scheduler_load_value((p), sizeof *(p), (v), __FILE__, __LINE__)

#define obv__fence_seq_cst()       scheduler_fence(__FILE__, __LINE__)
#define obv__compiler_barrier()    ((void)0)
#define obv__pause()               scheduler_pause(__FILE__, __LINE__)
#define obv__pause_point(its_name) scheduler_point(its_name, __FILE__, __LINE__)
#define obv__must_live(address)    scheduler_must_live(address, __FILE__, __LINE__)
#define obv__must_be_held(word)    scheduler_must_be_held(word)

#endif
