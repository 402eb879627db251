/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths of an observation that lead nowhere, since the root's class has not
 * their first element (KP-12): listed until their pair ends, and reported once.
 *
 * Everything here is called with no lock held.
 */
#ifndef OBV_UNRESOLVED_H
#define OBV_UNRESOLVED_H

#include "model/watcher.h"

#include <observable/path.h>

/** Lists a path of a member, or of a class-level observation itself; false: no
    memory. */
bool obv__unresolved_add(struct obv__group *group,
                         const struct obv__watcher *member,
                         const struct obv_path *path);

/** What was listed of a member, or of the observation itself, is no more. */
void obv__unresolved_forget(struct obv__group *group,
                            const struct obv__watcher *member);

/** A reference of a path that was not reported yet, which it is with this;
    NULL: none is left. */
struct obv_path *obv__unresolved_unreported(struct obv__watcher *observation);

/** A reference of the path of a pair, if that leads nowhere; else NULL. */
struct obv_path *obv__unresolved_of(const struct obv__watcher *pair);

/** A reference of the `*index`-th; NULL: there are fewer, by whose number
    `*index` has become less. */
struct obv_path *obv__unresolved_at(struct obv__watcher *observation,
                                    size_t *index);

#endif
