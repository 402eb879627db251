/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a small concurrent program in every order of its atomic steps, with
 * explicit store buffers, up to a bound of preemptions. README.md tells how.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "platform/atomic.h"

#define SCHEDULER_THREADS_MAX 3

struct obv_allocator;

struct scheduler_program {
    const char *name;
    void (*setup)(void); /* makes a fresh state; before every schedule */
    void (*threads[SCHEDULER_THREADS_MAX])(void);
    void (*check)(void); /* after every schedule, all stores visible */
    int preemptions;     /* the bound; 0: 3; below: none */
    bool costly;         /* one preemption less, unless OBV_SCHEDULES=full */
};

/** Runs all schedules and prints their number, if they are asked for: the name
    begins with one of the arguments of the process, is one without its `$`, or
    there are none. A failure prints its schedule and ends the process with
    status 1. OBV_SCHEDULES=short: with one preemption less, where that leaves
    one. `--costly`, the only argument: prints the name of one that is, and runs
    nothing. */
void scheduler_run(const struct scheduler_program *program, int argc,
                   char **argv);

/** Fails the schedule that runs; `file` and `line` are the assertion's. */
void scheduler_fail(const char *what, const char *file, int line);

#define SCHEDULER_CHECK(condition)                                             \
    ((condition) ? (void)0 : scheduler_fail(#condition, __FILE__, __LINE__))

/** A place where another thread may run. */
#define SCHEDULER_POINT(its_name) obv__pause_point(its_name)

/** A place where another thread may run at no preemption's price. */
void scheduler_yield(void);

/** The index of the running thread; -1 in setup and check. */
int scheduler_self(void);

/** Zeroed memory of the running thread, the same block throughout a schedule;
    setup and check share one. At most 1,024 bytes, aligned to 128. */
void *scheduler_local(size_t size);

/** Whether the running thread has just got that memory. Answers true once. */
bool scheduler_local_is_new(void);

/**
 * Memory for what threads share: a block is never handed out twice in a
 * schedule, and a step in a block that was given back fails the schedule, as
 * does a store that arrives there. Everything is taken back before `setup`.
 */
const struct obv_allocator *scheduler_allocator(void);

/** From now on memory of the allocator is as if given back: a step there fails;
    until scheduler_permit(). In whole grains of 16 bytes. */
void scheduler_forbid(const void *memory, size_t size);
void scheduler_permit(const void *memory, size_t size);

/** Blocks that were handed out in this schedule and not given back. */
size_t scheduler_live_blocks(void);

/** Makes all threads' stores visible, as obv__membarrier() does. */
void scheduler_membarrier(void);

/** Called first in `setup`: the system of this schedule has no membarrier, so
    threads fence. */
void scheduler_refuse_membarrier(void);

#endif
