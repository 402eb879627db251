/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left in a context: the observations that have begun and whose memory
 * has not gone, in a build that checks for misuses.
 */
#ifndef OBV_LEFT_H
#define OBV_LEFT_H

#include "model/watcher.h"
#include "path/path.h"

#include <observable/debug.h>

/** Tells of a context that will not end what is left in it. No lock held. */
void obv__tell_left(struct obv_context *context);

/** Fills in what an observation says of itself. It is pinned, and an epoch
    section entered. */
void obv__fill_entry(struct obv_observer_entry *entry,
                     struct obv__watcher *observation);

/** Fills in what a pair says of itself at its place, and its path; none, if it
    has none. The lock is held that the end of the root takes before it is over,
    or the root lives. */
void obv__fill_pair(struct obv_observer_entry *entry, struct obv__watcher *pair,
                    uintptr_t place, struct obv__printable *path);

#endif
