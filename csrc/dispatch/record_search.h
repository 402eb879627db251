/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for the records of computed properties that a pair follows, along
 * its path as it is wired. In an epoch section, no lock held.
 */
#ifndef OBV_RECORD_SEARCH_H
#define OBV_RECORD_SEARCH_H

#include "base/reclaim.h"
#include "model/watcher.h"

#include <observable/path.h>

/** A search, and what it is for. */
struct obv__record_search {
    struct obv__thread *self;
    bool only_asks; /* finds nothing, but answers `is_due` */
    bool only_kept; /* finds records that keep a value for observations that
                       wait; any thread */
    bool is_due;    /* with `only_asks`: a record is due again */
    bool is_of_end; /* a pair is about to end */
    /* The registration epoch since which pairs were added, that do not wait as
       older ones do; 0: none was. */
    uint64_t added_since;
    struct obv_object *object; /* found */
    uint32_t slot;
    size_t count; /* of the records in `seen` */
    const struct obv_object *seen[OBV_PATH_COUNT_MAX];
    uint32_t seen_slots[OBV_PATH_COUNT_MAX];
};

void obv__record_search_begin(struct obv__record_search *search,
                              struct obv__thread *self);

/** Whether a pair follows a record that the search is for: then `object` and
    `slot` say which, and the thread's hazard pointer keeps the object. */
bool obv__record_search_find(struct obv__record_search *search,
                             const struct obv__watcher *pair);

/** Whether a pair follows a computed property that its drain would ask for;
    `is_of_end`: it is about to end, so also if the function runs. In an epoch
    section, no lock held. */
bool obv__follows_invalid(struct obv__thread *self,
                          const struct obv__watcher *pair, bool is_of_end);

/** The first pair of an observation for which obv__follows_invalid() is true: a
    drain has something to ask for; or NULL. */
struct obv__watcher *obv__first_invalid(struct obv__watcher *observation);

#endif
