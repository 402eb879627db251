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
 * Paths follow replaced objects in wiring; their layout stands here, so that
 * the root of a pair can be asked for wherever it hangs. Every function is
 * under the paths lock, where nothing else is said.
 */
#ifndef OBV_PATH_NODE_H
#define OBV_PATH_NODE_H

#include "model/context.h"
#include "model/node.h"
#include "model/watcher.h"
#include "path/trie.h"
#include "platform/bsd.h"

/** The followers of a root's paths. Those of class-level observations are inner
    paths: counts, lists and OS-1 do not know them. */
enum obv__followers { OBV__OBSERVATIONS, OBV__CLASS_SUBSCRIPTIONS };

/** The paths of one root that one kind of followers has. */
struct obv__paths {
    struct obv__retired retired; /* lent to the reclaim at the end */
    struct obv__trie trie;       /* under the paths lock */
    struct obv_object *root;     /* NULL once it has ended; any thread */
    struct obv_context *context; /* constant */
    struct obv__paths *next;     /* of the same root; constant */
    /* The id of the loop of the first delayed leaf whose loop is there, or 0;
       under the paths lock, any thread reads. */
    uint32_t loop;
    uint8_t followers; /* enum obv__followers; constant */
    /* Leaves may wait for a computed property on the way to them: an object
       that has one was met. Set under the paths lock, for good; any thread. */
    bool may_wait;
    bool has_components; /* an element was one; the same */
};

struct obv__path_node;
struct obv__branch;

SPLAY_HEAD(obv__branches, obv__branch);

struct obv__path_instance {
    struct obv__path_node *node;       /* constant */
    struct obv__path_instance *parent; /* constant; NULL: of a first element */
    /* The binding at the container; NULL: there is none. Any thread reads. */
    struct obv__watcher *binding;
    /* For the slot of a weak property: hangs at the object that it holds, to
       learn of that object's end. A `*` has one for each weak property that
       holds an object, by `with.next_member`; `serial` is the property's
       slot. */
    struct obv__watcher *life;
    /* The path instances of the path nodes below, where they are beneath a
       `*`. */
    struct obv__branches branches;
    /* The key by which the `*` right above leads here; 0: the element above is
       no `*`. */
    uint64_t key;
    /* Memory was short to wire what is behind the path instance, since all of
       that was tried last. Any thread reads. */
    bool is_short;
};

/** A path instance beneath a `*`. */
struct obv__branch {
    union {
        SPLAY_ENTRY(obv__branch) entry; /* by path node, then by key */
        struct obv__retired retired;    /* lent to the reclaim at the end */
    };
    struct obv__path_instance instance;
    struct obv__watcher first; /* its first binding; others have memory of their
                                  own */
};

/** The wants of the leaves at a path node or below it; only ever set. */
enum obv__wants {
    OBV__WANTS_OLD = 1,   /* a leaf here: the value before a change */
    OBV__WANTS_SAME = 2,  /* a leaf here: sets of equal values */
    OBV__WANTS_PRIOR = 4, /* a leaf here or below: a call before the store */
    OBV__WANTS_ANY_ELEMENT = 8, /* a leaf below: every edit of this path node's
                                   slots */
    OBV__WANTS_CODE = 16 /* a leaf here: the program compares the values */
};

/** The state of a path node that is bound once (an occurrence); each may be
    followed by the next. A node not bound once is past the end while all below
    it are over. */
enum obv__path_end {
    OBV__PATH_GOES_ON,
    OBV__PATH_PAST_END, /* there was nothing to bind it to, or one below it */
    OBV__PATH_ENDS, /* it has lost what it was bound to; its leaves are due */
    OBV__PATH_ENDED /* they have been scheduled, or called */
};

/** A node of the trie: one followed element. */
struct obv__path_node {
    struct obv__trie_node in_trie; /* must stand first */
    uintptr_t leaves;              /* list; walked by any thread */
    struct obv__paths *paths;      /* constant */
    struct obv__path_instance own; /* its only path instance; hangs nowhere
                                      beneath a `*` */
    uint32_t short_instances;      /* how many `is_short`; any thread reads */
    bool is_unknown; /* a component that is no observable property of what it
                        was looked up on last; any thread reads */
    uint8_t wants;   /* obv__wants; any thread reads */
    bool is_beneath; /* a `*` stands above it; constant */
    uint8_t end; /* obv__path_end: if it is any, it hangs nowhere; any thread
                        reads */
    /* The next of the path nodes that an edit has ended (work_list.h,
       `over`). */
    struct obv__path_node *next_over;
};

#define OBV__PATH_NODE_TAG ((uintptr_t)1)

/** The path node of a place that is one. */
static inline struct obv__path_node *obv__path_node_of(uintptr_t place)
{
    return (struct obv__path_node *)(place & ~OBV__PATH_NODE_TAG);
}

static inline struct obv__path_node *
obv__path_node_at(const struct obv__trie_node *node)
{
    return (struct obv__path_node *)(uintptr_t)node;
}

/** The element, constant: any thread, in an epoch section. */
static inline const struct obv_element *
obv__path_node_element(const struct obv__path_node *node)
{
    return &node->in_trie.element;
}

/** Constant: any thread, in an epoch section. */
static inline struct obv__path_node *
obv__path_node_parent(const struct obv__path_node *node)
{
    return obv__path_node_at(node->in_trie.parent);
}

/** The elements of the path to a path node, written from the last backwards;
    answers their number. Any thread, in an epoch section. */
static inline size_t
obv__path_node_elements(const struct obv__path_node *node,
                        struct obv_element elements[OBV_PATH_COUNT_MAX])
{
    size_t count = node->in_trie.depth;
    for (size_t i = count; i-- > 0; node = obv__path_node_parent(node)) {
        elements[i] = *obv__path_node_element(node);
    }
    return count;
}

/** The root of a pair, or NULL if it has ended. In an epoch section, any
    thread. */
static inline struct obv_object *obv__root(const struct obv__watcher *via)
{
    /* Acquire, pairs with the end of the root and with obv__unwire_locked(). */
    uintptr_t place = obv__load_acquire(&via->place);
    if (OBV__UNLIKELY(place & OBV__PATH_NODE_TAG)) {
        return obv__load_acquire(&obv__path_node_of(place)->paths->root);
    }
    return (struct obv_object *)place;
}

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

/** Whether any observation ever asked for equal sets, or for calls before the
    store: from then on obv__edit_wants() looks. Any thread. */
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

/** Makes a path instance beneath a `*`, where there is none; NULL: no
    memory. */
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
