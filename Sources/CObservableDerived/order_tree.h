/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence of items: finds the item at a place, and the place of an item.
 * Each has a weight; the tree also sums the weights in front of an item.
 *
 *     places          0 1 2 3 4 5 6
 *     items           a b c D E f G      capitals weigh 1, others 0
 *     weight before   0 0 0 0 1 2 2
 *
 * Algorithm: a counted B+ tree (Comer, "The ubiquitous B-tree", 1979): a node
 *            knows how many items are below each of its children, and what
 *            these weigh. Two neighbours that fill three quarters of a node
 *            become one. A node that is split by what comes behind all stays
 *            full.
 * Memory:    items are the caller's. Nodes come from the tree's spare ones: only
 *            order_reserve() allocates.
 * Cost:      O(log n) for each operation.
 */
#ifndef OBV_DERIVED_ORDER_TREE_H
#define OBV_DERIVED_ORDER_TREE_H

#include <observable/derived.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_item {
    struct order_node *parent;
};

struct order_size {
    uint32_t count, weight;
};

struct order_tree {
    struct order_node *root;
    struct order_size size; /* of all */
    struct order_node *spare;
    size_t node_count, spare_count, height;
};

/** Reserves spare nodes for `count` insertions; false: there is no memory. The
    other frees spare nodes, but for one insertion's; all of an empty tree. */
bool order_reserve(struct order_tree *tree, size_t count,
                   const struct obv_derived_binding *binding);
void order_trim(struct order_tree *tree,
                const struct obv_derived_binding *binding);

/** Puts in an item, which is in no tree, so that it stands at a place. There
    must be spare nodes. */
void order_insert(struct order_tree *tree, struct order_item *item,
                  uint32_t place, uint32_t weight);
void order_remove(struct order_tree *tree, struct order_item *item);
/** Adds to the weight of an item, and to the tree's total. For an item in no
    tree only the total changes. */
void order_add_weight(struct order_tree *tree, struct order_item *item,
                      uint32_t weight);

/** The unit of positions: items, their weights, or the items of weight 0 (if
    all weigh 0 or 1). */
enum order_measure { ORDER_COUNT, ORDER_WEIGHT, ORDER_LIGHT };

/** The item at position `at` of a measure, which exists; and the count and
    weight of all items in front of one. */
struct order_item *order_at(const struct order_tree *tree,
                            enum order_measure measure, uint32_t at);
struct order_size order_before(const struct order_item *item);
/** The one in front of an item (-1) or behind it (1), or NULL. */
struct order_item *order_beside(const struct order_item *item, int side);
/** The first item, or NULL; and in a walk over all items the next one. `index`
    is the walk's: its place in a leaf, 0 at first. */
struct order_item *order_first(const struct order_tree *tree);
struct order_item *order_next(const struct order_item *item, uint32_t *index);

/** The weight in front of a place. */
uint32_t order_weight_to(const struct order_tree *tree, uint32_t place);

/** The place of the first item that `compare` does not put in front of `thing`,
    by binary search. */
uint32_t order_search(const struct order_tree *tree,
                      int (*compare)(const struct order_item *item,
                                     void *thing),
                      void *thing);

#endif
