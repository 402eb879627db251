/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settling: a drain is about to deliver an observation that was scheduled
 * "perhaps". What it follows is brought up to date; where that is another value
 * than before the first invalidation that it was scheduled for, it is called,
 * and so is everybody who waits for the same answer (LL-5).
 */
#ifndef OBV_SETTLING_H
#define OBV_SETTLING_H

#include "model/watcher.h"

/** As `settle` of model/above.h. */
void obv__settle(struct obv__thread *self, struct obv__watcher *observation);

/** As `first_invalid` of model/above.h. */
struct obv__watcher *obv__first_invalid(struct obv__watcher *observation,
                                        bool was_called);

/** Brings up to date what a pair follows, as it begins to be observed. In an
    epoch section. */
void obv__settle_begun(struct obv__thread *self, struct obv__watcher *pair);

#endif
