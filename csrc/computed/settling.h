/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settling: a drain is about to deliver an observation that was scheduled
 * "perhaps". The records that it follows are brought up to date. If one of them
 * has another value than before the first invalidation that has scheduled it,
 * the observation is called, and so are all others that wait for this record
 * (LL-5).
 */
#ifndef OBV_SETTLING_H
#define OBV_SETTLING_H

#include "model/computed.h"

/** As `settle` of model/above.h. */
void obv__settle_pair(struct obv__thread *self, struct obv__watcher *pair);

/** A computed property is about to be set: observers that wait are answered
    first, what it declares is read, and its record becomes valid, also if the
    value is an equal one. No lock held. */
void obv__computed_was_set(struct obv_object *object, uint32_t index,
                           bool is_same);

/** Settles the pairs that were added to an observation since `since`: what they
    follow is valid from then on (LL-5). An answer that its other pairs wait for
    stays due, or is given along. */
void obv__settle_added(struct obv__thread *self,
                       struct obv__watcher *observation, uint64_t since);

/** A pair is about to end: what was kept for it to compare with is let go of,
    unless others wait. In an epoch section, no lock held. Any thread. */
void obv__settle_ended(struct obv__thread *self,
                       const struct obv__watcher *pair);

#endif
