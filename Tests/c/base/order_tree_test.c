/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order tree beside an array of the same things.
 */
#include "test.h"

#include "base/order_tree.h"

#include <string.h>

enum { THINGS = 64, STEPS = 20000 };

struct thing {
    struct obv__order_node node; /* first */
    bool is_in;
};

static struct thing things[THINGS];
static struct thing *order[THINGS];
static size_t order_count;
static struct obv__order_tree tree;

static size_t below(size_t limit)
{
    return (size_t)(test_random() % limit);
}

static size_t weight_before(size_t place)
{
    size_t weight = 0;
    for (size_t i = 0; i < place; i++) {
        weight += order[i]->node.counts;
    }
    return weight;
}

static void check_order(void)
{
    struct obv__order_node *node =
        order_count != 0 ? obv__order_at(&tree, 0) : NULL;
    CHECK_EQ(obv__order_count(tree.root), order_count);
    CHECK_EQ(obv__order_weight(tree.root), weight_before(order_count));
    for (size_t i = 0; i < order_count; i++) {
        CHECK(node == &order[i]->node);
        CHECK(obv__order_at(&tree, i) == node);
        CHECK(obv__order_previous(node) == (i ? &order[i - 1]->node : NULL));
        CHECK_EQ(obv__order_place(node), i);
        CHECK_EQ(obv__order_weight_before(node), weight_before(i));
        CHECK_EQ(obv__order_weight_before_place(&tree, i), weight_before(i));
        node = obv__order_next(node);
    }
    CHECK(!node);
    CHECK_EQ(obv__order_weight_before_place(&tree, order_count),
             weight_before(order_count));
}

static void put_in(size_t place, struct thing **some, size_t count)
{
    memmove(order + place + count, order + place,
            (order_count - place) * sizeof *order);
    memcpy(order + place, some, count * sizeof *order);
    order_count += count;
}

static void take_out(size_t place, size_t count)
{
    order_count -= count;
    memmove(order + place, order + place + count,
            (order_count - place) * sizeof *order);
}

static void insert_or_remove(struct thing *thing)
{
    if (thing->is_in) {
        size_t place = obv__order_place(&thing->node);
        CHECK(order[place] == thing);
        obv__order_remove(&tree, &thing->node);
        take_out(place, 1);
    } else {
        size_t place = below(order_count + 1);
        if (place == order_count) {
            obv__order_append(&tree, &thing->node, below(2));
        } else {
            obv__order_insert(&tree, &thing->node, place, below(2));
        }
        put_in(place, &thing, 1);
    }
    thing->is_in = !thing->is_in;
}

static void move_some_nodes(void)
{
    struct thing *moved[THINGS];
    size_t place = below(order_count + 1);
    size_t count = below(order_count - place + 1);
    memcpy(moved, order + place, count * sizeof *order);
    struct obv__order_node *cut = obv__order_cut(&tree, place, count);
    CHECK_EQ(obv__order_count(cut), count);
    take_out(place, count);
    size_t to = below(order_count + 1);
    obv__order_paste(&tree, cut, to);
    put_in(to, moved, count);
}

/* The first of those that stand behind one of them. */
static bool is_before_thing(const struct obv__order_node *node, void *argument)
{
    return obv__order_place(node) < obv__order_place(argument);
}

TEST(AR_10_an_order_is_what_an_array_would_be)
{
    obv__order_init(&tree);
    for (size_t i = 0; i < STEPS; i++) {
        struct thing *thing = &things[below(THINGS)];
        switch (below(4)) {
        case 0:
            move_some_nodes();
            break;
        case 1:
            if (thing->is_in) {
                obv__order_set_counts(&thing->node, !thing->node.counts);
                CHECK(order[obv__order_search(&tree, is_before_thing,
                                              &thing->node)] == thing);
            }
            break;
        default:
            insert_or_remove(thing);
        }
        check_order();
    }
}
