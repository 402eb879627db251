/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash table beside a plain list.
 */
#include "test.h"

#include "base/hash_table.h"

enum { ROOM = 4000 };

struct element {
    struct obv_hash_entry entry;
    uint64_t hash;
    bool is_in;
    size_t added; /* when */
};

static struct element elements[ROOM];
static struct obv_hash_table table;
static size_t added;

static void begin(void)
{
    obv__hash_table_init(&table);
    added = 0;
    for (size_t i = 0; i < ROOM; i++) {
        elements[i] = (struct element){.hash = 0};
    }
}

static void add(size_t i, uint64_t hash)
{
    elements[i].hash = hash;
    elements[i].is_in = true;
    elements[i].added = ++added;
    obv__hash_table_add(&table, test_allocator(), &elements[i].entry, hash);
}

static void take(size_t i)
{
    elements[i].is_in = false;
    obv__hash_table_take(&table, test_allocator(), &elements[i].entry);
}

static struct element *element_of(struct obv_hash_entry *entry)
{
    return (struct element *)(void *)entry;
}

/* Those with a hash, in the order in which they were added. */
static void check_hash(uint64_t hash)
{
    size_t expected = 0, found = 0, before = 0;
    for (size_t i = 0; i < ROOM; i++) {
        expected += elements[i].is_in && elements[i].hash == hash;
    }
    for (struct obv_hash_entry *e = obv__hash_table_find(&table, hash); e;
         e = obv__hash_table_find_next(e)) {
        CHECK(element_of(e)->is_in && element_of(e)->hash == hash);
        CHECK(element_of(e)->added > before);
        before = element_of(e)->added;
        found++;
    }
    CHECK_EQ(found, expected);
}

static void check_walk(void)
{
    size_t expected = 0, walked = 0;
    static bool seen[ROOM];
    for (size_t i = 0; i < ROOM; i++) {
        expected += elements[i].is_in;
        seen[i] = false;
    }
    for (struct obv_hash_entry *e = obv__hash_table_next(&table, NULL); e;
         e = obv__hash_table_next(&table, e)) {
        size_t i = (size_t)(element_of(e) - elements);
        CHECK(elements[i].is_in && !seen[i]);
        seen[i] = true;
        walked++;
    }
    CHECK_EQ(walked, expected);
    CHECK_EQ(table.count, expected);
}

static uint64_t few_hashes(void)
{
    return test_random() % 40;
}

/* Such as differ in the highest bits alone. */
static uint64_t high_hashes(void)
{
    return (uint64_t)(test_random() % 4000) << 52;
}

static void run_beside_list(uint64_t (*hash)(void), size_t most)
{
    begin();
    for (size_t step = 0; step < 20000; step++) {
        size_t i = test_random() % most;
        if (elements[i].is_in) {
            take(i);
        } else {
            add(i, hash());
        }
        if (step % 16 == 0) {
            check_hash(hash());
        }
    }
    check_walk();
    for (size_t i = 0; i < ROOM; i++) {
        if (elements[i].is_in) {
            take(i);
        }
    }
    CHECK(!obv__hash_table_next(&table, NULL));
    CHECK_EQ(test_live_blocks(), 0);
    obv__hash_table_deinit(&table, test_allocator());
}

TEST(SE_3_a_table_finds_what_a_plain_list_finds)
{
    run_beside_list(few_hashes, 300);
    run_beside_list(high_hashes, ROOM);
}

/* Whoever chooses hashes of one pattern does not choose the buckets. */
static size_t longest_chain(void)
{
    size_t longest = 0;
    for (size_t i = 0; i < (size_t)1 << table.bits; i++) {
        size_t length = 0;
        for (const struct obv_hash_entry *e = table.buckets[i]; e;
             e = e->next) {
            length++;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

TEST(SE_3_all_bits_of_a_hash_take_part)
{
    for (unsigned shift = 0; shift <= 52; shift += 4) {
        begin();
        for (size_t i = 0; i < ROOM; i++) {
            add(i, (uint64_t)i << shift);
        }
        CHECK(longest_chain() < 16);
        obv__hash_table_deinit(&table, test_allocator());
    }
    CHECK_EQ(test_live_blocks(), 0);
}

TEST(FA_1_without_memory_the_chains_are_longer)
{
    begin();
    test_fail_allocation(1, true);
    for (size_t i = 0; i < 100; i++) {
        add(i, i / 3);
    }
    CHECK(test_allocation_failed());
    check_walk();
    for (uint64_t hash = 0; hash < 34; hash++) {
        check_hash(hash);
    }
    test_fail_allocation(0, false);
    add(100, 7);
    check_hash(7);
    check_walk();
    obv__hash_table_deinit(&table, test_allocator());
    CHECK_EQ(test_live_blocks(), 0);
}

TEST(a_table_that_is_emptied_is_one_again)
{
    begin();
    add(0, 1);
    obv__hash_table_deinit(&table, test_allocator());
    CHECK(!obv__hash_table_find(&table, 1));
    add(1, UINT64_MAX);
    CHECK(obv__hash_table_find(&table, UINT64_MAX) == &elements[1].entry);
    take(1);
    CHECK_EQ(table.count, 0);
}
