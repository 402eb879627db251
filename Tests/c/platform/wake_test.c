/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.h, in the form that the platform chooses; with -DOBV_WAKE_WITH_PIPE the
 * same tests run on the pipe.
 */
#define _GNU_SOURCE
#include "test.h"

#include "platform/atomic.h"
#include "platform/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

static bool readable(const struct obv__wake *wake, int milliseconds)
{
    struct pollfd entry = {.fd = wake->read_fd, .events = POLLIN};
    return poll(&entry, 1, milliseconds) == 1 && (entry.revents & POLLIN);
}

TEST(a_new_wake_is_not_readable_and_its_descriptors_are_well_bred)
{
    struct obv__wake wake;
    CHECK(obv__wake_open(&wake));
    CHECK(!readable(&wake, 0));
    int fds[] = {wake.read_fd, wake.write_fd};
    for (int i = 0; i < 2; i++) {
        CHECK(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
        CHECK(fcntl(fds[i], F_GETFL) & O_NONBLOCK);
    }
    obv__wake_close(&wake);
    CHECK_EQ(wake.read_fd, -1);
    CHECK_EQ(fcntl(fds[0], F_GETFD), -1);
    obv__wake_close(&wake); /* harmless */
}

#if defined(__linux__)

static int closed; /* descriptors that this program has closed */

/* In the place of the system library's. */
int close(int fd)
{
    closed++;
    return (int)syscall(SYS_close, fd);
}

/* Twice would close what another thread has opened meanwhile. */
TEST(each_descriptor_is_closed_once)
{
    struct obv__wake wake;
    CHECK(obv__wake_open(&wake));
    int count = wake.read_fd == wake.write_fd ? 1 : 2;
    int fds[] = {wake.read_fd, wake.write_fd};
    closed = 0;
    obv__wake_close(&wake);
    CHECK_EQ(closed, count);
    CHECK_EQ(fcntl(fds[0], F_GETFD), -1);
    CHECK_EQ(fcntl(fds[1], F_GETFD), -1);
}

#endif

TEST(a_full_wake_takes_a_signal_and_stays_readable)
{
    struct obv__wake wake;
    CHECK(obv__wake_open(&wake));
    const uint64_t most = UINT64_MAX - 1; /* of an eventfd; else some bytes */
    while (write(wake.write_fd, &most, sizeof most) > 0) {
    }
    CHECK_EQ(errno, EAGAIN);
    obv__wake_signal(&wake);
    CHECK(readable(&wake, 0));
    obv__wake_clear(&wake);
    CHECK(!readable(&wake, 0));
    obv__wake_close(&wake);
}

TEST(many_signals_are_taken_by_one_clear)
{
    struct obv__wake wake;
    CHECK(obv__wake_open(&wake));
    for (int i = 0; i < 300; i++) {
        obv__wake_signal(&wake);
    }
    CHECK(readable(&wake, 0));
    CHECK(readable(&wake, 0)); /* polling takes nothing */
    obv__wake_clear(&wake);
    CHECK(!readable(&wake, 0));
    obv__wake_clear(&wake); /* nothing there: does not block */
    obv__wake_signal(&wake);
    CHECK(readable(&wake, 0));
    obv__wake_close(&wake);
}

TEST(a_signal_never_blocks_and_none_of_the_calls_touches_errno)
{
    struct obv__wake wake;
    CHECK(obv__wake_open(&wake));
    errno = EXDEV;
    for (int i = 0; i < 70000; i++) { /* more than a pipe holds */
        obv__wake_signal(&wake);
    }
    CHECK_EQ(errno, EXDEV);
    CHECK(readable(&wake, 0));
    obv__wake_clear(&wake);
    obv__wake_clear(&wake);
    CHECK_EQ(errno, EXDEV);
    CHECK(!readable(&wake, 0));
    obv__wake_close(&wake);
    CHECK_EQ(errno, EXDEV);
}

static void *signal_often(void *context)
{
    for (int i = 0; i < 1000; i++) {
        obv__wake_signal(context);
    }
    return NULL;
}

static uint32_t posted; /* atomic */

static void *post_and_signal(void *context)
{
    obv__store_release(&posted, 1);
    obv__wake_signal(context);
    return NULL;
}

TEST(a_signal_of_another_thread_wakes_a_poll)
{
    struct obv__wake wake;
    pthread_t threads[2];
    CHECK(obv__wake_open(&wake));
    CHECK(pthread_create(&threads[0], NULL, post_and_signal, &wake) == 0);
    CHECK(readable(&wake, -1));
    obv__wake_clear(&wake);
    CHECK_EQ(obv__load_acquire(&posted), 1);
    CHECK(pthread_join(threads[0], NULL) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, signal_often, &wake) == 0);
    }
    CHECK(readable(&wake, -1));
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    obv__wake_clear(&wake);
    CHECK(!readable(&wake, 0));
    obv__wake_close(&wake);
}

static struct obv__wake woken;

static void on_signal(int number)
{
    (void)number;
    obv__wake_signal(&woken);
}

TEST(a_signal_handler_may_signal)
{
    CHECK(obv__wake_open(&woken));
    CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
    CHECK(raise(SIGUSR1) == 0);
    CHECK(readable(&woken, 0));
    obv__wake_close(&woken);
}

TEST(without_descriptors_open_fails_and_leaves_nothing_open)
{
    struct rlimit limit;
    struct obv__wake wake;
    int free_fd = dup(0);
    CHECK(free_fd >= 0 && close(free_fd) == 0);
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)free_fd; /* the next one is refused */
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(!obv__wake_open(&wake));
    CHECK_EQ(errno, EMFILE);
    CHECK_EQ(wake.read_fd, -1);
    CHECK_EQ(wake.write_fd, -1);
    obv__wake_close(&wake);
    limit.rlim_cur = before;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}
