/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program cannot say in Swift: how often it allocates, and a loop that
 * callgrind knows by its name.
 */
#ifndef HOT_PATH_COUNTS_H
#define HOT_PATH_COUNTS_H

#include <stdint.h>

/** Allocations of all threads so far: a program that links this has its own
    malloc and what belongs to it, each of which counts and then calls the C
    library's (glibc). */
int64_t allocation_count(void);

/** A setter, with the object that it sets. */
typedef void (*hot_path_setter)(const void *_Nonnull object, intptr_t value);

/** Operations that are counted. */
enum { HOT_PATH_OPERATIONS = 10000 };

/** Calls the setter with 1, 2, ..., HOT_PATH_OPERATIONS. */
void hot_path_count(hot_path_setter _Nonnull setter,
                    const void *_Nonnull object);

#endif
