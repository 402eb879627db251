/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CPU and a second thread: with a thread alone in its process, mutexes and
 * the library are both cheaper than in a real program.
 */
#define _GNU_SOURCE
#include "BenchSupport.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

void bench_pin(void)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

static sem_t asked, done;
static void (*asked_work)(void *context);
static void *asked_context;

static void *serve(void *unused)
{
    (void)unused;
    for (;;) {
        while (sem_wait(&asked) != 0) {
        }
        asked_work(asked_context);
        sem_post(&done);
    }
    return NULL;
}

static void start(void)
{
    pthread_t thread;
    sem_init(&asked, 0, 0);
    sem_init(&done, 0, 0);
    if (pthread_create(&thread, NULL, serve, NULL) != 0) {
        abort();
    }
    pthread_detach(thread);
}

void bench_start_second_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

void bench_on_second_thread(void (*work)(void *context), void *context)
{
    bench_start_second_thread();
    asked_work = work;
    asked_context = context;
    sem_post(&asked);
    while (sem_wait(&done) != 0) {
    }
}

static double nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double bench_cpu_time(void)
{
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

double bench_clock(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}
