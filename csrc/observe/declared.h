/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths by the declared types: obv_validate(), which fails; and, where the
 * context asks for it (obv_check_paths()), telling of text paths that can lead
 * nowhere as they begin to be observed, which are accepted all the same
 * (KP-12).
 *
 * Certain is only what no object can change: a value in the middle, an element
 * that no object has. A property that the declared class lacks may be a
 * subclass's: it is told, in other words, unless a subclass is known that has it.
 * Behind a `*`, and behind a property that may hold any object, nothing is said.
 */
#ifndef OBV_DECLARED_H
#define OBV_DECLARED_H

#include "model/watcher.h"

/** Tells the diagnostics hook if the path, from an object of the class, can
    lead nowhere: of an observation, or if that is yet to be made (NULL) of its
    kind. No lock held; allocates nothing of the core's. */
void obv__check_declared(const struct obv_class *cls,
                         const struct obv_path *path,
                         struct obv__watcher *observation,
                         const struct obv_handler_kind *kind);

#endif
