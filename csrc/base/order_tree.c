/* SPDX-License-Identifier: Apache-2.0 */
#include "base/order_tree.h"

#include "platform/bsd.h"

#include <stdlib.h>

enum { BEFORE, BEHIND };

void obv__order_init(struct obv__order_tree *tree)
{
    tree->root = NULL;
    tree->seed = (uint64_t)arc4random() << 32 | arc4random() | 1u;
}

/* Xorshift (Marsaglia, 2003), and the upper half of a product: xorshift64*. */
static uint32_t draw_priority(struct obv__order_tree *tree)
{
    tree->seed ^= tree->seed >> 12;
    tree->seed ^= tree->seed << 25;
    tree->seed ^= tree->seed >> 27;
    return (uint32_t)(tree->seed * 0x2545F4914F6CDD1Du >> 32);
}

/* Splits and joins --------------------------------------------------------- */

static void hang_below(struct obv__order_node *node, int side,
                       struct obv__order_node *child)
{
    node->child[side] = child;
    if (child) {
        child->parent = node;
    }
}

static void sum_up(struct obv__order_node *node)
{
    node->count = 1 + obv__order_count(node->child[BEFORE]) +
                  obv__order_count(node->child[BEHIND]);
    node->weight = (size_t)node->counts +
                   obv__order_weight(node->child[BEFORE]) +
                   obv__order_weight(node->child[BEHIND]);
}

static struct obv__order_node *as_root(struct obv__order_node *node)
{
    if (node) {
        node->parent = NULL;
    }
    return node;
}

/* The first `count` nodes, and the rest. Recursion: as deep as the tree,
   O(log n) expected. */
static void split_order(struct obv__order_node *node, size_t count,
                        struct obv__order_node **front,
                        struct obv__order_node **rest)
{
    struct obv__order_node *part;
    if (!node) {
        *front = *rest = NULL;
        return;
    }
    size_t before = obv__order_count(node->child[BEFORE]);
    if (count <= before) {
        split_order(node->child[BEFORE], count, front, &part);
        hang_below(node, BEFORE, part);
        *rest = as_root(node);
    } else {
        split_order(node->child[BEHIND], count - before - 1, &part, rest);
        hang_below(node, BEHIND, part);
        *front = as_root(node);
    }
    sum_up(node);
}

/* Of two trees, the first in front of the second. */
static struct obv__order_node *join_orders(struct obv__order_node *front,
                                           struct obv__order_node *rest)
{
    if (!front || !rest) {
        return front ? front : rest;
    }
    if (front->priority > rest->priority) {
        hang_below(front, BEHIND, join_orders(front->child[BEHIND], rest));
        sum_up(front);
        return front;
    }
    hang_below(rest, BEFORE, join_orders(front, rest->child[BEFORE]));
    sum_up(rest);
    return rest;
}

/* Changing ----------------------------------------------------------------- */

struct obv__order_node *obv__order_cut(struct obv__order_tree *tree,
                                       size_t place, size_t count)
{
    struct obv__order_node *front, *rest, *cut;
    split_order(tree->root, place + count, &front, &rest);
    split_order(front, place, &front, &cut);
    tree->root = join_orders(front, rest);
    return cut;
}

void obv__order_paste(struct obv__order_tree *tree,
                      struct obv__order_node *root, size_t place)
{
    struct obv__order_node *front, *rest;
    split_order(tree->root, place, &front, &rest);
    tree->root = join_orders(join_orders(front, root), rest);
}

static void begin_node(struct obv__order_tree *tree,
                       struct obv__order_node *node, bool counts)
{
    *node = (struct obv__order_node){.priority = draw_priority(tree),
                                     .counts = counts};
    sum_up(node);
}

void obv__order_insert(struct obv__order_tree *tree,
                       struct obv__order_node *node, size_t place, bool counts)
{
    begin_node(tree, node, counts);
    obv__order_paste(tree, node, place);
}

void obv__order_append(struct obv__order_tree *tree,
                       struct obv__order_node *node, bool counts)
{
    begin_node(tree, node, counts);
    tree->root = join_orders(tree->root, node);
}

void obv__order_remove(struct obv__order_tree *tree,
                       struct obv__order_node *node)
{
    (void)obv__order_cut(tree, obv__order_place(node), 1);
}

void obv__order_set_counts(struct obv__order_node *node, bool counts)
{
    size_t change = (size_t)counts - (size_t)node->counts;
    node->counts = counts;
    for (; node; node = node->parent) {
        node->weight += change;
    }
}

/* Reading ------------------------------------------------------------------ */

struct obv__order_node *obv__order_at(const struct obv__order_tree *tree,
                                      size_t place)
{
    struct obv__order_node *node = tree->root;
    size_t before = obv__order_count(node->child[BEFORE]);
    while (place != before) {
        if (place < before) {
            node = node->child[BEFORE];
        } else {
            place -= before + 1;
            node = node->child[BEHIND];
        }
        before = obv__order_count(node->child[BEFORE]);
    }
    return node;
}

static struct obv__order_node *neighbour(const struct obv__order_node *node,
                                         int side)
{
    struct obv__order_node *next = node->child[side];
    if (next) {
        while (next->child[!side]) {
            next = next->child[!side];
        }
        return next;
    }
    while (node->parent && node->parent->child[side] == node) {
        node = node->parent;
    }
    return node->parent;
}

struct obv__order_node *obv__order_next(const struct obv__order_node *node)
{
    return neighbour(node, BEHIND);
}

struct obv__order_node *obv__order_previous(const struct obv__order_node *node)
{
    return neighbour(node, BEFORE);
}

size_t obv__order_place(const struct obv__order_node *node)
{
    size_t place = obv__order_count(node->child[BEFORE]);
    for (; node->parent; node = node->parent) {
        if (node->parent->child[BEHIND] == node) {
            place += 1 + obv__order_count(node->parent->child[BEFORE]);
        }
    }
    return place;
}

size_t obv__order_weight_before(const struct obv__order_node *node)
{
    size_t weight = obv__order_weight(node->child[BEFORE]);
    for (; node->parent; node = node->parent) {
        if (node->parent->child[BEHIND] == node) {
            weight += (size_t)node->parent->counts +
                      obv__order_weight(node->parent->child[BEFORE]);
        }
    }
    return weight;
}

size_t obv__order_weight_before_place(const struct obv__order_tree *tree,
                                      size_t place)
{
    return place < obv__order_count(tree->root)
               ? obv__order_weight_before(obv__order_at(tree, place))
               : obv__order_weight(tree->root);
}

size_t obv__order_search(const struct obv__order_tree *tree,
                         bool (*is_in_front)(const struct obv__order_node *node,
                                             void *argument),
                         void *argument)
{
    const struct obv__order_node *node = tree->root;
    size_t place = 0;
    while (node) {
        if (is_in_front(node, argument)) {
            place += 1 + obv__order_count(node->child[BEFORE]);
            node = node->child[BEHIND];
        } else {
            node = node->child[BEFORE];
        }
    }
    return place;
}
