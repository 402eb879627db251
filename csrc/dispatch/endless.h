/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that call each other without end (DR-15): each cycle of a loop makes
 * the calls of the next one due, and nobody else has a part in it. That is legal
 * and costs one cycle after the other; a thousand of them are reported, with the
 * observations that the last one has called.
 */
#ifndef OBV_ENDLESS_H
#define OBV_ENDLESS_H

#include "dispatch/loop.h"

/* So many cycles in a row. */
#define OBV__ENDLESS_CYCLES 1000

/** The record of one cycle. */
struct obv__endless {
    char text[512]; /* the sentence that is told */
    size_t length;
    char label[64]; /* of the observation that was called last */
    const char *file;
    uint32_t line;
};

/** Whether the cycle that has just begun is the one that is reported. */
static inline bool obv__endless_is_due(const struct obv_loop *loop)
{
    return obv__coalescing_within(&loop->set) == OBV__ENDLESS_CYCLES;
}

/** From now on the loop's calls are written down in `endless`. */
void obv__endless_begin(struct obv_loop *loop, struct obv__endless *endless);

/** An observation was called, and is pinned still. */
void obv__endless_note(struct obv__endless *endless,
                       struct obv__watcher *observation);

/** The cycle is about to end: reports it, unless other threads had a part in it
    after all. */
void obv__endless_end(struct obv_loop *loop);

#endif
