/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two forms of a wake-up descriptor. An eventfd is one descriptor and one
 * read takes all signals; a pipe holds a byte a signal, and when it is full a
 * further one has nothing to add.
 */
#define _GNU_SOURCE
#include "platform/wake.h"

#ifndef OBV_ATOMIC_HEADER

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#if defined(__linux__) && !defined(OBV_WAKE_WITH_PIPE)

#include <sys/eventfd.h>

typedef uint64_t token; /* what one write carries */

bool obv__wake_open(struct obv__wake *wake)
{
    wake->read_fd = wake->write_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return wake->read_fd >= 0;
}

#else

typedef uint8_t token;

/* Not atomic with pipe(): a fork in another thread meanwhile inherits the
   descriptor. Systems that have pipe2() and no eventfd are rare. */
static bool prepare(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

bool obv__wake_open(struct obv__wake *wake)
{
    int ends[2] = {-1, -1};
    bool made = pipe(ends) == 0;
    wake->read_fd = ends[0];
    wake->write_fd = ends[1];
    if (made && prepare(ends[0]) && prepare(ends[1])) {
        return true;
    }
    obv__wake_close(wake);
    return false;
}

#endif

void obv__wake_signal(const struct obv__wake *wake)
{
    int kept = errno;
    token one = 1;
    /* Repeats when a signal handler interrupts. EAGAIN: it is full, and so it
       is readable already. */
    while (write(wake->write_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
    errno = kept;
}

void obv__wake_clear(const struct obv__wake *wake)
{
    int kept = errno;
    token many[sizeof(token) == 1 ? 256 : 1];
    ssize_t got;
    /* One read empties an eventfd, and a pipe once it came back short. Repeats
       while there is more; bounded by what fits into the pipe, unless others
       write as fast as we read. */
    do {
        got = read(wake->read_fd, many, sizeof many);
    } while ((got < 0 && errno == EINTR) ||
             (sizeof(token) == 1 && got == (ssize_t)sizeof many));
    errno = kept;
}

void obv__wake_close(struct obv__wake *wake)
{
    int kept = errno;
    if (wake->write_fd >= 0 && wake->write_fd != wake->read_fd) {
        close(wake->write_fd);
    }
    if (wake->read_fd >= 0) {
        close(wake->read_fd);
    }
    wake->read_fd = wake->write_fd = -1;
    errno = kept;
}

#else
/* The tests' scheduler has its own; ISO C wants something here. */
typedef int obv__wake_is_the_schedulers;
#endif
