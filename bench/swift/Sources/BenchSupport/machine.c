/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CPU and a second thread: with a thread alone in its process, mutexes and
 * the library are both cheaper than in a real program. And a third thread, on
 * another CPU.
 */
#define _GNU_SOURCE
#include "BenchSupport.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

/* The last CPU that is allowed, and the one before it; -1: there is none. */
static int last_cpu = -1, other_cpu = -1;

static void settle(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

void bench_pin(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) {
            other_cpu = last_cpu;
            last_cpu = cpu;
        }
    }
    settle(last_cpu);
}

bool bench_has_two_cpus(void)
{
    return other_cpu >= 0;
}

/* A thread that sleeps until it is given something to do. */
struct server {
    sem_t asked, done;
    void (*work)(void *context);
    void *context;
};

static struct server second, beside;

static void *serve(void *of)
{
    struct server *server = of;
    for (;;) {
        while (sem_wait(&server->asked) != 0) {
        }
        server->work(server->context);
        sem_post(&server->done);
    }
    return NULL;
}

static void start(struct server *server)
{
    pthread_t thread;
    sem_init(&server->asked, 0, 0);
    sem_init(&server->done, 0, 0);
    if (pthread_create(&thread, NULL, serve, server) != 0) {
        abort();
    }
    pthread_detach(thread);
}

static void ask(struct server *server, void (*work)(void *context),
                void *context)
{
    server->work = work;
    server->context = context;
    sem_post(&server->asked);
}

static void wait_for(struct server *server)
{
    while (sem_wait(&server->done) != 0) {
    }
}

static void start_second(void)
{
    start(&second);
}

void bench_start_second_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_second);
}

void bench_on_second_thread(void (*work)(void *context), void *context)
{
    bench_start_second_thread();
    ask(&second, work, context);
    wait_for(&second);
}

static void settle_elsewhere(void *unused)
{
    (void)unused;
    settle(other_cpu);
}

static void start_beside(void)
{
    start(&beside);
    ask(&beside, settle_elsewhere, NULL);
    wait_for(&beside);
}

struct meeting {
    int missing;
    struct bench_side there;
    intptr_t first, count;
    double took;
};

/* From the moment on at which both threads are there. */
static double time_from(struct meeting *meeting, const struct bench_side *side)
{
    __atomic_sub_fetch(&meeting->missing, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&meeting->missing, __ATOMIC_SEQ_CST) != 0) {
    }
    double begin = bench_clock();
    if (side->setter) {
        bench_sets(0, side->setter, side->context, meeting->first,
                   meeting->count);
    }
    return bench_clock() - begin;
}

static void meet(void *context)
{
    struct meeting *meeting = context;
    meeting->took = time_from(meeting, &meeting->there);
}

double bench_side_by_side(struct bench_side here, struct bench_side there,
                          intptr_t first, intptr_t count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct meeting meeting = {2, there, first, count, 0};
    pthread_once(&once, start_beside);
    ask(&beside, meet, &meeting);
    double took = time_from(&meeting, &here);
    wait_for(&beside);
    return took > meeting.took ? took : meeting.took;
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
