/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path nodes and path instances: what the observed paths of a root are made of.
 *
 * A *path node* is one followed element, a node of the trie: paths that
 * share a prefix share its path nodes. Observations that end at a path node are
 * its *leaves*, and hang in a list of it.
 *
 * A *path instance* is a path node on one chain of objects: it hangs as a
 * BINDING in the slot that the path node's element holds on its container. A
 * path node has one path instance, its own, but beneath a `*`: there it has one
 * for each object that the `*` leads to, told apart by a key: of a model the
 * name of the property that leads there (EQ-8).
 *
 *     root.*.i, with root.a = X, root.b = Y
 *
 *     node *    own instance    --->   root: told of every edit
 *     node i    instance by a   --->   X: slot i
 *               instance by b   --->   Y: slot i
 *
 * A path instance beneath a `*` comes with the object that it leads through and
 * goes with it. Paths that meet again in one object have a path instance each:
 * they are as many as the chains of properties, and their number is bounded by
 * the path's length.
 *
 * Everything here is under the paths lock, where nothing else is said.
 */
#ifndef OBV_PATH_INSTANCE_H
#define OBV_PATH_INSTANCE_H

#include "model/node.h"
#include "model/path_node.h"

static inline struct obv__path_node *
obv__path_node_first_child(const struct obv__path_node *node)
{
    return obv__path_node_at(node->in_trie.first_child);
}

static inline struct obv__path_node *
obv__path_node_next_sibling(const struct obv__path_node *node)
{
    return obv__path_node_at(node->in_trie.next);
}

static inline bool obv__path_node_is_any(const struct obv__path_node *node)
{
    return obv__path_node_element(node)->kind == OBV_ELEMENT_ANY;
}

/** Whether some observation has wanted to know of equal sets, or before: from
    then on obv__edit_wants() looks. Any thread. */
extern bool obv__somebody_wants OBV__HIDDEN;

/** Adds to what is wanted at a path node. */
static inline void obv__path_node_want(struct obv__path_node *node,
                                       unsigned wants)
{
    /* Relaxed load: written under the lock. Release: a walk that finds it finds
       the leaf that wants it, or comes before it. */
    obv__store_release(&node->wants,
                       (uint8_t)(obv__load_relaxed(&node->wants) | wants));
}

static inline bool obv__path_node_wants(const struct obv__path_node *node,
                                        unsigned wants)
{
    return (obv__load_acquire(&node->wants) & wants) != 0;
}

/** Whether memory was short on the way to a path node. Any thread, in an epoch
    section. */
bool obv__path_node_is_unwired(const struct obv__path_node *node);

/** Whether something on the way to a path node is no observable property. Any
    thread, in an epoch section. */
bool obv__path_node_is_unknown(const struct obv__path_node *node);

/** Notes whether memory was short behind a path instance. */
static inline void
obv__path_instance_set_short(struct obv__path_instance *instance, bool is_short)
{
    uint32_t count = instance->node->short_instances;
    count = count - instance->is_short + is_short;
    obv__store_relaxed(&instance->node->short_instances, count);
    obv__store_relaxed(&instance->is_short, is_short);
}

/** The furthest state of a path node and those above it. Any thread, in an
    epoch section. */
enum obv__path_end
obv__path_node_furthest_end(const struct obv__path_node *node);

/** The leaf behind another (NULL: the first) of those at a path node and below
    it, or of all of some paths (NULL); NULL: it was the last. */
struct obv__watcher *obv__next_leaf_locked(const struct obv__paths *paths,
                                           const struct obv__path_node *top,
                                           const struct obv__watcher *after);

/** Whether there is any leaf at this path node or below it. */
static inline bool obv__path_node_is_followed(const struct obv__path_node *node)
{
    return obv__next_leaf_locked(NULL, node, NULL) != NULL;
}

/** The path instance of a path node below `instance` by a key (0 but under
    `*`), or NULL: there is none. */
struct obv__path_instance *
obv__path_instance_below(struct obv__path_instance *instance,
                         struct obv__path_node *node, uint64_t key);

/** Makes one beneath a `*`, where there is none; NULL: no memory. */
struct obv__path_instance *
obv__path_instance_make(struct obv__path_instance *instance,
                        struct obv__path_node *node, uint64_t key);

/** The branch that a path instance beneath a `*` is in. */
static inline struct obv__branch *
obv__branch_of(struct obv__path_instance *instance)
{
    return OBV__STRUCT_OF(struct obv__branch, instance, instance);
}

/** Forgets a path instance beneath a `*` that hangs nowhere and has none below
    it. */
void obv__path_instance_forget_if_idle(struct obv__path_instance *instance);

/** A key by which there are path instances below `instance`, from `least` on;
    0: none. */
uint64_t obv__path_instance_next_key(struct obv__path_instance *instance,
                                     uint64_t least);

/** The path instance of a path node behind `instance` (NULL: the first); NULL:
    it was the last. */
struct obv__path_instance *
obv__path_instance_next(struct obv__path_node *node,
                        const struct obv__path_instance *instance);

/** Enters, and leaves, the paths lock of a path node's context. */
static inline void obv__lock_paths(const struct obv__path_node *node)
{
    obv__lock_enter(&node->paths->context->paths);
}

static inline void obv__unlock_paths(const struct obv__path_node *node)
{
    obv__lock_leave(&node->paths->context->paths);
}

/** The object that a binding hangs at, or NULL: it has ended. Any thread, in an
    epoch section. */
static inline struct obv_object *
obv__binding_place(const struct obv__watcher *binding)
{
    return (struct obv_object *)obv__load_acquire(&binding->place);
}

/** The number of the elements to a path instance's path node, from 1. Any
    thread, in an epoch section. */
static inline size_t
obv__path_instance_depth(const struct obv__path_instance *instance)
{
    return instance->node->in_trie.depth;
}

/** The object that a path instance's element is looked up on now, or NULL. Any
    thread, in an epoch section. */
static inline struct obv_object *
obv__path_instance_container(const struct obv__path_instance *instance)
{
    /* Acquire: the binding's fields are seen; it is readable in an epoch
       section. */
    struct obv__watcher *binding = obv__load_acquire(&instance->binding);
    return binding ? obv__binding_place(binding) : NULL;
}

/** The keys by which the `*` above a path instance lead there (NULL: none do),
    in the order of the path, and `last`, if it is not 0, behind them; in
    `keys`, which gives room. Any thread, in an epoch section. */
const uint64_t *
obv__path_instance_keys(const struct obv__path_instance *instance,
                        uint64_t last, uint64_t keys[OBV_PATH_COUNT_MAX],
                        size_t *count);

/* Called by the reclaim. */
void obv__branch_free(struct obv_context *context, struct obv__retired *block);

#endif
