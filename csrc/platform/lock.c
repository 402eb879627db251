/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The waiting half of lock.h and the striped locks. A waiter spins for as long
 * as the holder is inside; holders run a few instructions and never users'
 * code, so only a holder that lost its processor makes the wait long.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "platform/lock.h"

#ifndef OBV_ATOMIC_HEADER
#include <sched.h>
#include <time.h>
#endif

enum {
    spin_rounds = 64,  /* about 2 us of pausing, then sched_yield() */
    yield_rounds = 192 /* then sleep */
};

struct obv__stripe obv__stripes[256];

#ifdef OBV_ATOMIC_HEADER

void obv__backoff(unsigned *round)
{
    (void)round;
    obv__pause();
}

#else

void obv__backoff(unsigned *round)
{
    unsigned now = (*round)++;
    if (now < spin_rounds) {
        obv__pause();
    } else if (now < yield_rounds) {
        sched_yield();
    } else {
        *round = now; /* stay here, without wrapping */
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}

#endif

void obv__lock_enter_contended(struct obv__lock *lock)
{
    unsigned round = 0;
    /* Repeats while others make progress: each failed try means that some
       thread is or was inside. */
    do {
        /* Relaxed: only a hint when to try; the try orders. Reading instead of
           exchanging leaves the line with the holder. */
        while (obv__load_relaxed(&lock->word)) {
            obv__backoff(&round);
        }
    } while (!obv__lock_try(lock));
}
