/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things in an order, each found by its place and asked for it. Each has a
 * weight: the tree says as well what weighs in front of one.
 *
 *     places          0 1 2 3 4 5 6
 *     things          a b c D E f G      capitals weigh 1, others 0
 *     weight before   0 0 0 0 1 2 2
 *
 * Algorithm: a treap (Seidel and Aragon, "Randomized search trees", 1996) whose
 *            nodes know how many of those below them are in front of them, and
 *            what these weigh: so a way up or down the tree reads no node beside
 *            it.
 * Memory:    nodes are the caller's; nothing here allocates.
 * Cost:      O(log n) expected for each operation.
 */
#ifndef OBV_DERIVED_ORDER_TREE_H
#define OBV_DERIVED_ORDER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_node {
    struct order_node *parent, *child[2];
    uint32_t count, weight; /* below it, and in front of it */
    uint32_t own;           /* what it weighs itself */
    uint32_t priority;
};

struct order_tree {
    struct order_node *root;
    uint32_t count, weight; /* of all */
    uint32_t seed, last;
};

/** Says that what lies there is read soon. */
#if defined(__GNUC__)
#define order_fetch(place) __builtin_prefetch(place)
#else
#define order_fetch(place) ((void)(place))
#endif

/** Puts in a node, which is in no tree, so that it stands at a place. */
void order_insert(struct order_tree *tree, struct order_node *node,
                  uint32_t place, uint32_t own);
void order_remove(struct order_tree *tree, struct order_node *node);
/** Forgets all nodes. */
void order_clear(struct order_tree *tree);
/** Gives a node another weight. Many are summed up at once, behind the last. */
void order_set_own(struct order_tree *tree, struct order_node *node,
                   uint32_t own, bool is_summed_up);
void order_sum_up(struct order_tree *tree);

/** A measure: nodes, what they weigh, or those that weigh 0 of nodes that weigh
    0 or 1. */
enum order_measure { ORDER_COUNT, ORDER_WEIGHT, ORDER_LIGHT };

/** The node in which a number lies, which is there; and what is before one. */
struct order_node *order_at(const struct order_tree *tree,
                            enum order_measure measure, uint32_t at);
uint32_t order_before(const struct order_node *node,
                      enum order_measure measure);
/** The one in front of a node (0) or behind it (1), or NULL. */
struct order_node *order_beside(const struct order_node *node, int side);
/** The one behind a node; NULL: the first. O(1) over a whole walk. */
struct order_node *order_next(const struct order_tree *tree,
                              const struct order_node *node);

/** The weight in front of a place. */
uint32_t order_weight_to(const struct order_tree *tree, uint32_t place);

/** The first place of a node that does not stand in front of `thing`, where
    those that do come first. */
uint32_t order_search(const struct order_tree *tree,
                      int (*compare)(const struct order_node *node,
                                     void *thing),
                      void *thing);

#endif
