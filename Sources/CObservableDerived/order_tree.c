/* SPDX-License-Identifier: Apache-2.0 */
#include "order_tree.h"

enum { BEFORE, BEHIND };

static uint32_t order_size(const struct order_node *node,
                           enum order_measure measure)
{
    return !node                     ? 0
           : measure == ORDER_COUNT  ? node->count
           : measure == ORDER_WEIGHT ? node->weight
                                     : node->count - node->weight;
}

static uint32_t own_size(const struct order_node *node,
                         enum order_measure measure)
{
    return measure == ORDER_COUNT    ? 1
           : measure == ORDER_WEIGHT ? node->own
                                     : 1 - node->own;
}

static uint32_t count_of(const struct order_node *node)
{
    return order_size(node, ORDER_COUNT);
}

static void sum_up(struct order_node *node)
{
    const struct order_node *front = node->child[BEFORE];
    const struct order_node *rest = node->child[BEHIND];
    node->count = 1 + count_of(front) + count_of(rest);
    node->weight = node->own + order_size(front, ORDER_WEIGHT) +
                   order_size(rest, ORDER_WEIGHT);
}

static void hang(struct order_node *node, int side, struct order_node *child)
{
    node->child[side] = child;
    if (child) {
        child->parent = node;
    }
}

/* The first `count` nodes, and the rest. As deep as the tree. */
static void split(struct order_node *node, uint32_t count,
                  struct order_node **front, struct order_node **rest)
{
    struct order_node *part;
    if (!node) {
        *front = *rest = NULL;
        return;
    }
    uint32_t before = count_of(node->child[BEFORE]);
    if (count <= before) {
        split(node->child[BEFORE], count, front, &part);
        hang(node, BEFORE, part);
        *rest = node;
    } else {
        split(node->child[BEHIND], count - before - 1, &part, rest);
        hang(node, BEHIND, part);
        *front = node;
    }
    sum_up(node);
}

/* Of two trees, the first in front of the second. */
static struct order_node *join(struct order_node *front,
                               struct order_node *rest)
{
    if (!front || !rest) {
        return front ? front : rest;
    }
    struct order_node *root = front->priority > rest->priority ? front : rest;
    if (root == front) {
        hang(root, BEHIND, join(front->child[BEHIND], rest));
    } else {
        hang(root, BEFORE, join(front, rest->child[BEFORE]));
    }
    sum_up(root);
    return root;
}

/* Xorshift (Marsaglia, 2003). */
static uint32_t draw(struct order_tree *tree)
{
    uint32_t x = tree->seed ? tree->seed : (uint32_t)(uintptr_t)tree | 1u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return tree->seed = x;
}

static void set_root(struct order_tree *tree, struct order_node *root)
{
    tree->root = root;
    if (root) {
        root->parent = NULL;
    }
}

void order_insert(struct order_tree *tree, struct order_node *node,
                  uint32_t place, uint32_t own)
{
    *node = (struct order_node){.own = own, .priority = draw(tree)};
    sum_up(node);
    if (place == order_count(tree)) {
        set_root(tree, join(tree->root, node));
        return;
    }
    struct order_node **at = &tree->root, *parent = NULL;
    while ((*at)->priority >= node->priority) {
        parent = *at;
        parent->count++;
        parent->weight += own;
        uint32_t before = count_of(parent->child[BEFORE]);
        int side = place <= before ? BEFORE : BEHIND;
        place -= side == BEFORE ? 0 : before + 1;
        at = &parent->child[side];
        if (!*at) {
            break;
        }
    }
    struct order_node *front, *rest;
    split(*at, place, &front, &rest);
    hang(node, BEFORE, front);
    hang(node, BEHIND, rest);
    sum_up(node);
    node->parent = parent;
    *at = node;
}

void order_remove(struct order_tree *tree, struct order_node *node)
{
    struct order_node *parent = node->parent;
    struct order_node *below = join(node->child[BEFORE], node->child[BEHIND]);
    if (!parent) {
        set_root(tree, below);
        return;
    }
    hang(parent, parent->child[BEHIND] == node, below);
    for (; parent; parent = parent->parent) {
        sum_up(parent);
    }
}

void order_set_own(struct order_node *node, uint32_t own, bool is_summed_up)
{
    uint32_t change = own - node->own;
    node->own = own;
    for (; node && is_summed_up && change != 0; node = node->parent) {
        node->weight += change;
    }
}

void order_sum_up(struct order_node *node)
{
    if (node) {
        order_sum_up(node->child[BEFORE]);
        order_sum_up(node->child[BEHIND]);
        sum_up(node);
    }
}

struct order_node *order_at(const struct order_tree *tree,
                            enum order_measure measure, uint32_t at)
{
    struct order_node *node = tree->root;
    for (;;) {
        uint32_t before = order_size(node->child[BEFORE], measure);
        uint32_t own = own_size(node, measure);
        if (at >= before && at < before + own) {
            return node;
        }
        node = node->child[at < before ? BEFORE : BEHIND];
        at -= at < before ? 0 : before + own;
    }
}

struct order_node *order_beside(const struct order_node *node, int side)
{
    struct order_node *next = node->child[side];
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

struct order_node *order_next(const struct order_tree *tree,
                              const struct order_node *node)
{
    return node         ? order_beside(node, BEHIND)
           : tree->root ? order_at(tree, ORDER_COUNT, 0)
                        : NULL;
}

uint32_t order_before(const struct order_node *node, enum order_measure measure)
{
    uint32_t size = order_size(node->child[BEFORE], measure);
    for (; node->parent; node = node->parent) {
        if (node->parent->child[BEHIND] == node) {
            size += own_size(node->parent, measure) +
                    order_size(node->parent->child[BEFORE], measure);
        }
    }
    return size;
}

uint32_t order_weight_to(const struct order_tree *tree, uint32_t place)
{
    return place < order_count(tree)
               ? order_before(order_at(tree, ORDER_COUNT, place), ORDER_WEIGHT)
               : order_weight(tree);
}

uint32_t order_search(const struct order_tree *tree,
                      int (*compare)(const struct order_node *node,
                                     void *thing),
                      void *thing)
{
    const struct order_node *node = tree->root;
    uint32_t place = 0;
    while (node) {
        int side = compare(node, thing) < 0 ? BEHIND : BEFORE;
        place += side == BEHIND ? 1 + count_of(node->child[BEFORE]) : 0;
        node = node->child[side];
    }
    return place;
}
