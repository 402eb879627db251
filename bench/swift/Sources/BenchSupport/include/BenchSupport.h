/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Swift benches cannot say in Swift: where in a cache line a loop
 * begins, on which CPU the program runs, a second thread that sleeps until it
 * is given something to do, and one on another CPU that works beside this one.
 */
#ifndef BENCH_SUPPORT_H
#define BENCH_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

/** How many places of a calling loop there are. */
enum { BENCH_PLACES = 4 };

/** A setter; it is called, never inlined. */
typedef void (*bench_setter)(const void *_Nonnull context, intptr_t value);

/** The set of a property that is laid out where it is called. Of the Swift
    program. */
void bench_set_lone_user(const void *_Nonnull user, intptr_t value);

/** Calls the setter with first, first + 1, ..., from a loop that begins `place`
    quarters into a cache line. */
void bench_sets(int place, bench_setter _Nonnull setter,
                const void *_Nonnull context, intptr_t first, intptr_t count);

/** Settles on the last CPU that is allowed: the first takes the interrupts. */
void bench_pin(void);

/** Starts the second thread, once. */
void bench_start_second_thread(void);

/** Runs `work` on the second thread, and waits for it. Both threads share one
    CPU: no cache line travels. */
void bench_on_second_thread(void (*_Nonnull work)(void *_Nonnull context),
                            void *_Nonnull context);

/** Whether a second CPU is allowed; known once bench_pin() has settled. */
bool bench_has_two_cpus(void);

/** A setter and the object that it is called with; no setter: nothing to do. */
struct bench_side {
    bench_setter _Nullable setter;
    const void *_Nullable context;
};

/** Calls the setter of the one side here and that of the other on another CPU,
    each with first, first + 1, ..., from the same moment on; the nanoseconds
    that the slower one took. */
double bench_side_by_side(struct bench_side here, struct bench_side there,
                          intptr_t first, intptr_t count);

/** Nanoseconds that this thread has used of a CPU. */
double bench_cpu_time(void);

/** Nanoseconds of a clock that all threads share. */
double bench_clock(void);

#endif
