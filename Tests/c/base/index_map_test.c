/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index map beside a plain array: whatever the array does is told to the map,
 * and each entry must say where its element stands.
 */
#include "test.h"

#include "base/index_map.h"

#include <string.h>

enum { ROOM = 300 };

/* An array of the elements 1, 2, ...; each may be followed. */
struct element {
    struct obv__index_entry entry;
    bool is_followed;
};

static struct element elements[100000];
static size_t array[ROOM], used, made;
static struct obv__index_map map;

static void begin(size_t count)
{
    obv__index_map_init(&map);
    used = made = 0;
    while (used < count) {
        array[used++] = ++made;
    }
}

static struct element *at(size_t position)
{
    return &elements[array[position]];
}

static void follow(size_t position)
{
    struct element *element = at(position);
    struct obv__index_entry *entry =
        obv__index_map_add(&map, &element->entry, position);
    CHECK(entry == &element->entry);
    element->is_followed = true;
}

/* The heap and the links below an entry. */
static size_t check_below(const struct obv__index_entry *entry)
{
    size_t count = 1;
    for (int side = 0; side < 2; side++) {
        const struct obv__index_entry *child = entry->child[side];
        if (child) {
            CHECK(child->parent == entry);
            CHECK(child->priority <= entry->priority);
            count += check_below(child);
        }
    }
    return count;
}

static void check(void)
{
    size_t followed = 0;
    struct obv__index_entry *next = obv__index_map_from(&map, 0), *last = NULL;
    for (size_t i = 0; i < used; i++) {
        struct obv__index_entry *entry = &at(i)->entry;
        CHECK(obv__index_map_before(&map, i) == last);
        if (at(i)->is_followed) {
            CHECK_EQ(obv__index_map_position(entry), i);
            CHECK(obv__index_map_find(&map, i) == entry);
            CHECK(obv__index_map_from(&map, i) == entry);
            CHECK(next == entry);
            next = obv__index_map_next(entry);
            last = entry;
            followed++;
        } else {
            CHECK(obv__index_map_find(&map, i) == NULL);
            CHECK(obv__index_map_from(&map, i) == next);
        }
    }
    CHECK(next == NULL);
    CHECK_EQ(map.root ? check_below(map.root) : 0, followed);
}

/* The array's edits -------------------------------------------------------- */

static void insert(size_t position, size_t count)
{
    memmove(array + position + count, array + position,
            (used - position) * sizeof *array);
    used += count;
    for (size_t i = 0; i < count; i++) {
        array[position + i] = ++made;
    }
    obv__index_map_insert(&map, position, count);
}

/* What goes is in the map of the removed, where it stood. */
static void take_away(size_t position, size_t count)
{
    struct obv__index_map removed =
        obv__index_map_remove(&map, position, count);
    const struct obv__index_entry *next = obv__index_map_from(&removed, 0);
    for (size_t i = 0; i < count; i++) {
        struct element *element = at(position + i);
        if (element->is_followed) {
            CHECK(next == &element->entry);
            CHECK_EQ(obv__index_map_position(next), i);
            next = obv__index_map_next(next);
            element->is_followed = false;
        }
    }
    CHECK(next == NULL);
    memmove(array + position, array + position + count,
            (used - position - count) * sizeof *array);
    used -= count;
}

static void move(size_t position, size_t count, size_t to)
{
    size_t moved[ROOM];
    memcpy(moved, array + position, count * sizeof *array);
    memmove(array + position, array + position + count,
            (used - position - count) * sizeof *array);
    memmove(array + to + count, array + to,
            (used - count - to) * sizeof *array);
    memcpy(array + to, moved, count * sizeof *array);
    obv__index_map_move(&map, position, count, to);
}

static size_t reversed(void *context, size_t position)
{
    return *(size_t *)context - 1 - position;
}

static void reverse(void)
{
    for (size_t i = 0; i < used / 2; i++) {
        size_t other = array[i];
        array[i] = array[used - 1 - i];
        array[used - 1 - i] = other;
    }
    obv__index_map_permute(&map, reversed, &used);
}

/* Tests -------------------------------------------------------------------- */

static size_t below(size_t bound)
{
    return (size_t)(test_random() % bound);
}

static void random_step(void)
{
    size_t position = below(used + 1);
    size_t count = below(used - position + 1);
    switch (below(8)) {
    case 0:
    case 1:
        if (used < ROOM - 20) {
            insert(position, below(20));
        }
        break;
    case 2:
        take_away(position, count > 25 ? count % 25 : count);
        break;
    case 3:
        move(position, count, below(used - count + 1));
        break;
    case 4:
        if (below(8) == 0) {
            reverse();
        }
        break;
    case 5:
        if (position < used && at(position)->is_followed) {
            obv__index_map_take(&map, &at(position)->entry);
            at(position)->is_followed = false;
        }
        break;
    default:
        if (position < used && !at(position)->is_followed) {
            follow(position);
        }
    }
}

TEST(AR_1_entries_stand_where_a_plain_array_has_their_elements)
{
    begin(10);
    for (int i = 0; i < 6000; i++) {
        random_step();
        check();
    }
}

TEST(AR_1_one_position_has_one_entry)
{
    struct obv__index_entry second;
    begin(5);
    follow(3);
    CHECK(obv__index_map_add(&map, &second, 3) == &at(3)->entry);
    check();
}

static size_t all_at_seven(void *context, size_t position)
{
    (void)context;
    return position - position + 7;
}

TEST(AR_1_a_permutation_that_is_none_keeps_the_first)
{
    begin(5);
    follow(1);
    follow(4);
    obv__index_map_permute(&map, all_at_seven, NULL);
    CHECK(obv__index_map_find(&map, 7) == &at(1)->entry);
    CHECK(obv__index_map_next(&at(1)->entry) == NULL);
}

static size_t depth_of(const struct obv__index_entry *entry)
{
    size_t depth = 0;
    for (; entry; entry = entry->parent) {
        depth++;
    }
    return depth;
}

/* 4.3 ln n are hardly ever exceeded; in whatever order the entries come. */
TEST(AR_1_the_tree_stays_shallow)
{
    enum { COUNT = 50000 };
    size_t deepest = 0;
    obv__index_map_init(&map);
    for (size_t i = 0; i < COUNT; i++) {
        (void)obv__index_map_add(&map, &elements[i].entry, i * 20);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t depth = depth_of(&elements[i].entry);
        deepest = depth > deepest ? depth : deepest;
    }
    CHECK(deepest < 70);
    obv__index_map_insert(&map, 0, 1);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_EQ(obv__index_map_position(&elements[i].entry), i * 20 + 1);
    }
}
