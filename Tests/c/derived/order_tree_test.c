/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of an order against a plain array, while many items come and go: in
 * any order, behind all, at one place, each in another leaf that is full.
 */
#include "test.h"

#include "order_tree.h"

#include <string.h>

enum { MOST = 4000, WAYS = 4 };

struct thing {
    struct order_item item;
    uint32_t weight;
};

static struct thing things[MOST], *unused[MOST], *array[MOST];
static size_t count;
static struct order_tree tree;
static const struct obv_derived_binding *binding;

static size_t below(size_t limit)
{
    return (size_t)(test_random() % limit);
}

static void insert(size_t place)
{
    struct thing *thing = unused[MOST - 1 - count];
    memmove(&array[place + 1], &array[place], (count - place) * sizeof *array);
    array[place] = thing;
    count++;
    thing->weight = below(2) != 0;
    order_insert(&tree, &thing->item, (uint32_t)place, thing->weight);
}

static void take_out(size_t place)
{
    struct thing *thing = array[place];
    count--;
    memmove(&array[place], &array[place + 1], (count - place) * sizeof *array);
    unused[MOST - 1 - count] = thing;
    order_remove(&tree, &thing->item);
}

static void check_order(void)
{
    struct order_item *item = order_first(&tree);
    uint32_t weight = 0, index = 0;
    CHECK_EQ(tree.size.count, count);
    for (uint32_t i = 0; i < count; i++) {
        struct order_size before = order_before(item);
        CHECK(item == &array[i]->item);
        CHECK_EQ(before.count, i);
        CHECK_EQ(before.weight, weight);
        CHECK_EQ(order_weight_to(&tree, i), weight);
        CHECK(order_at(&tree, ORDER_COUNT, i) == item);
        CHECK(array[i]->weight != 0
                  ? order_at(&tree, ORDER_WEIGHT, weight) == item
                  : order_at(&tree, ORDER_LIGHT, i - weight) == item);
        CHECK(order_beside(item, -1) == (i == 0 ? NULL : &array[i - 1]->item));
        weight += array[i]->weight;
        item = order_next(item, &index);
    }
    CHECK(!item);
    CHECK_EQ(tree.size.weight, weight);
}

static const struct obv_derived_binding *test_binding(void)
{
    static struct obv_derived_binding made;
    made.allocator = test_allocator();
    return &made;
}

TEST(an_order_is_that_of_a_plain_array)
{
    binding = test_binding();
    for (size_t i = 0; i < MOST; i++) {
        unused[i] = &things[i];
    }
    for (size_t round = 0; round < 300; round++) {
        size_t come = below(3) == 0 ? below(MOST / 2) : below(40);
        size_t way = round % (WAYS + 1), place = below(count + 1);
        come = come < MOST - count ? come : MOST - count;
        if (way == WAYS) {
            for (size_t gone = below(count + 1); gone != 0; gone--) {
                take_out(below(3) != 0 ? below(count) : 0);
            }
        } else {
            CHECK(order_reserve(&tree, come, binding));
        }
        for (size_t i = 0; i < come && way != WAYS; i++) {
            insert(way == 0   ? count
                   : way == 1 ? below(count + 1)
                   : way == 2 ? place
                              : i * 33 % (count + 1));
        }
        order_trim(&tree, binding);
        check_order();
    }
    while (count != 0) {
        take_out(below(count));
    }
    order_trim(&tree, binding);
    CHECK(!tree.root);
}

static int compare_places(const struct order_item *item, void *place)
{
    return order_before(item).count < *(const size_t *)place ? -1 : 1;
}

TEST(a_search_finds_each_place)
{
    binding = test_binding();
    CHECK_EQ(order_search(&tree, compare_places, &count), 0);
    for (size_t i = 0; i < MOST; i++) {
        unused[i] = &things[i];
    }
    CHECK(order_reserve(&tree, MOST, binding));
    while (count != MOST) {
        insert(below(count + 1));
    }
    for (size_t place = 0; place <= MOST; place++) {
        CHECK_EQ(order_search(&tree, compare_places, &place), place);
    }
    while (count != 0) {
        take_out(0);
    }
    order_trim(&tree, binding);
}

TEST(without_memory_no_nodes_are_spare)
{
    binding = test_binding();
    test_fail_allocation(3, false);
    CHECK(!order_reserve(&tree, MOST, binding));
    test_fail_allocation(0, false);
    CHECK_EQ(tree.spare_count, 2);
    order_trim(&tree, binding);
    CHECK_EQ(test_live_blocks(), 0);
}
