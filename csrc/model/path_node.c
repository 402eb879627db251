/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path nodes and path instances: finding, making and forgetting them.
 */
#include "model/path_node.h"

#include "model/context.h"

#include <string.h>

bool obv__somebody_wants;

/* By path node, whose address is good as long as the branch is, then by key. */
static int compare_branches(const struct obv__branch *a,
                            const struct obv__branch *b)
{
    uintptr_t left = (uintptr_t)a->instance.node,
              right = (uintptr_t)b->instance.node;
    if (left != right) {
        return left < right ? -1 : 1;
    }
    return (a->instance.key > b->instance.key) -
           (a->instance.key < b->instance.key);
}

/* Mostly gone through in their order, which a splay tree does in O(1) each. Not
   every function that this makes is used. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
SPLAY_PROTOTYPE(obv__branches, obv__branch, entry, compare_branches)
SPLAY_GENERATE(obv__branches, obv__branch, entry, compare_branches)
#pragma GCC diagnostic pop

/* Path nodes -------------------------------------------------------------- */

/* Relaxed, here and below: an answer for this moment. */
bool obv__path_node_is_unwired(const struct obv__path_node *node)
{
    bool found = false;
    for (; node && !found; node = obv__path_node_parent(node)) {
        found = obv__load_relaxed(&node->short_instances) != 0;
    }
    return found;
}

bool obv__path_node_is_unknown(const struct obv__path_node *node)
{
    while (node && !obv__load_relaxed(&node->is_unknown)) {
        node = obv__path_node_parent(node);
    }
    return node != NULL;
}

enum obv__path_end
obv__path_node_furthest_end(const struct obv__path_node *node)
{
    uint8_t furthest = OBV__PATH_GOES_ON;
    for (; node; node = obv__path_node_parent(node)) {
        /* Acquire, pairs with end_paths_over(): what it has scheduled is seen. */
        uint8_t end = obv__load_acquire(&node->end);
        furthest = end > furthest ? end : furthest;
    }
    return (enum obv__path_end)furthest;
}

struct obv__watcher *obv__next_leaf_locked(const struct obv__paths *paths,
                                           const struct obv__path_node *top,
                                           const struct obv__watcher *after)
{
    const struct obv__trie_node *node =
        after ? &obv__path_node_of(after->place)->in_trie
        : top ? &top->in_trie
              : paths->trie.first;
    struct obv__watcher *leaf =
        after  ? obv__next(after)
        : node ? obv__first(&obv__path_node_at(node)->leaves)
               : NULL;
    while (!leaf && node) {
        node = obv__trie_node_after(node);
        if (node && top && node->depth <= top->in_trie.depth) {
            node = NULL;
        }
        leaf = node ? obv__first(&obv__path_node_at(node)->leaves) : NULL;
    }
    return leaf;
}

/* Path instances ---------------------------------------------------------- */

/* The first branch of a path node from a key on; NULL: there is none. */
static struct obv__branch *find_branch_from(struct obv__path_instance *instance,
                                            struct obv__path_node *node,
                                            uint64_t key)
{
    struct obv__branches *branches = &instance->branches;
    struct obv__branch like = {.instance = {.node = node, .key = key}};
    if (SPLAY_EMPTY(branches)) {
        return NULL;
    }
    obv__branches_SPLAY(branches, &like);
    struct obv__branch *found = SPLAY_ROOT(branches);
    if (compare_branches(found, &like) < 0) {
        found = SPLAY_NEXT(obv__branches, branches, found);
    }
    return found && found->instance.node == node ? found : NULL;
}

struct obv__path_instance *
obv__path_instance_below(struct obv__path_instance *instance,
                         struct obv__path_node *node, uint64_t key)
{
    if (!node->is_beneath) {
        return &node->own;
    }
    struct obv__branch *found = find_branch_from(instance, node, key);
    return found && found->instance.key == key ? &found->instance : NULL;
}

struct obv__path_instance *
obv__path_instance_make(struct obv__path_instance *instance,
                        struct obv__path_node *node, uint64_t key)
{
    struct obv__branch *made =
        obv__context_allocate(node->paths->context, sizeof *made);
    if (!made) {
        return NULL;
    }
    memset(made, 0, sizeof *made);
    made->instance.node = node;
    made->instance.parent = instance;
    made->instance.key = key;
    (void)SPLAY_INSERT(obv__branches, &instance->branches, made);
    return &made->instance;
}

void obv__path_instance_forget_if_idle(struct obv__path_instance *instance)
{
    if (instance == &instance->node->own || instance->binding ||
        !SPLAY_EMPTY(&instance->branches)) {
        return;
    }
    struct obv__branch *branch = obv__branch_of(instance);
    /* Another thread may have been here before. */
    if (find_branch_from(instance->parent, instance->node, instance->key) ==
        branch) {
        SPLAY_REMOVE(obv__branches, &instance->parent->branches, branch);
        obv__path_instance_set_short(instance, false);
        obv__retire(&instance->node->paths->context->retired, &branch->retired,
                    OBV__RETIRED_BRANCH);
    }
}

uint64_t obv__path_instance_next_key(struct obv__path_instance *instance,
                                     uint64_t least)
{
    uint64_t next = 0;
    for (struct obv__path_node *child =
             obv__path_node_first_child(instance->node);
         child; child = obv__path_node_next_sibling(child)) {
        const struct obv__branch *found =
            find_branch_from(instance, child, least);
        if (found && (next == 0 || found->instance.key < next)) {
            next = found->instance.key;
        }
    }
    return next;
}

struct obv__path_instance *
obv__path_instance_next(struct obv__path_node *node,
                        const struct obv__path_instance *instance)
{
    if (!node->is_beneath) {
        return instance ? NULL : &node->own;
    }
    struct obv__path_node *above = obv__path_node_parent(node);
    struct obv__path_instance *parent =
        instance ? instance->parent : obv__path_instance_next(above, NULL);
    uint64_t key = instance ? instance->key + 1 : 0;
    for (; parent; parent = obv__path_instance_next(above, parent)) {
        struct obv__branch *found = find_branch_from(parent, node, key);
        if (found) {
            return &found->instance;
        }
        key = 0;
    }
    return NULL;
}

/* Names -------------------------------------------------------------------- */

const uint64_t *
obv__path_instance_keys(const struct obv__path_instance *instance,
                        uint64_t last, uint64_t keys[OBV_PATH_COUNT_MAX],
                        size_t *count)
{
    size_t first = OBV_PATH_COUNT_MAX;
    if (last != 0) {
        keys[--first] = last;
    }
    for (; instance; instance = instance->parent) {
        if (instance->key != 0) {
            keys[--first] = instance->key;
        }
    }
    *count = OBV_PATH_COUNT_MAX - first;
    return &keys[first];
}

void obv__branch_free(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block, sizeof(struct obv__branch));
}
