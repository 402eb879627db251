/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things in an order, each found by its place and asked for it, of which some
 * count: the tree says as well how many count in front of one. It is what an
 * index map (base/index_map.h) is not: dense, with no position that it
 * would have to be told, and two orders, that of all and that of those that
 * count.
 *
 *     places          0 1 2 3 4 5 6
 *     things          a b c D E f G      capitals count
 *     weight before   0 0 0 0 1 2 2
 *
 * Algorithm: a treap (Seidel and Aragon, "Randomized search trees", 1996) whose
 *            nodes know how many there are at and below them, and how many of
 *            these count; every change is a split and a join.
 * Memory:    nodes are the caller's, 56 bytes on a 64-bit machine; nothing here
 *            allocates.
 * Threads:   no lock inside.
 * Cost:      O(log n) expected for each operation, but where it says otherwise.
 */
#ifndef OBV_ORDER_TREE_H
#define OBV_ORDER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is embedded in a thing; its fields are the tree's. */
struct obv__order_node {
    struct obv__order_node *parent, *child[2];
    size_t count, weight; /* at and below it; of these so many count */
    uint32_t priority;
    bool counts;
    bool mark; /* the caller's; false when it comes in */
};

/** A tree. */
struct obv__order_tree {
    struct obv__order_node *root;
    uint64_t seed;
};

void obv__order_init(struct obv__order_tree *tree);

/** How many there are, and how many of them count, of a tree's root or NULL. */
static inline size_t obv__order_count(const struct obv__order_node *root)
{
    return root ? root->count : 0;
}

static inline size_t obv__order_weight(const struct obv__order_node *root)
{
    return root ? root->weight : 0;
}

/** Puts in a node, which is in no tree, so that it stands at a place. */
void obv__order_insert(struct obv__order_tree *tree,
                       struct obv__order_node *node, size_t place, bool counts);

/** Takes a node of the tree out. */
void obv__order_remove(struct obv__order_tree *tree,
                       struct obv__order_node *node);

/** Takes out `count` nodes from a place on, as the root of a tree of their
    own. */
struct obv__order_node *obv__order_cut(struct obv__order_tree *tree,
                                       size_t place, size_t count);

/** Puts in what was taken out. */
void obv__order_paste(struct obv__order_tree *tree,
                      struct obv__order_node *root, size_t place);

/** Puts in a node, which is in no tree, behind all. */
void obv__order_append(struct obv__order_tree *tree,
                       struct obv__order_node *node, bool counts);

/** The node at a place, which is there. */
struct obv__order_node *obv__order_at(const struct obv__order_tree *tree,
                                      size_t place);

/** The one behind a node, or in front of it; or NULL. O(1) over a whole walk.
    */
struct obv__order_node *obv__order_next(const struct obv__order_node *node);
struct obv__order_node *obv__order_previous(const struct obv__order_node *node);

/** Where a node stands; and how many count in front of it. */
size_t obv__order_place(const struct obv__order_node *node);
size_t obv__order_weight_before(const struct obv__order_node *node);

/** How many count in front of a place. */
size_t obv__order_weight_before_place(const struct obv__order_tree *tree,
                                      size_t place);

/** The first place of a node that does not stand in front, where those that do
    come first. `is_in_front` may take its time, and edits no tree. */
size_t obv__order_search(const struct obv__order_tree *tree,
                         bool (*is_in_front)(const struct obv__order_node *node,
                                             void *argument),
                         void *argument);

/** Says whether a node of a tree counts. */
void obv__order_set_counts(struct obv__order_node *node, bool counts);

#endif
