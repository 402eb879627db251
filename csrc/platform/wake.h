/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file descriptor that becomes readable when it is signalled: what an event
 * loop of another library polls. An eventfd on Linux, elsewhere a pipe. It
 * counts nothing: many signals before a clear are one.
 *
 * Owed: after a signal the descriptor is readable until the next clear; neither
 * of the two blocks; what was stored before a signal is seen after the clear
 * that took it.
 */
#ifndef OBV_PLATFORM_WAKE_H
#define OBV_PLATFORM_WAKE_H

#include <stdbool.h>

struct obv__wake {
    int read_fd;  /* to poll for reading; -1: not open */
    int write_fd; /* the same one if it is an eventfd */
};

/**
 * Opens `wake`, not readable yet. Both descriptors do not block and are closed
 * by exec.
 *
 * @return false if the system has no descriptor or memory left (errno says
 *         which); then `wake` is not open, and may be closed all the same.
 */
bool obv__wake_open(struct obv__wake *wake);

/**
 * Makes the descriptor readable.
 *
 * Threads: any, and signal handlers; never blocks and leaves errno alone. Not
 * after obv__wake_close() has begun.
 * Cost: a system call; who cares keeps a flag beside it.
 */
void obv__wake_signal(const struct obv__wake *wake);

/** Takes all signals so far; one that comes meanwhile is taken or stays.
    Leaves errno alone. Look at what was signalled after this, not before. */
void obv__wake_clear(const struct obv__wake *wake);

/** Closes what is open; `wake` may be opened again. Leaves errno alone. */
void obv__wake_close(struct obv__wake *wake);

#endif
