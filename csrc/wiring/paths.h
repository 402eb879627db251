/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observed paths of a root, merged by shared prefix: adding one, taking one
 * away, their end.
 */
#ifndef OBV_PATHS_H
#define OBV_PATHS_H

#include "dispatch/work_list.h"

/**
 * Wires a path and hangs `leaf` at its end. Leaves that happen to change on the
 * way are added to `work`. In an epoch section, no lock held.
 *
 * @return OBV_OK; OBV_E_MEMORY or OBV_E_ENDED: nothing is left of it.
 */
enum obv_status obv__wire(struct obv_object *root, const struct obv_path *path,
                          struct obv__watcher *leaf,
                          struct obv__work_list *work);

/** Gives back one reference to a path node, of a path that ends there, or of a
    walk. If nobody needs the node any more, it goes, and so do those above it;
    unless the root has ended, by which all go. Paths lock held. */
void obv__path_node_release_locked(struct obv__path_node *node);

/** Takes a leaf away that hangs at a path node, with the path nodes that nobody
    needs any more, and clears LINKED. Paths lock held. The pair's place becomes
    its root, whose class this answers; NULL: it has ended. */
const struct obv_class *obv__unwire_locked(struct obv__watcher *leaf);

typedef void obv__end_visitor(void *context, struct obv__watcher *leaf);

/** The root of these paths ends: they all end; calls `will_end` for each pair,
    and `did_end` unless another thread has ended it, with no lock held. */
void obv__paths_end(struct obv__paths *paths, obv__end_visitor *will_end,
                    obv__end_visitor *did_end, void *context);

/** Tells the diagnostics hook of a path node, with label and line of the first
    observation that follows it. OBV_DIAGNOSTIC_UNRESOLVED: it is no
    observable property (KP-12); OBV_DIAGNOSTIC_MEMORY: below one of its path
    instances there was none for another. In an epoch section, no lock held. */
void obv__report_path(const struct obv__path_node *node,
                      enum obv_diagnostic_kind kind);

/* Called by the reclaim. */
void obv__path_node_free(struct obv_context *context,
                         struct obv__retired *block);
void obv__paths_free(struct obv_context *context, struct obv__retired *block);

#endif
