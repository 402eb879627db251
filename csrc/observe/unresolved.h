/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths of an observation that lead nowhere, since the root's class has not
 * their first element (KP-12): listed until their pair ends, and reported once.
 * Such a pair knows its path, as the observation of a class does.
 *
 * Everything here is called in an epoch section, with no lock held; a path is
 * there for as long.
 */
#ifndef OBV_UNRESOLVED_H
#define OBV_UNRESOLVED_H

#include "model/watcher.h"

/** The path of a pair, or of a class-level observation, if that leads nowhere;
    else NULL. */
const struct obv_path *obv__unresolved_of(struct obv__watcher *pair);

/** The `*index`-th; NULL: there are fewer, by whose number `*index` has become
    less. */
const struct obv_path *obv__unresolved_at(struct obv__watcher *observation,
                                          size_t *index);

/** Tells diagnostics of one: once all is registered, since a call that fails has
    told nobody anything. */
void obv__unresolved_report(struct obv__watcher *observation,
                            const struct obv_class *cls,
                            const struct obv_path *path);

#endif
