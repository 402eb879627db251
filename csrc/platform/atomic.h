/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every atomic operation of the core, and nothing else. The order is part of
 * the name; there is no default. The fields are plain types, so that structs
 * can be read by C++ and Swift; nothing but these macros touches them where
 * two threads may meet.
 *
 * Tests compile the core with another header of these names, a scheduler that
 * enumerates interleavings and store buffers (-DOBV_ATOMIC_HEADER="...").
 */
#ifndef OBV_PLATFORM_ATOMIC_H
#define OBV_PLATFORM_ATOMIC_H

#ifdef OBV_ATOMIC_HEADER
#include OBV_ATOMIC_HEADER
#else

#define obv__load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define obv__load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define obv__load_seq_cst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)

#define obv__store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define obv__store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define obv__exchange_acquire(p, v)                                            \
    __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define obv__exchange_acq_rel(p, v)                                            \
    __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL)
#define obv__exchange_seq_cst(p, v)                                            \
    __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)

/* Answers whether it exchanged; `*expected` becomes what was found. */
#define obv__cas_acq_rel(p, expected, v)                                       \
    __atomic_compare_exchange_n((p), (expected), (v), 0, __ATOMIC_ACQ_REL,     \
                                __ATOMIC_ACQUIRE)
#define obv__cas_seq_cst(p, expected, v)                                       \
    __atomic_compare_exchange_n((p), (expected), (v), 0, __ATOMIC_SEQ_CST,     \
                                __ATOMIC_SEQ_CST)

#define obv__fetch_add_relaxed(p, v)                                           \
    __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define obv__fetch_add_acq_rel(p, v)                                           \
    __atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)
#define obv__fetch_add_seq_cst(p, v)                                           \
    __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define obv__fetch_or_acq_rel(p, v)                                            \
    __atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL)
#define obv__fetch_and_acq_rel(p, v)                                           \
    __atomic_fetch_and((p), (v), __ATOMIC_ACQ_REL)
#define obv__fetch_and_seq_cst(p, v)                                           \
    __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)

/* Full fence: for the fallback where membarrier is refused. ThreadSanitizer
   does not see fences; what it must follow has release and acquire besides. */
#define obv__fence_seq_cst()    __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Keeps the compiler, not the processor, from reordering; its partner on the
   other thread is obv__membarrier(). */
#define obv__compiler_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* In a spin: tells the processor (and a scheduler) that we wait. */
#if defined(__x86_64__) || defined(__i386__)
#define obv__pause() __builtin_ia32_pause()
#elif defined(__aarch64__) || defined(__arm__)
#define obv__pause() __asm__ __volatile__("yield")
#else
#define obv__pause() obv__compiler_barrier()
#endif

#endif
#endif
