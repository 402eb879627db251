/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewires the subtree below a path instance: brings what hangs there in line
 * with what is behind its slot, down to the leaves of all paths: W1 to W7 of
 * the wiring, which is told at the top of wiring.c. Inside an epoch section,
 * with no lock held.
 */
#ifndef OBV_REWIRE_SUBTREE_H
#define OBV_REWIRE_SUBTREE_H

#include "wiring/rewire_pass.h"

/** All that is below a path instance that hangs by `binding` (NULL:
    nowhere). */
void obv__rewire_below(struct obv__path_instance *instance,
                       const struct obv__watcher *binding,
                       struct obv__work_list *work, enum obv__counts counts);

/** Rewires below one child of a path instance. False: the path instance hangs
    elsewhere by now, which is another thread's to bring in line. */
bool obv__rewire_child(struct obv__path_instance *instance,
                       const struct obv__watcher *binding,
                       struct obv__work_list *work, enum obv__counts counts,
                       struct obv__child child);

/** Rewires below the children that the edit of a container has touched. */
void obv__rewire_touched(struct obv__path_instance *instance,
                         const struct obv__watcher *binding,
                         struct obv__work_list *work);

/** When the children of a path instance have been gone through: notes it if
    there was no memory for some. */
void obv__children_end(const struct obv__children *children,
                       struct obv__path_instance *instance,
                       struct obv__work_list *work);

/** All rewire passes of a path instance. Answers false as
    obv__rewire_pass_begin() does; else what is behind the path instance is
    still held. */
bool obv__rewire_run(struct obv__rewire_pass *pass);

/** Before all that is behind a path instance is looked at again: what memory
    was short for there, `of` these (`unwired`), counts as changed, and is
    forgotten until it is found so once more. Answers what it was. */
uint32_t obv__rewire_unwired(struct obv__path_instance *instance,
                             struct obv__work_list *work, uint32_t of);

/** Behind one child of several all is in line: if memory was short for
    something behind the others, they are tried again. */
void obv__rewire_still_unwired(struct obv__path_instance *instance,
                               const struct obv__watcher *binding,
                               struct obv__work_list *work);

#endif
