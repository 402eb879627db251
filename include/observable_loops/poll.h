/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll() that delivers as well (DR-14): for a program with a loop of its own
 * around poll().
 *
 *     struct pollfd waiting[2] = {{0}, {.fd = thermometer, .events = POLLIN}};
 *     int ready;
 *     while ((ready = obv_poll(loop, waiting, 2, -1)) >= 0 ||
 *            (ready == OBV_E_SYSTEM && errno == EINTR)) {
 *         if (ready > 0 && waiting[1].revents) {
 *             ... read the thermometer ...
 *         }
 *     }
 *
 * A signal ends the wait, one whose handler calls obv_loop_wake() too: the next
 * call drains then.
 */
#ifndef OBSERVABLE_LOOPS_POLL_H
#define OBSERVABLE_LOOPS_POLL_H

#include <observable/loop.h>

#include <poll.h>

OBV_BEGIN_DECLS

/**
 * Waits as poll() does, for the program's descriptors and for what is scheduled
 * in a loop, and drains the loop if anything is.
 *
 * @param loop     not NULL.
 * @param waiting  `count` entries: the first is the loop's and is filled in
 *                 here, the program's own follow.
 * @param count    1 at least.
 * @param timeout  milliseconds, as of poll(): -1: until something comes.
 * @return how many of the program's own are ready: 0 after the timeout, and
 *         where handlers were called alone. OBV_E_SYSTEM: poll() has failed,
 *         and `errno` says why (EINTR: a signal came; wait again), or the
 *         system has no descriptor left for the loop. OBV_E_THREAD for a bound
 *         loop on a foreign thread. OBV_E_ARGUMENT; OBV_E_ENDED for a loop that
 *         was destroyed before it had a descriptor; OBV_E_BUSY at the first
 *         call, while another thread drains the loop.
 *
 * Threads:   one that drains the loop. Of a destroyed one whose memory is kept
 *            (obv_loop_retain()) nothing comes.
 * Callbacks: the handlers, after poll() has returned.
 */
static inline int obv_poll(struct obv_loop *OBV_NULLABLE loop,
                           struct pollfd *OBV_NULLABLE waiting, nfds_t count,
                           int timeout)
{
    if (!loop || !waiting || count == 0) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = obv_loop_descriptor(loop, &waiting[0].fd);
    if (status != OBV_OK) {
        return status;
    }
    waiting[0].events = POLLIN;
    int ready = poll(waiting, count, timeout);
    if (ready < 0) {
        return OBV_E_SYSTEM;
    }
    if (waiting[0].revents == 0) {
        return ready;
    }
    return obv_loop_drain(loop) == OBV_E_THREAD ? (int)OBV_E_THREAD : ready - 1;
}

OBV_END_DECLS

#endif
