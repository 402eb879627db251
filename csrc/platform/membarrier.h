/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expensive half of an asymmetric fence. A reader stores, tells only the
 * compiler to keep the order (obv__compiler_barrier), and loads; the slow side
 * stores, calls obv__membarrier(), and loads. Then at least one of the two sees
 * the other's store, and the reader has paid no fence.
 *
 * If the system has no membarrier (or refuses it when it is first asked for),
 * both sides fence: obv__membarrier_available() tells readers which it is.
 *
 * Owed: the answer of obv__membarrier_available() never changes once a thread
 * has read it after obv__membarrier_setup().
 */
#ifndef OBV_PLATFORM_MEMBARRIER_H
#define OBV_PLATFORM_MEMBARRIER_H

#include "platform/atomic.h"
#include "platform/compiler.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Makes every running thread of the process pass a full fence, and passes one
 * itself; without membarrier, only the latter.
 *
 * @return false if a membarrier that was available is refused now (a sandbox
 *         entered later). Then nothing is known of other threads: memory must
 *         be kept, not freed.
 *
 * Threads: any. Cost: a system call, 0.1-0.2 us; allocates nothing.
 */
bool obv__membarrier(void);

#ifdef OBV_ATOMIC_HEADER

/* The tests' scheduler empties all store buffers in obv__membarrier(), or as a
   system without it the caller's own. */
bool obv__membarrier_available(void);

static inline void obv__membarrier_setup(void)
{
}

static inline void obv__full_fence(void)
{
    obv__fence_seq_cst();
}

#else

enum obv__membarrier_state {
    OBV__MEMBARRIER_UNKNOWN,
    OBV__MEMBARRIER_AVAILABLE,
    OBV__MEMBARRIER_REFUSED
};

/* Decided by the first obv__membarrier_setup(), constant from then on. */
extern uint8_t obv__membarrier_state OBV__HIDDEN;

/** Asks the system, the first time; each thread calls it before it relies on
    obv__membarrier_available(). */
void obv__membarrier_setup(void);

/** Whether readers may do without fences. */
static inline bool obv__membarrier_available(void)
{
    /* Relaxed: constant since this thread's own obv__membarrier_setup(). */
    return obv__load_relaxed(&obv__membarrier_state) ==
           OBV__MEMBARRIER_AVAILABLE;
}

/** From now on as on a system without membarrier. Only before any other thread
    uses the library, and before this one has. */
void obv__membarrier_refuse_for_tests(void);

/** The cheap side's fence where there is no membarrier. Under ThreadSanitizer,
    which does not see fences, it is an exchange of one word by all. */
void obv__full_fence(void);

#endif
#endif
