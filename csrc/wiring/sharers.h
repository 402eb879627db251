/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects behind a `*` that share a node (model/shared_node.h).
 *
 *     root.*.i, with root.a = X, root.b = Y, of one class
 *
 *     node *    own instance    --->   root: told of every edit
 *     node i    one instance    --->   the node that X and Y share: slot i
 *
 * Where nothing is below the children of a `*` but ends of paths, and these
 * want to know no more than that something has changed, one child is to them
 * as another. So those of one class share a node, in which each path node below
 * the `*` has one path instance, and a child costs an entry of a table: by its
 * key, to find who is to go when another comes there, and by its address, to
 * find that entry at its end.
 *
 * A child *parts* from the others as soon as anything is to hang at it alone,
 * and all of them do when a path goes on below them, or an end wants more: then
 * it has a node and path instances as it would have had without this.
 *
 * Everything here is under the paths lock, where nothing else is said.
 */
#ifndef OBV_SHARERS_H
#define OBV_SHARERS_H

#include "wiring/rewire_pass.h"

/** A path has been added to the trie, which `leaf` is to end: those that share
    nodes on its way share them with it as well, or part. False: no memory. No
    lock held, in an epoch section. */
bool obv__sharers_admit(struct obv__path_node *last, struct obv__watcher *leaf);

/** A path instance of a `*` is to be forgotten: what was shared behind it is no
    more. False: some share still. */
bool obv__sharers_end(struct obv__path_instance *any);

/** A path node below a `*` goes. */
void obv__sharers_forget_node(struct obv__path_node *node);

/** W1 to W5 of all children of a `*`, which hangs by `binding`: each shares a node
    from now on; false: some do not, or not yet. In an epoch section, no lock
    held. */
bool obv__sharers_fill(struct obv__path_instance *any,
                       const struct obv__watcher *binding);

/** Whether a child of a `*` shares a node. */
enum obv__sharing {
    OBV__SHARES_NOT, /* it is a child as any other */
    OBV__SHARES,     /* from now on, or as before */
    /* The one before did, and has gone: `moved` says from where; who comes is yet
       to be bound. */
    OBV__SHARED
};

/** W4 of a child of a `*`, as far as nodes are shared. */
enum obv__sharing obv__sharers_move(struct obv__rewire_pass *pass);

/** An object gets a node of its own, with all that hangs at the one that it
    shares, if it does; false: no memory. */
bool obv__sharers_part_one(struct obv_object *object);

/** The same of an object that mostly shares none. */
static inline bool obv__sharers_part_if_shared(struct obv_object *object)
{
    struct obv_detail_node *node = obv__node(object);
    return !node || !OBV__UNLIKELY(obv__node_is_shared(node)) ||
           obv__sharers_part_one(object);
}

/** The same as the first. No lock held. */
bool obv__sharer_part(struct obv_object *object);

/** An object that may share a node is at its end: it does no more, and what is told
    is added to `work`. No lock held, in an epoch section. */
void obv__sharer_ends(struct obv_object *object, struct obv__work_list *work);

/** The object at which a path node hangs below a path instance, by a key; NULL:
    at none. */
struct obv_object *obv__hangs_below(struct obv__path_instance *instance,
                                    struct obv__path_node *node, uint32_t key);

/** A key of some child that shares a node which `children` does not have, from
    the place `from` in a table on; 0: there is none. */
uint32_t obv__sharers_stale_key(const struct obv__path_instance *any,
                                const struct obv__children *children,
                                size_t *from);

/* Called by the reclaim. */
void obv__sharers_free(struct obv_context *context, struct obv__retired *block);

#endif
