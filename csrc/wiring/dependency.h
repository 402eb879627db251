/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A declared dependency of a computed property: a leaf of a path, in the place
 * of an observation. The path is wired and follows as any other; where its leaf
 * is due the property is marked (invalidation.h), and nobody is called.
 *
 * It is of who evaluates the property, as its other dependencies are, but the
 * end of the path's root takes it out of the path. It holds neither object.
 */
#ifndef OBV_DEPENDENCY_H
#define OBV_DEPENDENCY_H

#include "model/computed.h"
#include "wiring/path_instance.h"

#include <observable/path.h>

/**
 * Makes one, and wires it. In an epoch section, no lock held; the root is kept by
 * the caller.
 *
 * @param made   receives it; NULL where the path leads nowhere, which is told
 *               (OBV_DIAGNOSTIC_UNRESOLVED).
 * @return OBV_OK; OBV_E_MEMORY, OBV_E_ENDED: there is none.
 */
enum obv_status obv__dependency_make(struct obv__thread *self,
                                     struct obv__computed *reader,
                                     struct obv_object *root,
                                     const struct obv_path *path,
                                     struct obv__declared_edge **made);

/** Takes it out of its path, and retires it. In an epoch section, no lock
    held. */
void obv__dependency_end(struct obv_context *context,
                         struct obv__declared_edge *declared);

/** The root of its path; NULL: that has ended. In an epoch section. */
static inline struct obv_object *
obv__dependency_root(const struct obv__declared_edge *declared)
{
    return obv__root(&declared->edge.watcher);
}

/** Tries again what could not be wired on its path for want of memory, if
    anything could not; false: that still is so. In an epoch section, no lock
    held. */
bool obv__dependency_wire_again(struct obv__thread *self,
                                const struct obv__declared_edge *declared);

static inline struct obv__declared_edge *
obv__declared_edge(struct obv__edge *edge)
{
    return (struct obv__declared_edge *)(void *)edge;
}

#endif
