/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of the core's own tables: SipHash-1-3 under a random key, so that an
 * attacker who chooses texts or numbers cannot choose collisions. Not a
 * checksum: the answer differs from table to table, and from one byte order to
 * the other.
 */
#ifndef OBV_HASH_H
#define OBV_HASH_H

#include <stddef.h>
#include <stdint.h>

/** One for each table. */
struct obv__hash_key {
    uint64_t word[2];
};

/** Draws a new key. */
void obv__hash_key_init(struct obv__hash_key *key);

/** The hash of `size` bytes; NULL is allowed if `size` is 0. */
uint64_t obv__hash(const struct obv__hash_key *key, const void *bytes,
                   size_t size);

#endif
