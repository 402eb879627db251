/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within the scheduler: which steps matter to other threads, and which memory
 * has been given back. Programs use scheduler.h.
 */
#ifndef SCHEDULER_MEMORY_H
#define SCHEDULER_MEMORY_H

#include <stdbool.h>

/** Change records a step of the running thread; whether another one's depends
    on it. */
bool scheduler_matters(const void *address, bool writes);

/** Whether this schedule has taught that a further step matters. */
bool scheduler_has_learned(void);

/** 0, or who gave the block at `address` back: 2 and the thread's index. */
int scheduler_given_back_by(const void *address);

/** Takes all blocks back: a schedule begins. */
void scheduler_forget_schedule(void);

/** Forgets who reads and writes what: a program begins. */
void scheduler_forget_words(void);

#endif
