/* SPDX-License-Identifier: Apache-2.0 */
#include "order_tree.h"

enum { BEFORE, BEHIND };

/* In front of a node, below it. */
static uint32_t size_in_front(const struct order_node *node,
                              enum order_measure measure)
{
    return measure == ORDER_COUNT    ? node->count
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

static void hang(struct order_node *node, int side, struct order_node *child)
{
    node->child[side] = child;
    if (child) {
        child->parent = node;
    }
}

/* The first `count` nodes, whose weight it answers, and the rest. As deep as the
   tree. */
static uint32_t split(struct order_node *node, uint32_t count,
                      struct order_node **front, struct order_node **rest)
{
    struct order_node *part;
    uint32_t weight;
    if (!node) {
        *front = *rest = NULL;
        return 0;
    }
    if (count <= node->count) {
        weight = split(node->child[BEFORE], count, front, &part);
        hang(node, BEFORE, part);
        node->count -= count;
        node->weight -= weight;
        *rest = node;
        return weight;
    }
    weight = node->weight + node->own +
             split(node->child[BEHIND], count - node->count - 1, &part, rest);
    hang(node, BEHIND, part);
    *front = node;
    return weight;
}

/* Of two trees, the first in front of the second, of that count and weight. */
static struct order_node *join(struct order_node *front,
                               struct order_node *rest, uint32_t count,
                               uint32_t weight)
{
    if (!front || !rest) {
        return front ? front : rest;
    }
    if (front->priority > rest->priority) {
        hang(front, BEHIND,
             join(front->child[BEHIND], rest, count - front->count - 1,
                  weight - front->weight - front->own));
        return front;
    }
    hang(rest, BEFORE, join(front, rest->child[BEFORE], count, weight));
    rest->count += count;
    rest->weight += weight;
    return rest;
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

/* Each second one of those that come to be the last is in the upper half, each
   fourth in its upper half, and so on: as many as of those that are drawn, and
   what they make alone is balanced. */
static uint32_t draw_last(struct order_tree *tree)
{
    uint32_t number = ++tree->last | 1u << 31;
    uint32_t step = number & (0 - number);
    return draw(tree) / step / 2 | ~(UINT32_MAX / step);
}

void order_insert(struct order_tree *tree, struct order_node *node,
                  uint32_t place, uint32_t own)
{
    struct order_node **at = &tree->root, *parent = NULL, *front, *rest;
    *node = (struct order_node){
        .own = own,
        .priority = place == tree->count ? draw_last(tree) : draw(tree)};
    while (*at && (*at)->priority >= node->priority) {
        bool is_before = place <= (*at)->count;
        parent = *at;
        parent->count += is_before;
        parent->weight += is_before ? own : 0;
        place -= is_before ? 0 : parent->count + 1;
        at = &parent->child[is_before ? BEFORE : BEHIND];
    }
    node->count = place;
    node->weight = split(*at, place, &front, &rest);
    hang(node, BEFORE, front);
    hang(node, BEHIND, rest);
    node->parent = parent;
    *at = node;
    tree->count++;
    tree->weight += own;
}

/* All that it is in front of. */
static void add_in_front(struct order_tree *tree, const struct order_node *node,
                         uint32_t count, uint32_t weight)
{
    for (; node->parent; node = node->parent) {
        if (node->parent->child[BEFORE] == node) {
            node->parent->count += count;
            node->parent->weight += weight;
        }
    }
    tree->count += count;
    tree->weight += weight;
}

void order_remove(struct order_tree *tree, struct order_node *node)
{
    struct order_node *parent = node->parent;
    add_in_front(tree, node, UINT32_MAX, 0 - node->own);
    struct order_node *below = join(node->child[BEFORE], node->child[BEHIND],
                                    node->count, node->weight);
    if (parent) {
        hang(parent, parent->child[BEHIND] == node, below);
    } else if ((tree->root = below) != NULL) {
        below->parent = NULL;
    }
}

void order_clear(struct order_tree *tree)
{
    tree->root = NULL;
    tree->count = tree->weight = 0;
}

void order_set_own(struct order_tree *tree, struct order_node *node,
                   uint32_t own, bool is_summed_up)
{
    if (is_summed_up && own != node->own) {
        add_in_front(tree, node, 0, own - node->own);
    }
    node->own = own;
}

static uint32_t sum_up(struct order_node *node)
{
    if (!node) {
        return 0;
    }
    node->weight = sum_up(node->child[BEFORE]);
    return node->weight + node->own + sum_up(node->child[BEHIND]);
}

void order_sum_up(struct order_tree *tree)
{
    tree->weight = sum_up(tree->root);
}

struct order_node *order_at(const struct order_tree *tree,
                            enum order_measure measure, uint32_t at)
{
    struct order_node *node = tree->root;
    for (;;) {
        uint32_t before = size_in_front(node, measure);
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
    uint32_t size = size_in_front(node, measure);
    for (; node->parent; node = node->parent) {
        if (node->parent->child[BEHIND] == node) {
            size += own_size(node->parent, measure) +
                    size_in_front(node->parent, measure);
        }
    }
    return size;
}

uint32_t order_weight_to(const struct order_tree *tree, uint32_t place)
{
    return place < tree->count
               ? order_before(order_at(tree, ORDER_COUNT, place), ORDER_WEIGHT)
               : tree->weight;
}

uint32_t order_search(const struct order_tree *tree,
                      int (*compare)(const struct order_node *node,
                                     void *thing),
                      void *thing)
{
    const struct order_node *node = tree->root;
    uint32_t place = 0;
    while (node) {
        /* They come while the program compares. */
        order_fetch(node->child[BEFORE]);
        order_fetch(node->child[BEHIND]);
        int side = compare(node, thing) < 0 ? BEHIND : BEFORE;
        place += side == BEHIND ? node->count + 1 : 0;
        node = node->child[side];
    }
    return place;
}
