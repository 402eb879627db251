/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trie's node, and the index by which a large trie finds a child without
 * walking along its siblings. One table for the whole trie: open addressing
 * by (parent, element), linear probing, at most three quarters full, holes
 * closed at once.
 *
 * Owed: while there is a table, it holds every linked node and no other.
 */
#ifndef OBV_TRIE_H
#define OBV_TRIE_H

#include <observable/trie.h>

#include "base/hash.h"

struct obv_trie_node {
    struct obv_element element;
    struct obv_trie_node *parent; /* NULL: first level */
    struct obv_trie_node *first_child;
    struct obv_trie_node *next; /* NULL: the last sibling */
    struct obv_trie_node *prev; /* of the first sibling: the last one */
    uint32_t references;
    uint32_t payload_size; /* bytes */
    uint32_t depth;        /* elements, from 1 */
};

/** How far behind its node a payload stands. */
#define OBV__TRIE_PAYLOAD_OFFSET ((sizeof(struct obv_trie_node) + 15) / 16 * 16)

/* The public functions of these names, inline for the core. */

static inline void *obv__trie_payload(const struct obv_trie_node *node)
{
    return (char *)(uintptr_t)node + OBV__TRIE_PAYLOAD_OFFSET;
}

static inline struct obv_trie_node *obv__trie_of_payload(const void *payload)
{
    return (struct obv_trie_node *)((uintptr_t)payload -
                                    OBV__TRIE_PAYLOAD_OFFSET);
}

struct obv__trie_index {
    struct obv_allocator allocator;
    struct obv__hash_key key;
    struct obv_trie_node **slots; /* NULL: no table */
    size_t capacity;              /* slots, a power of two; 0: no table */
};

void obv__trie_index_init(struct obv__trie_index *index,
                          const struct obv_allocator *allocator);
void obv__trie_index_deinit(struct obv__trie_index *index);

/**
 * Sees to it that `nodes` nodes fit. A new table is filled from the old one,
 * or if there was none, from all nodes of the first level on.
 *
 * @return false for lack of memory; then the index is as it was.
 */
bool obv__trie_index_reserve(struct obv__trie_index *index, size_t nodes,
                             struct obv_trie_node *first);

/** The following children ask for a table. Adding asks for room as well. */
void obv__trie_index_add(struct obv__trie_index *index,
                         struct obv_trie_node *node);
void obv__trie_index_remove(struct obv__trie_index *index,
                            const struct obv_trie_node *node);
struct obv_trie_node *obv__trie_index_find(const struct obv__trie_index *index,
                                           const struct obv_trie_node *parent,
                                           const struct obv_element *element);

/** The node after `node` in an order that visits parents before children, and
    siblings as they were added; NULL: none. */
struct obv_trie_node *obv__trie_node_after(const struct obv_trie_node *node);

#endif
