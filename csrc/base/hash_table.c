/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains in buckets. A table of one bucket has it in itself, so that an empty
 * one, or one that gets no memory, is no special case of the others.
 */
#include "base/hash_table.h"

#include "base/memory.h"
#include "platform/bsd.h"

#include <string.h>

typedef struct obv_hash_entry *bucket;

static size_t size_of_buckets(uint32_t bits)
{
    return sizeof(bucket) << bits;
}

static bucket *bucket_at(const struct obv_hash_table *table, size_t index)
{
    return table->bits == 0 ? (bucket *)(uintptr_t)&table->only
                            : &table->buckets[index];
}

/* The highest bits of a product are those in which all of the hash take part.
   One product is not enough: under some multipliers hashes that are one distance
   from each other meet in few buckets. */
static size_t index_of(const struct obv_hash_table *table, uint64_t hash)
{
    uint64_t mixed = hash * table->multiplier;
    mixed = (mixed ^ mixed >> 32) * table->multiplier;
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return table->bits == 0 ? 0 : (size_t)(mixed >> (64 - table->bits));
}

void obv__hash_table_init(struct obv_hash_table *table)
{
    memset(table, 0, sizeof *table);
}

void obv__hash_table_deinit(struct obv_hash_table *table,
                            const struct obv_allocator *allocator)
{
    if (table->bits != 0) {
        obv__free(allocator, table->buckets, size_of_buckets(table->bits));
    }
    obv__hash_table_init(table);
}

/* Puts an entry behind those with its hash, or in front of its chain: so those
   with one hash stand together, and a walk that hangs them anew keeps their
   order. */
static void hang_entry(struct obv_hash_table *table,
                       struct obv_hash_entry *entry)
{
    bucket *first = bucket_at(table, index_of(table, entry->hash));
    bucket *place = first;
    while (*place && (*place)->hash != entry->hash) {
        place = &(*place)->next;
    }
    if (!*place) {
        place = first;
    }
    while (*place && (*place)->hash == entry->hash) {
        place = &(*place)->next;
    }
    entry->next = *place;
    *place = entry;
}

/* Hangs all entries into other buckets, if there is memory for them. */
static void resize(struct obv_hash_table *table,
                   const struct obv_allocator *allocator, uint32_t bits)
{
    bucket *fresh =
        bits == 0 ? NULL
                  : obv__allocate_zeroed(allocator, size_of_buckets(bits));
    if (bits != 0 && !fresh) {
        return;
    }
    if (table->multiplier == 0) {
        /* Not at the beginning, since it takes longer than all else that a small
           table does. */
        table->multiplier =
            (uint64_t)arc4random() << 32 | arc4random() | 1u; /* odd */
    }
    struct obv_hash_table old = *table;
    table->bits = bits;
    table->buckets = fresh; /* NULL: and so is `only` */
    for (size_t i = 0; i < (size_t)1 << old.bits; i++) {
        struct obv_hash_entry *next, *entry = *bucket_at(&old, i);
        for (; entry; entry = next) {
            next = entry->next;
            hang_entry(table, entry);
        }
    }
    if (old.bits != 0) {
        obv__free(allocator, old.buckets, size_of_buckets(old.bits));
    }
}

/* As many bits as an array of buckets may have. */
#define BITS_MAX (8 * (uint32_t)sizeof(size_t) - 5)

void obv__hash_table_add(struct obv_hash_table *table,
                         const struct obv_allocator *allocator,
                         struct obv_hash_entry *entry, uint64_t hash)
{
    if (table->count >= (size_t)1 << table->bits && table->bits < BITS_MAX) {
        resize(table, allocator, table->bits == 0 ? 2 : table->bits + 1);
    }
    entry->hash = hash;
    hang_entry(table, entry);
    table->count++;
}

void obv__hash_table_take(struct obv_hash_table *table,
                          const struct obv_allocator *allocator,
                          struct obv_hash_entry *entry)
{
    bucket *place = bucket_at(table, index_of(table, entry->hash));
    while (*place != entry) {
        place = &(*place)->next;
    }
    *place = entry->next;
    table->count--;
    if (table->bits != 0 && table->count == 0) {
        resize(table, allocator, 0);
    } else if (table->count < ((size_t)1 << table->bits) / 8) {
        resize(table, allocator, table->bits - 1);
    }
}

struct obv_hash_entry *obv__hash_table_find(const struct obv_hash_table *table,
                                            uint64_t hash)
{
    struct obv_hash_entry *entry = *bucket_at(table, index_of(table, hash));
    while (entry && entry->hash != hash) {
        entry = entry->next;
    }
    return entry;
}

struct obv_hash_entry *
obv__hash_table_find_next(const struct obv_hash_entry *entry)
{
    struct obv_hash_entry *next = entry->next;
    return next && next->hash == entry->hash ? next : NULL;
}

struct obv_hash_entry *obv__hash_table_next(const struct obv_hash_table *table,
                                            const struct obv_hash_entry *entry)
{
    size_t index = entry ? index_of(table, entry->hash) + 1 : 0;
    struct obv_hash_entry *next = entry ? entry->next : NULL;
    for (; !next && index < (size_t)1 << table->bits; index++) {
        next = *bucket_at(table, index);
    }
    return next;
}
