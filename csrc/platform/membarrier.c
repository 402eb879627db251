/* SPDX-License-Identifier: Apache-2.0 */
/*
 * membarrier(2) with the private expedited command on Linux, a full fence
 * everywhere else. Registered at first use; the first answer is kept for the
 * life of the process, because readers have chosen by it.
 */
#define _GNU_SOURCE
#include "platform/membarrier.h"
#include "platform/compiler.h"

#ifndef OBV_ATOMIC_HEADER

#if defined(__linux__)
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

uint8_t obv__membarrier_state;

#ifdef OBV__UNDER_TSAN

void obv__full_fence(void)
{
    static uint32_t word;
    /* All exchanges of one word are in one order, each sees everything before
       those ahead of it: of two threads that fence between a store and a load,
       the later one's load sees the earlier one's store. */
    obv__exchange_seq_cst(&word, 0);
}

#else

void obv__full_fence(void)
{
    /* Orders the caller's store before its load; pairs with the fence of the
       other side. Without it both loads may miss both stores. */
    obv__fence_seq_cst();
}

#endif

#if defined(__linux__) && defined(SYS_membarrier)

/* From linux/membarrier.h, which old systems lack. */
enum {
    command_global = 1,
    command_private_expedited = 1 << 3,
    command_register_private_expedited = 1 << 4
};

static bool command(int number)
{
    int kept = errno;
    bool good = syscall(SYS_membarrier, number, 0, 0) == 0;
    errno = kept;
    return good;
}

static bool ask(void)
{
    return command(command_register_private_expedited) &&
           command(command_private_expedited);
}

/* The global command needs no registration, and a sandbox that filters by
   arguments may leave it; it takes milliseconds. */
static bool barrier(void)
{
    return command(command_private_expedited) || ask() ||
           command(command_global);
}

#else

static bool ask(void)
{
    return false;
}

static bool barrier(void)
{
    return false;
}

#endif

void obv__membarrier_setup(void)
{
    /* Relaxed: the state guards no other memory. */
    if (obv__load_relaxed(&obv__membarrier_state) != OBV__MEMBARRIER_UNKNOWN) {
        return;
    }
    uint8_t unknown = OBV__MEMBARRIER_UNKNOWN;
    uint8_t answer =
        ask() ? OBV__MEMBARRIER_AVAILABLE : OBV__MEMBARRIER_REFUSED;
    /* Several threads may ask at once; the first answer stays. Another thread's
       failed registration does no harm: it is the process's. */
    obv__cas_acq_rel(&obv__membarrier_state, &unknown, answer);
}

bool obv__membarrier(void)
{
    obv__membarrier_setup();
    if (obv__membarrier_available()) {
        return barrier();
    }
    obv__full_fence();
    return true;
}

void obv__membarrier_refuse_for_tests(void)
{
    obv__store_relaxed(&obv__membarrier_state, OBV__MEMBARRIER_REFUSED);
}

#else
/* The tests' scheduler has its own; ISO C wants something here. */
typedef int obv__membarrier_is_the_schedulers;
#endif
