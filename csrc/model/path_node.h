/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path nodes, path instances and the paths of a root: their layout, so that
 * whoever has a pair can ask for its root wherever it hangs. Their meaning, and
 * all that is done with them, is in path_instance.h.
 */
#ifndef OBV_PATH_NODE_H
#define OBV_PATH_NODE_H

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
    /* The id of the loop of the first delayed leaf whose loop is there, or 0; under
       the paths lock, any thread reads. */
    uint32_t loop;
    uint8_t followers; /* enum obv__followers; constant */
    /* Leaves wait for what leads to them, perhaps: an object that has a computed
       property was met. Set under the paths lock, for good; any
       thread. */
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
    /* If the slot is a weak property's: hangs at the object behind it, to learn
       of its end. Of a `*` one for each weak property that holds one; by
       `with.next_member`, and `serial` is the property's slot. */
    struct obv__watcher *life;
    /* The path instances of the path nodes below, where they are beneath a
       `*`. */
    struct obv__branches branches;
    /* By which the `*` above it leads here; 0: none does. */
    uint64_t key;
    /* Memory was short behind it since all of that was looked at last. Any thread
       reads. */
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
    uint32_t short_instances; /* so many of its own are; any thread reads */
    bool is_unknown; /* a component that is no observable property of what it
                        was looked up on last; any thread reads */
    uint8_t wants;   /* obv__wants; any thread reads */
    bool is_beneath; /* a `*` stands above it; constant */
    uint8_t end; /* obv__path_end: if it is any, it hangs nowhere; any thread
                        reads */
    /* Of those that an edit has ended. */
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

#endif
