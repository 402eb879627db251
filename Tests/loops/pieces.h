/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each fitting piece of <observable_loops/…> owes (DR-14), in the words of
 * no library: a test program says what its event loop is, and these tests run
 * in it. It includes this, then the piece, whose drains are counted so: each is
 * a wake-up; then it defines
 *
 *     struct foreign              an event loop with the piece in it
 *     foreign_begin()             makes both
 *     foreign_turn()              one turn, which sleeps until something comes,
 *                                 or not
 *     foreign_end_loop()          the event loop goes, whatever is pending
 *     foreign_end()               the piece, then the event loop
 *     foreign_has_stopped()       the piece has given up by itself
 *
 * and includes pieces_tests.h.
 */
#ifndef OBV_PIECES_H
#define OBV_PIECES_H

#define _GNU_SOURCE
#include "contract_fixture.h"

static size_t wake_ups;

static inline ptrdiff_t drain_and_count(struct obv_loop *loop)
{
    __atomic_add_fetch(&wake_ups, 1, __ATOMIC_RELAXED);
    return obv_loop_drain(loop);
}

static inline size_t wake_ups_so_far(void)
{
    return __atomic_load_n(&wake_ups, __ATOMIC_RELAXED);
}

#define obv_loop_drain drain_and_count

#endif
