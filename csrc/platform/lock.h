/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spin lock of one byte, 256 of them chosen by an address, and the back-off
 * that every wait of the core uses. Not for users' code: what a lock guards is
 * a few instructions, and of a program's hooks only an allocator is among them
 * (RE-5).
 * Not recursive, not fair.
 *
 * Owed: mutual exclusion; what was written under the lock is seen by the next
 * one who enters. Everything goes through atomic.h, so a scheduler sees it.
 */
#ifndef OBV_PLATFORM_LOCK_H
#define OBV_PLATFORM_LOCK_H

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/pause_point.h"

#include <stdbool.h>
#include <stdint.h>

struct obv__lock {
    uint8_t word; /* 0 free, as zeroed; 1 held; written by any thread */
};

/** Waits a little: the first rounds pause the processor, the next give it to
    other threads, later ones sleep 50 us (so that a thread of higher priority
    cannot starve the one it waits for). `*round` starts at 0. */
void obv__backoff(unsigned *round);

/** The long path into a lock that was found held. */
void obv__lock_enter_contended(struct obv__lock *lock);

static inline void obv__lock_init(struct obv__lock *lock)
{
    /* Relaxed: whoever shows the lock to other threads orders this. */
    obv__store_relaxed(&lock->word, 0);
}

/** Enters if the lock is free; never waits. */
static inline bool obv__lock_try(struct obv__lock *lock)
{
    /* Acquire, pairs with obv__lock_leave(): without it we could read what the
       last holder has not finished writing. */
    return obv__exchange_acquire(&lock->word, 1) == 0;
}

static inline void obv__lock_enter(struct obv__lock *lock)
{
    if (!obv__lock_try(lock)) {
        obv__lock_enter_contended(lock);
    }
}

static inline void obv__lock_leave(struct obv__lock *lock)
{
    obv__must_be_held(&lock->word);
    /* Release, pairs with obv__lock_try(): without it our last writes could
       become visible after the lock looks free. */
    obv__store_release(&lock->word, 0);
}

/** Waits until a thread has left of which the caller has seen, by an acquire
    load, what it stored within. */
static inline void obv__lock_await_leave(struct obv__lock *lock)
{
    /* Acquire, pairs with obv__lock_leave(). The holder has entered before it
       stored what we have seen: we find the lock held, or as it left it. */
    if (OBV__UNLIKELY(obv__load_acquire(&lock->word))) {
        obv__lock_enter(lock);
        obv__lock_leave(lock);
    }
}

/* One lock a line: neighbours belong to unrelated objects, and a shared line
   would make their threads wait for each other. */
extern struct obv__stripe {
    _Alignas(64) struct obv__lock lock;
} obv__stripes[256] OBV__HIDDEN;

/** The lock of everything that hangs on `address`; several addresses share
    one. It outlives what it guards, so it may be entered before it is known
    whether the memory at `address` lives. No thread holds two of them. */
static inline struct obv__lock *obv__lock_stripe(const void *address)
{
    /* Blocks lie 16 bytes apart; Fibonacci hashing spreads what is left. */
    uint64_t hash =
        ((uint64_t)(uintptr_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    return &obv__stripes[hash >> 56].lock;
}

#endif
