/* SPDX-License-Identifier: Apache-2.0 */
#include "derivation.h"

#include <string.h>

enum { FAN = 32, MERGED = FAN * 3 / 4 };

/* A leaf's children are items; an inner node's children are the `item` members
   of other nodes. */
struct order_node {
    struct order_item item; /* must stand first; of a spare one: the next */
    uint32_t used;
    bool is_leaf;
    struct order_item *child[FAN];
    struct order_size size[FAN];
};

static struct order_node *node_of(struct order_item *item)
{
    return (struct order_node *)(void *)item;
}

static uint32_t index_of(const struct order_item *item)
{
    uint32_t index = 0;
    while (item->parent->child[index] != item) {
        index++;
    }
    return index;
}

/* Prefetches memory that is read soon. */
#if defined(__GNUC__)
#define fetch(place) __builtin_prefetch(place)
#else
#define fetch(place) ((void)(place))
#endif

/* Memory ------------------------------------------------------------------- */

static struct order_node *use_spare(struct order_tree *tree, bool is_leaf)
{
    struct order_node *node = tree->spare;
    tree->spare = node->item.parent;
    tree->spare_count--;
    tree->node_count++;
    node->item.parent = NULL;
    node->used = 0;
    node->is_leaf = is_leaf;
    return node;
}

static void add_spare(struct order_tree *tree, struct order_node *node)
{
    node->item.parent = tree->spare;
    tree->spare = node;
    tree->spare_count++;
}

static void give_back(struct order_tree *tree, struct order_node *node)
{
    tree->node_count--;
    add_spare(tree, node);
}

/* An item splits a node of each level at most, and adds a root. Many split each
   node once, and again for each half of a node that has come, or a whole one at
   the end of each level; so do the nodes that are split. */
bool order_reserve(struct order_tree *tree, size_t count,
                   const struct obv_derived_binding *binding)
{
    size_t few = count * (tree->height + 1);
    size_t many = tree->node_count + count / (FAN / 4) + FAN;
    while (tree->spare_count < (few < many ? few : many)) {
        struct order_node *node = allocate(binding, 1, sizeof *node);
        if (!node) {
            return false;
        }
        add_spare(tree, node);
    }
    return true;
}

void order_trim(struct order_tree *tree,
                const struct obv_derived_binding *binding)
{
    size_t kept = tree->root ? tree->height + 1 : 0;
    while (tree->spare_count > kept) {
        struct order_node *node = tree->spare;
        tree->spare = node->item.parent;
        tree->spare_count--;
        release_block(binding, node, sizeof *node);
    }
}

/* Changes ------------------------------------------------------------------ */

/* Adds to the sizes of an item in all nodes above it, and in the tree. */
static void resize(struct order_tree *tree, const struct order_item *item,
                   uint32_t count, uint32_t weight)
{
    for (; item->parent; item = &item->parent->item) {
        struct order_size *size = &item->parent->size[index_of(item)];
        size->count += count;
        size->weight += weight;
    }
    tree->size.count += count;
    tree->size.weight += weight;
}

/* Moves the children from `first` on to the end of another node. */
static void move_children(struct order_tree *tree, struct order_node *from,
                          uint32_t first, struct order_node *to)
{
    struct order_size moved = {0, 0};
    for (uint32_t i = first; i < from->used; i++) {
        from->child[i]->parent = to;
        to->child[to->used] = from->child[i];
        to->size[to->used++] = from->size[i];
        moved.count += from->size[i].count;
        moved.weight += from->size[i].weight;
    }
    from->used = first;
    resize(tree, &from->item, 0 - moved.count, 0 - moved.weight);
    resize(tree, &to->item, moved.count, moved.weight);
}

/* Inserts a child with size 0; a full node is split. */
static void put_child(struct order_tree *tree, struct order_node *node,
                      uint32_t index, struct order_item *child)
{
    if (node->used == FAN) {
        /* A node in front of another would be full again each time its last
           child is split. */
        bool is_end = index == FAN && !order_beside(&node->item, 1);
        struct order_node *rest = use_spare(tree, node->is_leaf);
        if (!node->item.parent) {
            struct order_node *root = use_spare(tree, false);
            put_child(tree, root, 0, &node->item);
            root->size[0] = tree->size;
            tree->root = root;
            tree->height++;
        }
        put_child(tree, node->item.parent, index_of(&node->item) + 1,
                  &rest->item);
        move_children(tree, node, is_end ? FAN : FAN / 2, rest);
        if (index >= node->used) {
            index -= node->used;
            node = rest;
        }
    }
    uint32_t behind = node->used++ - index;
    memmove(&node->child[index + 1], &node->child[index],
            behind * sizeof *node->child);
    memmove(&node->size[index + 1], &node->size[index],
            behind * sizeof *node->size);
    node->child[index] = child;
    node->size[index] = (struct order_size){0, 0};
    child->parent = node;
}

static bool merge(struct order_tree *tree, struct order_node *parent,
                  uint32_t index);

static void drop_child(struct order_tree *tree, struct order_node *node,
                       uint32_t index)
{
    struct order_node *parent = node->item.parent;
    uint32_t behind = --node->used - index;
    memmove(&node->child[index], &node->child[index + 1],
            behind * sizeof *node->child);
    memmove(&node->size[index], &node->size[index + 1],
            behind * sizeof *node->size);
    if (parent && node->used != 0) {
        index = index_of(&node->item);
        if (!merge(tree, parent, index) && index != 0) {
            merge(tree, parent, index - 1);
        }
    } else if (parent) {
        drop_child(tree, parent, index_of(&node->item));
        give_back(tree, node);
    } else if (node->used == 0 || (!node->is_leaf && node->used == 1)) {
        tree->root = node->used != 0 ? node_of(node->child[0]) : NULL;
        tree->height--;
        if (tree->root) {
            tree->root->item.parent = NULL;
        }
        give_back(tree, node);
    }
}

/* Merges a child and the next one if they fit (MERGED). */
static bool merge(struct order_tree *tree, struct order_node *parent,
                  uint32_t index)
{
    if (index + 1 == parent->used) {
        return false;
    }
    struct order_node *node = node_of(parent->child[index]);
    struct order_node *next = node_of(parent->child[index + 1]);
    if (node->used + next->used > MERGED) {
        return false;
    }
    move_children(tree, next, 0, node);
    drop_child(tree, parent, index + 1);
    give_back(tree, next);
    return true;
}

static uint32_t part_of(struct order_size size, enum order_measure measure)
{
    return measure == ORDER_COUNT    ? size.count
           : measure == ORDER_WEIGHT ? size.weight
                                     : size.count - size.weight;
}

/* The leaf of position `at` of a measure, and the index in it; for a position
   behind all, the end of the last leaf. */
static struct order_node *find(const struct order_tree *tree,
                               enum order_measure measure, uint32_t at,
                               uint32_t *index)
{
    struct order_node *node = tree->root;
    for (;;) {
        uint32_t i = 0, end = node->is_leaf ? node->used : node->used - 1;
        while (i < end && at >= part_of(node->size[i], measure)) {
            at -= part_of(node->size[i++], measure);
        }
        if (node->is_leaf) {
            *index = i;
            return node;
        }
        node = node_of(node->child[i]);
    }
}

void order_insert(struct order_tree *tree, struct order_item *item,
                  uint32_t place, uint32_t weight)
{
    uint32_t index;
    if (!tree->root) {
        tree->root = use_spare(tree, true);
        tree->height = 1;
    }
    struct order_node *leaf = find(tree, ORDER_COUNT, place, &index);
    put_child(tree, leaf, index, item);
    resize(tree, item, 1, weight);
}

void order_remove(struct order_tree *tree, struct order_item *item)
{
    uint32_t index = index_of(item);
    resize(tree, item, UINT32_MAX, 0 - item->parent->size[index].weight);
    drop_child(tree, item->parent, index);
}

void order_add_weight(struct order_tree *tree, struct order_item *item,
                      uint32_t weight)
{
    resize(tree, item, 0, weight);
}

/* Answers ------------------------------------------------------------------ */

/* The first item (1) or the last one (-1) below a child. */
static struct order_item *item_below(const struct order_node *node,
                                     uint32_t index, int side)
{
    struct order_item *item = node->child[index];
    while (!node->is_leaf) {
        node = node_of(item);
        item = node->child[side > 0 ? 0 : node->used - 1];
    }
    return item;
}

struct order_item *order_at(const struct order_tree *tree,
                            enum order_measure measure, uint32_t at)
{
    uint32_t index;
    const struct order_node *leaf = find(tree, measure, at, &index);
    return leaf->child[index];
}

struct order_item *order_beside(const struct order_item *item, int side)
{
    for (; item->parent; item = &item->parent->item) {
        uint32_t index = index_of(item) + (uint32_t)side;
        if (index < item->parent->used) {
            return item_below(item->parent, index, side);
        }
    }
    return NULL;
}

struct order_item *order_first(const struct order_tree *tree)
{
    return tree->root ? item_below(tree->root, 0, 1) : NULL;
}

struct order_item *order_next(const struct order_item *item, uint32_t *index)
{
    const struct order_node *leaf = item->parent;
    if (++*index < leaf->used) {
        return leaf->child[*index];
    }
    *index = 0;
    return order_beside(item, 1);
}

struct order_size order_before(const struct order_item *item)
{
    struct order_size before = {0, 0};
    for (; item->parent; item = &item->parent->item) {
        const struct order_node *node = item->parent;
        for (uint32_t i = 0; node->child[i] != item; i++) {
            before.count += node->size[i].count;
            before.weight += node->size[i].weight;
        }
    }
    return before;
}

uint32_t order_weight_to(const struct order_tree *tree, uint32_t place)
{
    return place < tree->size.count
               ? order_before(order_at(tree, ORDER_COUNT, place)).weight
               : tree->size.weight;
}

uint32_t order_search(const struct order_tree *tree,
                      int (*compare)(const struct order_item *item,
                                     void *thing),
                      void *thing)
{
    const struct order_node *node = tree->root;
    uint32_t place = 0;
    while (node) {
        /* Of an inner node, the child at `low - 1` is searched next. */
        uint32_t low = !node->is_leaf, high = node->used;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            /* Both possible next items load while the program compares. */
            fetch(node->child[(low + middle) / 2]);
            fetch(node->child[(middle + high) / 2]);
            if (compare(item_below(node, middle, 1), thing) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (uint32_t i = 0; i + !node->is_leaf < low; i++) {
            place += node->size[i].count;
        }
        node = node->is_leaf ? NULL : node_of(node->child[low - 1]);
    }
    return place;
}
