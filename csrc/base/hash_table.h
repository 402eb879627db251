/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of entries by hashes of 64 bits. All 64 bits take part, and several
 * entries may have the same hash: members that collide.
 *
 *     struct watched { struct obv_hash_entry entry; ... };
 *
 *     obv__hash_table_add(&table, allocator, &watched->entry, hash);
 *     for (e = obv__hash_table_find(&table, hash); e;
 *          e = obv__hash_table_find_next(e))                   every one of it
 *
 * Algorithm: chains, in buckets that are chosen by multiplicative hashing
 *            (Dietzfelbinger, Hagerup, Katajainen and Penttonen, 1997), repeated
 *            on the folded product, under a random multiplier of the table:
 *            whoever chooses the hashes cannot choose which of them share a
 *            bucket, and hashes in a row are as good as random ones.
 * Memory:    entries are the caller's, 16 bytes. The table has 8 bytes a bucket,
 *            one to four buckets an entry. Without memory for more buckets the
 *            chains become longer, and nothing fails.
 * Threads:   no lock inside. The caller lets one thread in at a time, or several
 *            that only read.
 * Callbacks: the allocator's.
 * Cost:      O(1) expected to add, find and take, however many there are, while
 *            few share one hash; to add is amortised, since it may double the
 *            buckets.
 */
#ifndef OBV_HASH_TABLE_H
#define OBV_HASH_TABLE_H

#include <observable/allocator.h>
#include <observable/hash_table.h>

#include <stddef.h>

/** Makes an empty table, which holds no memory; a zeroed one is that. */
void obv__hash_table_init(struct obv_hash_table *table);

/** Gives the buckets back; the entries are the caller's. It is empty then.
    `allocator`: the one that was given to obv__hash_table_add(). */
void obv__hash_table_deinit(struct obv_hash_table *table,
                            const struct obv_allocator *allocator);

/** Adds an entry, which is in no table; behind those with the same hash. */
void obv__hash_table_add(struct obv_hash_table *table,
                         const struct obv_allocator *allocator,
                         struct obv_hash_entry *entry, uint64_t hash);

/** Takes an entry of the table out. Buckets that are far too many are given
    back. */
void obv__hash_table_take(struct obv_hash_table *table,
                          const struct obv_allocator *allocator,
                          struct obv_hash_entry *entry);

/** The first entry with a hash, or NULL. */
struct obv_hash_entry *obv__hash_table_find(const struct obv_hash_table *table,
                                            uint64_t hash);

/** The next entry with the hash of this one, or NULL. */
struct obv_hash_entry *
obv__hash_table_find_next(const struct obv_hash_entry *entry);

/** The entry behind another one in the table's own order (NULL: the first of
    all), or NULL. The order is kept while nothing is added or taken out. O(1)
    over a whole walk. */
struct obv_hash_entry *obv__hash_table_next(const struct obv_hash_table *table,
                                            const struct obv_hash_entry *entry);

#endif
