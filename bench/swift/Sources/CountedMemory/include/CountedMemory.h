/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what the program asks of malloc: a program that links this has its own
 * malloc, calloc, realloc, posix_memalign, aligned_alloc and free, which count
 * and then call the C library's (glibc).
 */
#ifndef COUNTED_MEMORY_H
#define COUNTED_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocations so far. */
int64_t counted_allocations(void);

/** Bytes that were asked for and not given back. */
int64_t counted_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
