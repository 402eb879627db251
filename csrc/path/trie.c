/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix tree of paths: its concept stands in <observable/trie.h>. Not
 * here: the index of a large trie (trie_index.c), and any lock.
 *
 * Owed: every node has a reference or a child; siblings differ; an addition
 * that fails has touched nothing, since all memory is taken before anything is
 * linked.
 */
#include "path/trie.h"

#include "base/memory.h"

/* Up to here a walk along the siblings is as fast as the index. */
#define NODES_WITHOUT_INDEX 16

#define PAYLOAD_MAX    (UINT32_C(1) << 31)
#define PAYLOAD_OFFSET OBV__TRIE_PAYLOAD_OFFSET

struct obv_trie {
    struct obv_allocator allocator;
    struct obv_trie_node *first;
    size_t count;
    size_t payload_size;
    void *context;
    void (*added)(void *context, struct obv_trie_node *node);
    void (*removed)(void *context, struct obv_trie_node *node);
    struct obv__trie_index index;
};

enum obv_status obv_trie_create(const struct obv_trie_options *options,
                                struct obv_trie **trie)
{
    const struct obv_trie_options none = {.size = sizeof none};
    options = options ? options : &none;
    if (!trie || options->size != sizeof *options ||
        options->payload_size > PAYLOAD_MAX) {
        return OBV_E_ARGUMENT;
    }
    struct obv_allocator allocator;
    obv__allocator_init(&allocator, options->allocator);
    struct obv_trie *made = obv__allocate_zeroed(&allocator, sizeof *made);
    if (!made) {
        return OBV_E_MEMORY;
    }
    made->allocator = allocator;
    made->payload_size = options->payload_size;
    made->context = options->context;
    made->added = options->added;
    made->removed = options->removed;
    obv__trie_index_init(&made->index, &allocator);
    *trie = made;
    return OBV_OK;
}

static struct obv_trie_node **sibling_list(struct obv_trie *trie,
                                           struct obv_trie_node *parent)
{
    return parent ? &parent->first_child : &trie->first;
}

static void append_node(struct obv_trie_node **list, struct obv_trie_node *node)
{
    struct obv_trie_node *first = *list;
    if (first) {
        node->prev = first->prev;
        first->prev->next = node;
        first->prev = node;
    } else {
        node->prev = node;
        *list = node;
    }
}

static void unlink_node(struct obv_trie_node **list, struct obv_trie_node *node)
{
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
}

/* Takes a node without children out, and hands it over. */
static void take_out(struct obv_trie *trie, struct obv_trie_node *node)
{
    if (trie->index.slots) {
        obv__trie_index_remove(&trie->index, node);
    }
    unlink_node(sibling_list(trie, node->parent), node);
    trie->count--;
    if (trie->count == 0) {
        obv__trie_index_deinit(&trie->index);
    }
    if (trie->removed) {
        trie->removed(trie->context, node);
    } else {
        obv_trie_node_free(&trie->allocator, node);
    }
}

/* The last node below `node` that has no children. */
static struct obv_trie_node *last_below(struct obv_trie_node *node)
{
    while (node->first_child) {
        node = node->first_child->prev;
    }
    return node;
}

void obv_trie_destroy(struct obv_trie *trie)
{
    if (!trie) {
        return;
    }
    while (trie->first) {
        struct obv_trie_node *node = trie->first->prev;
        while (node) {
            node = last_below(node);
            struct obv_trie_node *parent = node->parent;
            take_out(trie, node);
            node = parent;
        }
    }
    obv__trie_index_deinit(&trie->index); /* empty, but perhaps still there */
    struct obv_allocator allocator = trie->allocator;
    obv__free(&allocator, trie, sizeof *trie);
}

static struct obv_trie_node *find_child(const struct obv_trie *trie,
                                        const struct obv_trie_node *parent,
                                        const struct obv_element *element)
{
    if (trie->index.slots) {
        return obv__trie_index_find(&trie->index, parent, element);
    }
    struct obv_trie_node *node = parent ? parent->first_child : trie->first;
    while (node && !obv_element_equal(&node->element, element)) {
        node = node->next;
    }
    return node;
}

/* Goes down as far as there are nodes; answers how many elements that are. */
static size_t descend_trie(const struct obv_trie *trie,
                           const struct obv_element *elements, size_t count,
                           struct obv_trie_node **deepest)
{
    struct obv_trie_node *node;
    size_t i = 0;
    *deepest = NULL;
    while (i < count && (node = find_child(trie, *deepest, &elements[i]))) {
        *deepest = node;
        i++;
    }
    return i;
}

struct obv_trie_node *obv_trie_find(const struct obv_trie *trie,
                                    const struct obv_element *elements,
                                    size_t count)
{
    struct obv_trie_node *node;
    return descend_trie(trie, elements, count, &node) == count ? node : NULL;
}

static struct obv_trie_node *node_make(const struct obv_trie *trie,
                                       struct obv_trie_node *parent,
                                       const struct obv_element *element)
{
    struct obv_trie_node *node = obv__allocate_zeroed(
        &trie->allocator, PAYLOAD_OFFSET + trie->payload_size);
    if (node) {
        node->element = *element;
        node->parent = parent;
        node->prev = node;
        node->depth = parent ? parent->depth + 1 : 1;
        node->payload_size = (uint32_t)trie->payload_size;
    }
    return node;
}

/* Makes nodes for `count` elements below `parent`, each the only child of the
   one before; nothing is linked to the trie yet. Answers the first, or NULL. */
static struct obv_trie_node *chain_make(const struct obv_trie *trie,
                                        struct obv_trie_node *parent,
                                        const struct obv_element *elements,
                                        size_t count,
                                        struct obv_trie_node **last)
{
    struct obv_trie_node *first = NULL, *above = parent;
    for (size_t i = 0; i < count; i++) {
        struct obv_trie_node *node = node_make(trie, above, &elements[i]);
        if (!node) {
            while (above != parent) {
                node = above->parent;
                obv_trie_node_free(&trie->allocator, above);
                above = node;
            }
            return NULL;
        }
        if (first) {
            above->first_child = node;
        } else {
            first = node;
        }
        above = node;
    }
    *last = above;
    return first;
}

static void chain_link(struct obv_trie *trie, struct obv_trie_node *first)
{
    append_node(sibling_list(trie, first->parent), first);
    for (struct obv_trie_node *node = first; node; node = node->first_child) {
        trie->count++;
        if (trie->index.slots) {
            obv__trie_index_add(&trie->index, node);
        }
    }
}

/* Makes what is missing below `parent`, with one reference on its end. */
static enum obv_status extend_trie(struct obv_trie *trie,
                                   struct obv_trie_node *parent,
                                   const struct obv_element *elements,
                                   size_t count, struct obv_trie_node **leaf)
{
    size_t total = trie->count + count;
    if (total > NODES_WITHOUT_INDEX &&
        !obv__trie_index_reserve(&trie->index, total, trie->first)) {
        return OBV_E_MEMORY;
    }
    struct obv_trie_node *last;
    struct obv_trie_node *first =
        chain_make(trie, parent, elements, count, &last);
    if (!first) {
        return OBV_E_MEMORY;
    }
    chain_link(trie, first);
    last->references = 1;
    *leaf = last;
    for (; trie->added && first; first = first->first_child) {
        trie->added(trie->context, first);
    }
    return OBV_OK;
}

static bool all_named(const struct obv_element *elements, size_t count)
{
    size_t i = 0;
    while (i < count && obv_element_equal(&elements[i], &elements[i])) {
        i++;
    }
    return i == count;
}

enum obv_status obv_trie_add(struct obv_trie *trie,
                             const struct obv_element *elements, size_t count,
                             struct obv_trie_node **leaf)
{
    if (!trie || !leaf || !elements || count == 0) {
        return OBV_E_ARGUMENT;
    }
    if (count > OBV_PATH_COUNT_MAX) {
        return OBV_E_LIMIT;
    }
    if (!all_named(elements, count)) {
        return OBV_E_ARGUMENT;
    }
    struct obv_trie_node *node;
    size_t there = descend_trie(trie, elements, count, &node);
    if (there < count) {
        return extend_trie(trie, node, elements + there, count - there, leaf);
    }
    if (node->references == UINT32_MAX) {
        return OBV_E_LIMIT;
    }
    node->references++;
    *leaf = node;
    return OBV_OK;
}

void obv_trie_release(struct obv_trie *trie, struct obv_trie_node *leaf)
{
    struct obv_trie_node *node = leaf;
    node->references--;
    while (node && node->references == 0 && !node->first_child) {
        struct obv_trie_node *parent = node->parent;
        take_out(trie, node);
        node = parent;
    }
}

struct obv_trie_node *obv_trie_first(const struct obv_trie *trie)
{
    return trie->first;
}

bool obv_trie_is_empty(const struct obv_trie *trie)
{
    return !trie->first;
}

size_t obv_trie_count(const struct obv_trie *trie)
{
    return trie->count;
}

struct obv_trie_node *obv_trie_node_parent(const struct obv_trie_node *node)
{
    return node->parent;
}

struct obv_trie_node *
obv_trie_node_first_child(const struct obv_trie_node *node)
{
    return node->first_child;
}

struct obv_trie_node *
obv_trie_node_next_sibling(const struct obv_trie_node *node)
{
    return node->next;
}

const struct obv_element *
obv_trie_node_element(const struct obv_trie_node *node)
{
    return &node->element;
}

void *obv_trie_node_payload(const struct obv_trie_node *node)
{
    return (char *)node + PAYLOAD_OFFSET;
}

struct obv_trie_node *obv_trie_node_of_payload(const void *payload)
{
    return (struct obv_trie_node *)((char *)payload - PAYLOAD_OFFSET);
}

size_t obv_trie_node_depth(const struct obv_trie_node *node)
{
    return node->depth;
}

uint32_t obv_trie_node_references(const struct obv_trie_node *node)
{
    return node->references;
}

void obv_trie_node_free(const struct obv_allocator *allocator,
                        struct obv_trie_node *node)
{
    if (node) {
        obv__free(allocator ? allocator : &obv__system_allocator, node,
                  PAYLOAD_OFFSET + node->payload_size);
    }
}

static bool node_check(const struct obv_trie *trie,
                       const struct obv_trie_node *node)
{
    const struct obv_trie_node *parent = node->parent;
    const struct obv_trie_node *first =
        parent ? parent->first_child : trie->first;
    return (node->references > 0 || node->first_child) &&
           node->depth == (parent ? parent->depth + 1 : 1) &&
           (node->next ? node->next : first)->prev == node &&
           (!node->first_child || node->first_child->parent == node) &&
           (!node->next || node->next->parent == parent) &&
           find_child(trie, parent, &node->element) == node;
}

bool obv_trie_check(const struct obv_trie *trie)
{
    const struct obv_trie_node *node = trie->first;
    size_t count = 0;
    while (node && node_check(trie, node)) {
        count++;
        node = obv__trie_node_after(node);
    }
    return !node && count == trie->count &&
           (trie->index.slots || count <= NODES_WITHOUT_INDEX);
}
