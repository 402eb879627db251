/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared nodes: one node that many objects of a class have, instead of one
 * each, while the same watchers hang at every one of them and nothing else
 * does: the children of a `*` (wiring/sharers.h).
 *
 * A shared node is that of an object of the library's own, which stands for
 * those that share it: bindings hang there. A setter finds in its lists whom
 * to tell, and needs not to know that they are others' as well.
 *
 * An object comes to a shared node and leaves it by its header word, under the
 * paths lock; there it gets a node of its own as soon as anything is to hang at
 * it alone. A setter may stand in a node that its object has left, so a shared
 * node is kept for the next that need one of the class, and goes with that.
 */
#ifndef OBV_SHARED_NODE_H
#define OBV_SHARED_NODE_H

#include "model/node.h"

struct obv__sharers;

struct obv__shared_node {
    struct obv_object object;      /* stands for those that share it */
    struct obv__shared_node *next; /* of the class, that nobody shares */
    struct obv__sharers *sharers;  /* who share it; NULL: nobody */
    struct obv_detail_node node;   /* last: its slots follow */
};

/** Whether objects of a class can share a node: no code of the program learns
    that one begins to be observed, a node needs not to know its object, and
    nothing is computed, which is each object's own. */
bool obv__class_shares_nodes(const struct obv_class *cls);

/** The shared node that a node is; NULL: it is an object's own. */
static inline struct obv__shared_node *
obv__shared_node(struct obv_detail_node *node)
{
    return node && OBV__UNLIKELY(obv__node_is_shared(node))
               ? (struct obv__shared_node
                      *)(void *)((char *)node -
                                 offsetof(struct obv__shared_node, node))
               : NULL;
}

/** What can be asked in the place of an object which has had this node (NULL:
    none), and may have ended, without a mark where the node is shared: the
    object that stands for those that share it. */
static inline struct obv_object *
obv__shared_stand_in(const struct obv_detail_node *node,
                     struct obv_object *object)
{
    struct obv__shared_node *shared =
        obv__shared_node((struct obv_detail_node *)(uintptr_t)node);
    return shared ? &shared->object : object;
}

/** Nobody shares it any more, nothing hangs there, and no edit stands in it. */
void obv__shared_node_leave(struct obv__shared_node *shared);

/* The paths lock is held. */

/** One that nobody shares yet; NULL: no memory. */
struct obv__shared_node *obv__shared_node_take(struct obv_class *cls);

/** An object without a node shares this one from now on; false: it has got one
    meanwhile, or is at its end. */
bool obv__shared_node_enter(struct obv__shared_node *shared,
                            struct obv_object *object);

/** An object that shares one has none any more. */
void obv__shared_node_exit(struct obv_object *object);

/** Frees those of a class that nobody shares. Nobody else uses the class. */
void obv__shared_nodes_free(struct obv_class *cls);

#endif
