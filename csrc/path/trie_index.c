/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trie's index: see trie.h.
 */
#include "path/trie.h"

#include "base/memory.h"

/* 24 bytes, none of them padding. */
struct index_lookup {
    uint64_t parent;
    uint32_t kind;
    uint32_t name;
    uint64_t number;
};

static size_t index_home(const struct obv__trie_index *index,
                         const struct obv_trie_node *parent,
                         const struct obv_element *element)
{
    struct index_lookup lookup = {(uintptr_t)parent, element->kind,
                                  element->name, element->number};
    return (size_t)obv__hash(&index->key, &lookup, sizeof lookup) &
           (index->capacity - 1);
}

static size_t index_after(const struct obv__trie_index *index, size_t slot)
{
    return (slot + 1) & (index->capacity - 1);
}

/* How far `to` lies behind `from`, going round. */
static size_t index_distance(const struct obv__trie_index *index, size_t from,
                             size_t to)
{
    return (to - from) & (index->capacity - 1);
}

void obv__trie_index_init(struct obv__trie_index *index,
                          const struct obv_allocator *allocator)
{
    index->allocator = *allocator;
    index->slots = NULL;
    index->capacity = 0;
    obv__hash_key_init(&index->key);
}

void obv__trie_index_deinit(struct obv__trie_index *index)
{
    obv__free(&index->allocator, index->slots,
              index->capacity * sizeof *index->slots);
    index->slots = NULL;
    index->capacity = 0;
}

/* The next power of two that keeps a quarter free; 0: there is none. */
static size_t index_capacity_for(size_t nodes)
{
    size_t capacity = 32;
    while (capacity && capacity / 4 * 3 < nodes) {
        capacity *= 2;
    }
    return capacity <= SIZE_MAX / sizeof(void *) ? capacity : 0;
}

struct obv_trie_node *obv__trie_node_after(const struct obv_trie_node *node)
{
    if (node->first_child) {
        return node->first_child;
    }
    while (node && !node->next) {
        node = node->parent;
    }
    return node ? node->next : NULL;
}

bool obv__trie_index_reserve(struct obv__trie_index *index, size_t nodes,
                             struct obv_trie_node *first)
{
    if (nodes <= index->capacity / 4 * 3) {
        return true;
    }
    struct obv__trie_index larger = *index;
    larger.capacity = index_capacity_for(nodes);
    larger.slots =
        larger.capacity
            ? obv__allocate_zeroed(&index->allocator,
                                   larger.capacity * sizeof *larger.slots)
            : NULL;
    if (!larger.slots) {
        return false;
    }
    while (first) {
        obv__trie_index_add(&larger, first);
        first = obv__trie_node_after(first);
    }
    obv__trie_index_deinit(index);
    *index = larger;
    return true;
}

void obv__trie_index_add(struct obv__trie_index *index,
                         struct obv_trie_node *node)
{
    size_t slot = index_home(index, node->parent, &node->element);
    while (index->slots[slot]) {
        slot = index_after(index, slot);
    }
    index->slots[slot] = node;
}

/* Closes the hole: what was pushed past it by it moves up. */
static void index_close_hole(struct obv__trie_index *index, size_t hole)
{
    struct obv_trie_node *node;
    size_t slot = hole;
    while ((node = index->slots[slot = index_after(index, slot)])) {
        size_t wanted = index_home(index, node->parent, &node->element);
        if (index_distance(index, wanted, slot) >=
            index_distance(index, hole, slot)) {
            index->slots[hole] = node;
            hole = slot;
        }
    }
    index->slots[hole] = NULL;
}

void obv__trie_index_remove(struct obv__trie_index *index,
                            const struct obv_trie_node *node)
{
    size_t slot = index_home(index, node->parent, &node->element);
    while (index->slots[slot] != node) {
        slot = index_after(index, slot);
    }
    index_close_hole(index, slot);
}

struct obv_trie_node *obv__trie_index_find(const struct obv__trie_index *index,
                                           const struct obv_trie_node *parent,
                                           const struct obv_element *element)
{
    struct obv_trie_node *node;
    size_t slot = index_home(index, parent, element);
    while ((node = index->slots[slot])) {
        if (node->parent == parent &&
            obv_element_equal(&node->element, element)) {
            break;
        }
        slot = index_after(index, slot);
    }
    return node;
}
