/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receivers of events: a function of the program, a target (standard error,
 * a file, the ring or the summary) and the break before a call. The core tells
 * one function, receive(), which tells all three. The mutex is never held while
 * code of the program runs.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Targets that are no descriptors. */
enum { NOWHERE = -1, RING = -2, SUMMARY = -3 };

enum { LABEL_MAX_LENGTH = 127 };

/* Guards the next four. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static obv_trace_receiver *program;
static int target = NOWHERE; /* a descriptor, or one of the above */
static pid_t opened_by;      /* the process that has set the target */
static char label[LABEL_MAX_LENGTH + 1]; /* to break before; empty: none */

/* Closes the target; the mutex is held. The array of events ends with one that
   says nothing new, since no comma may stand behind the last. */
static void close_target_locked(void)
{
    struct text end = {.length = 0};
    if (target == SUMMARY) {
        if (getpid() == opened_by) {
            summary_print();
        }
        summary_end();
    }
    if (target > STDERR_FILENO) {
        text_add(&end,
                 "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%ld,"
                 "\"args\":{\"name\":\"observable\"}}\n]\n",
                 (long)getpid());
        /* A forked process has the file as well. */
        if (getpid() == opened_by) {
            (void)text_write(&end, target);
        }
        (void)close(target);
    }
    target = NOWHERE;
}

/* `name`: of a file; NULL: it was named when it was made. */
static void say_refused(const char *name, const char *doing, int reason)
{
    struct text line = {.length = 0};
    text_add(&line, "observable: the trace file ");
    text_add_name(&line, name);
    text_add(&line, "%scannot be %s: %s\n", name ? " " : "", doing,
             strerror(reason));
    (void)text_write(&line, STDERR_FILENO);
}

static void receive(const struct obv_trace_event *event);

/* The mutex is held. */
static void tell_core_locked(void)
{
    obv_detail_trace(program || target != NOWHERE || label[0] != '\0' ? receive
                                                                      : NULL);
}

static void receive(const struct obv_trace_event *event)
{
    struct text text;
    int error = errno, cancelled;
    text.length = 0;
    /* A write is a point of cancellation: the mutex would stay taken. */
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    (void)pthread_mutex_lock(&mutex);
    obv_trace_receiver *told = program;
    bool breaks = event->kind == OBV_TRACE_CALL && event->label &&
                  label[0] != '\0' && strcmp(event->label, label) == 0;
    if (target > STDERR_FILENO) {
        event_as_json(event, &text);
        if (!text_write(&text, target)) {
            say_refused(NULL, "written", errno);
            close_target_locked();
            tell_core_locked();
        }
    } else if (target == SUMMARY) {
        summary_add(event);
    } else if (target != NOWHERE) {
        text_add(&text, "observable: ");
        event_as_line(event, &text);
        text_add(&text, "\n");
        if (target == RING) {
            ring_add(&text);
        } else {
            (void)text_write(&text, target);
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    (void)pthread_setcancelstate(cancelled, &cancelled);
    errno = error; /* the program, which sets a property, keeps its errno */
    if (told) {
        told(event);
    }
    if (breaks) {
        text.length = 0;
        event_as_line(event, &text);
        obv_debug_stop(text.bytes);
    }
}

static void lock_all(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void unlock_all(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void prepare_fork(void)
{
    (void)pthread_atfork(lock_all, unlock_all, unlock_all);
}

/* Enters the mutex to change a receiver. The first call registers fork
   handlers, so that a child does not inherit a mutex that another thread has
   locked. */
static void lock_to_switch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, prepare_fork);
    (void)pthread_mutex_lock(&mutex);
}

void obv_trace(obv_trace_receiver *receiver)
{
    lock_to_switch();
    program = receiver;
    tell_core_locked();
    (void)pthread_mutex_unlock(&mutex);
}

/* Files --------------------------------------------------------------------- */

static void close_at_exit(void)
{
    (void)pthread_mutex_lock(&mutex);
    close_target_locked();
    tell_core_locked();
    (void)pthread_mutex_unlock(&mutex);
}

static void prepare_exit(void)
{
    (void)atexit(close_at_exit);
}

/* Opens a file without emptying it; NOWHERE, with errno: it was refused. */
static int open_file(const char *name)
{
    int opened = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    /* Never one of the standard descriptors, which the program may have closed. */
    if (opened == NOWHERE || opened > STDERR_FILENO) {
        return opened;
    }
    int moved = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int reason = errno;
    (void)close(opened);
    errno = reason;
    return moved;
}

/* Whether the opened file is the present target's, which writes an end when it
   is closed: it has to be closed first. The mutex is held. */
static bool is_target_locked(int opened)
{
    struct stat now, next;
    return target > STDERR_FILENO && fstat(target, &now) == 0 &&
           fstat(opened, &next) == 0 && now.st_dev == next.st_dev &&
           now.st_ino == next.st_ino && S_ISREG(now.st_mode);
}

/* Empties a file and begins the array; false, with errno: it was refused. */
static bool begin_file(int opened)
{
    static const struct text begin = {.length = 2, .bytes = "[\n"};
    struct stat what;
    return fstat(opened, &what) == 0 &&
           (!S_ISREG(what.st_mode) || ftruncate(opened, 0) == 0) &&
           text_write(&begin, opened);
}

/* The target of a name. `is_file`: the name is that of a file, which is
   opened. */
static int target_named(const char *name, bool *is_file)
{
    static const struct {
        const char *name;
        int target;
    } targets[] = {{"", NOWHERE},
                   {"0", NOWHERE},
                   {"1", STDERR_FILENO},
                   {"ring", RING},
                   {"summary", SUMMARY}};
    *is_file = false;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (strcmp(name ? name : "", targets[i].name) == 0) {
            return targets[i].target;
        }
    }
    *is_file = true;
    return open_file(name);
}

enum obv_status obv_trace_to(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool is_file;
    int next = target_named(name, &is_file);
    bool is_made = !is_file || next != NOWHERE;
    if (is_made && (is_file || next == SUMMARY)) {
        (void)pthread_once(&once, prepare_exit);
    }
    lock_to_switch();
    if (is_file && is_made) {
        if (is_target_locked(next)) {
            close_target_locked();
        }
        is_made = begin_file(next);
    }
    if (!is_made) {
        say_refused(name, "made", errno);
        if (next != NOWHERE) {
            (void)close(next);
        }
    } else {
        close_target_locked();
        target = next;
        opened_by = getpid();
        ring_begin();
    }
    tell_core_locked();
    (void)pthread_mutex_unlock(&mutex);
    return is_made ? OBV_OK : OBV_E_SYSTEM;
}

void obv_trace_print_ring(void)
{
    static const struct text busy = {
        .length =
            sizeof "observable: an event is being written; try again\n" - 1,
        .bytes = "observable: an event is being written; try again\n"};
    if (pthread_mutex_trylock(&mutex) != 0) {
        (void)text_write(&busy, STDERR_FILENO);
        return;
    }
    ring_print();
    (void)pthread_mutex_unlock(&mutex);
}

/* Breaking before a call ----------------------------------------------------- */

enum obv_status obv_debug_break_before_call(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    if (length > LABEL_MAX_LENGTH) {
        return OBV_E_LIMIT;
    }
    lock_to_switch();
    memcpy(label, name ? name : "", length + 1);
    tell_core_locked();
    (void)pthread_mutex_unlock(&mutex);
    return OBV_OK;
}

/* The environment ------------------------------------------------------------ */

/* Before main(), so that any program is traced that is linked with the library.
   Static programs are made to take this file along by the linker's option that
   observable.pc and the CMake package carry. */
__attribute__((constructor)) static void begin_by_environment(void)
{
#ifdef __GLIBC__
    const char *name = secure_getenv("OBV_TRACE");
#else
    const char *name = getuid() == geteuid() && getgid() == getegid()
                           ? getenv("OBV_TRACE")
                           : NULL;
#endif
    if (name && name[0] != '\0') {
        (void)obv_trace_to(name);
    }
}
