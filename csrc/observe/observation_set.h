/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of observations, each once: for counts, and for finding those whose
 * observer died without stopping (LT-3). Everything here is called inside an
 * epoch section, with no lock held.
 */
#ifndef OBV_OBSERVATION_SET_H
#define OBV_OBSERVATION_SET_H

#include "model/context.h"
#include "model/watcher.h"

/** A set of observations, in an array which is put in order at the end; empty
    with its context alone. Observations that find no memory count, perhaps
    twice. */
struct obv__observation_set {
    struct obv_context *context;
    const struct obv_object *at; /* whose lists are added */
    size_t count, capacity, lost;
    struct obv__watcher **items;
};

/** Adds the observations of a list of the object, and of the paths that lead
    through it there. NULL: none. */
void obv__observation_set_add_list(struct obv__observation_set *set,
                                   const uintptr_t *head);

/** Ends the observations of a set whose observer is gone, and returns how many
    others there are. That is the end of the set. */
size_t obv__observation_set_count_living(struct obv__observation_set *set);

/** Ends the observations rooted at an object whose observer is gone. */
void obv__end_dead_observers(struct obv_object *root);

#endif
