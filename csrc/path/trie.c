/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix tree of paths. All memory of an addition is taken before anything
 * is linked; only the table may lack some, and is slower then.
 */
#include "path/trie.h"

#include "base/memory.h"

/* Up to here a walk along the siblings is as fast as the table. */
#define NODES_WITHOUT_TABLE 16

/* Children of one parent of one kind differ in their hash, and the table mixes
   it under a multiplier of its own. */
static uint64_t hash_in_trie(const struct obv__trie_node *parent,
                             const struct obv_element *element)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (uintptr_t)parent * odd;
    hash = (hash + ((uint64_t)element->name << 32 | element->kind)) * odd;
    return hash + element->number;
}

static struct obv__trie_node *find_child(const struct obv__trie *trie,
                                         const struct obv__trie_node *parent,
                                         const struct obv_element *element)
{
    struct obv__trie_node *node;
    if (trie->table.count == 0) {
        node = parent ? parent->first_child : trie->first;
        while (node && !obv_element_equal(&node->element, element)) {
            node = node->next;
        }
        return node;
    }
    struct obv_hash_entry *entry =
        obv__hash_table_find(&trie->table, hash_in_trie(parent, element));
    for (; entry; entry = obv__hash_table_find_next(entry)) {
        node = OBV__STRUCT_OF(struct obv__trie_node, entry, entry);
        if (node->parent == parent &&
            obv_element_equal(&node->element, element)) {
            return node;
        }
    }
    return NULL;
}

/* Goes down as far as there are nodes; answers how many elements that are. */
static size_t descend_trie(const struct obv__trie *trie,
                           const struct obv_element *elements, size_t count,
                           struct obv__trie_node **deepest)
{
    struct obv__trie_node *node;
    size_t i = 0;
    *deepest = NULL;
    while (i < count && (node = find_child(trie, *deepest, &elements[i]))) {
        *deepest = node;
        i++;
    }
    return i;
}

struct obv__trie_node *obv__trie_find(const struct obv__trie *trie,
                                      const struct obv_element *elements,
                                      size_t count)
{
    struct obv__trie_node *node;
    return descend_trie(trie, elements, count, &node) == count ? node : NULL;
}

struct obv__trie_node *obv__trie_node_after(const struct obv__trie_node *node)
{
    if (node->first_child) {
        return node->first_child;
    }
    while (node && !node->next) {
        node = node->parent;
    }
    return node ? node->next : NULL;
}

/* Makes nodes for `count` elements below `parent`, each the only child of the
   one before; nothing is linked to the trie yet. */
static enum obv_status chain_make(const struct obv_allocator *allocator,
                                  size_t size, struct obv__trie_node *parent,
                                  const struct obv_element *elements,
                                  size_t count, struct obv__trie_node **first,
                                  struct obv__trie_node **last)
{
    struct obv__trie_node *above = parent;
    *first = NULL;
    for (size_t i = 0; i < count; i++) {
        /* One without a name equals not even itself. */
        bool is_named = obv_element_equal(&elements[i], &elements[i]);
        struct obv__trie_node *node =
            is_named ? obv__allocate_zeroed(allocator, size) : NULL;
        if (!node) {
            while (above != parent) {
                node = above->parent;
                obv__free(allocator, above, size);
                above = node;
            }
            return is_named ? OBV_E_MEMORY : OBV_E_ARGUMENT;
        }
        node->element = elements[i];
        node->parent = above;
        node->prev = node;
        node->depth = above ? above->depth + 1 : 1;
        if (*first) {
            above->first_child = node;
        } else {
            *first = node;
        }
        above = node;
    }
    *last = above;
    return OBV_OK;
}

/* A table is begun with all nodes, and has all from then on. */
static void chain_link(struct obv__trie *trie,
                       const struct obv_allocator *allocator,
                       struct obv__trie_node *node, size_t count)
{
    struct obv__trie_node **list =
        node->parent ? &node->parent->first_child : &trie->first;
    if (*list) {
        node->prev = (*list)->prev;
        node->prev->next = node;
        (*list)->prev = node;
    } else {
        *list = node;
    }
    trie->count += count;
    bool has_table = trie->table.count != 0;
    if (!has_table && trie->count <= NODES_WITHOUT_TABLE) {
        return;
    }
    for (node = has_table ? node : trie->first; node;
         node = has_table ? node->first_child : obv__trie_node_after(node)) {
        obv__hash_table_add(&trie->table, allocator, &node->entry,
                            hash_in_trie(node->parent, &node->element));
    }
}

enum obv_status obv__trie_add(struct obv__trie *trie,
                              const struct obv_allocator *allocator,
                              size_t size, const struct obv_element *elements,
                              size_t count, struct obv__trie_node **last,
                              struct obv__trie_node **made)
{
    struct obv__trie_node *node;
    size_t there = descend_trie(trie, elements, count, &node);
    *made = NULL;
    if (there < count) {
        enum obv_status status =
            chain_make(allocator, size, node, elements + there, count - there,
                       made, &node);
        if (status != OBV_OK) {
            return status;
        }
        chain_link(trie, allocator, *made, count - there);
    }
    if (node->references == UINT32_MAX) {
        return OBV_E_LIMIT;
    }
    node->references++;
    *last = node;
    return OBV_OK;
}

void obv__trie_take(struct obv__trie *trie,
                    const struct obv_allocator *allocator,
                    struct obv__trie_node *node)
{
    struct obv__trie_node **list =
        node->parent ? &node->parent->first_child : &trie->first;
    if (trie->table.count != 0) {
        obv__hash_table_take(&trie->table, allocator, &node->entry);
    }
    if (node == *list) {
        *list = node->next;
    } else {
        node->prev->next = node->next;
    }
    if (node->next) {
        node->next->prev = node->prev;
    } else if (*list) {
        (*list)->prev = node->prev;
    }
    trie->count--;
}
