/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of observations, each once: for counts, and for finding those whose
 * observer died without stopping (LT-3). Everything here is called inside an
 * epoch section, with no lock held.
 */
#ifndef OBV_CENSUS_H
#define OBV_CENSUS_H

#include "model/context.h"
#include "model/watcher.h"

/** An open table. Where memory is short it counts on, then perhaps the same
    observation twice. */
struct obv__census {
    struct obv_context *context;
    size_t count, capacity;
    struct obv__watcher **table;
};

void obv__census_init(struct obv__census *census, struct obv_context *context);
void obv__census_deinit(struct obv__census *census);

/** Adds the observations of a list of an object, and of the paths that lead
    through it there. NULL: none. */
void obv__census_add_list(struct obv__census *census, const uintptr_t *head);

/** Ends those whose observer is gone; answers how many they were. */
size_t obv__census_end_the_gone(struct obv__census *census);

/** Ends the observations rooted at an object whose observer is gone. */
void obv__end_of_the_gone(struct obv_object *root);

#endif
