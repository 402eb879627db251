/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A prefix tree over the elements of paths, with reference counts. It makes of
 * many paths one structure in which what they share stands once:
 *
 *     address.zipCode                      address ---- zipCode   (1)
 *     address.city        becomes                 `---- city      (2)
 *     address.city                         list ------- #0 ------ title (1)
 *     list.#0.title
 *
 * In brackets stands a node's number of references: how often the path that
 * ends there has been added and not yet released. A node without references
 * lives as long as something hangs below it. Releasing list.#0.title once:
 *
 *     before                               after
 *
 *     address ---- zipCode   (1)           address ---- zipCode   (1)
 *            `---- city      (2)                  `---- city      (2)
 *     list ------- #0 ------ title (1)
 *                                          taken out: title, then #0, then list
 *
 * and releasing address.city once takes nothing out: its count falls to 1.
 *
 * A module that embeds the node in a struct says how large that is, sets up the
 * nodes that an addition has made, parents first, and takes nodes out as they
 * become idle. A node that was taken out can no longer be reached from the
 * trie, but its element, parent and depth stay as they were until it is freed,
 * so that a thread that came upon it before can finish what it does there.
 *
 * It knows nothing of objects, and matches no wildcards: `*` is an element as
 * any other. Children stand in the order of their addition.
 *
 * Threads: no lock inside. The caller lets one thread in at a time, or several
 *          that only read.
 * Cost:    each element of a path costs O(1) expected. Up to 16 nodes in all,
 *          siblings are compared one after the other; the nodes of a larger trie
 *          stand in a hash table.
 * Owed:    every node has a reference or a child; siblings differ; an addition
 *          that fails has touched nothing.
 */
#ifndef OBV_TRIE_H
#define OBV_TRIE_H

#include "base/hash_table.h"
#include "base/reclaim.h"

#include <observable/path.h>

struct obv__trie_node {
    struct obv__retired retired; /* the caller's, once it is taken out */
    struct obv_hash_entry entry; /* of the table, if there is any */
    struct obv_element element;
    struct obv__trie_node *parent; /* NULL: first level */
    struct obv__trie_node *first_child;
    struct obv__trie_node *next; /* NULL: the last sibling */
    struct obv__trie_node *prev; /* of the first sibling: the last one */
    uint32_t references;
    uint32_t depth; /* elements, from 1 */
};

/** Zeroed, it is empty, and then it has no memory. */
struct obv__trie {
    struct obv__trie_node *first;
    size_t count; /* nodes */
    struct obv_hash_table table;
};

/** The node at which a path ends, or NULL. */
struct obv__trie_node *obv__trie_find(const struct obv__trie *trie,
                                      const struct obv_element *elements,
                                      size_t count);

/**
 * Adds a path, and counts it at its last node.
 *
 * @param size     of each node and what stands behind it, which is zeroed.
 * @param last     receives the last node.
 * @param made     receives the first of the nodes that were made for it; they
 *                 follow by `first_child`, to `last`. NULL: none.
 * @return OBV_OK; OBV_E_ARGUMENT: an element has no name; OBV_E_LIMIT: the path
 *         is counted 2^32 - 1 times already; OBV_E_MEMORY.
 */
enum obv_status obv__trie_add(struct obv__trie *trie,
                              const struct obv_allocator *allocator,
                              size_t size, const struct obv_element *elements,
                              size_t count, struct obv__trie_node **last,
                              struct obv__trie_node **made);

/** Whether a node has neither references nor children: it is to be taken
    out. */
static inline bool obv__trie_node_is_idle(const struct obv__trie_node *node)
{
    return node->references == 0 && !node->first_child;
}

/** Takes a node without children out, whatever its references, and hands it to
    the caller. */
void obv__trie_take(struct obv__trie *trie,
                    const struct obv_allocator *allocator,
                    struct obv__trie_node *node);

/** The node after another in an order that visits parents before children, and
    siblings as they were added; NULL: none. */
struct obv__trie_node *obv__trie_node_after(const struct obv__trie_node *node);

#endif
