/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches: "schedule later".
 *
 *     struct obv_batch batch;
 *     obv_batch_begin(&batch);
 *     ... any number of sets ...
 *     obv_batch_end(&batch);
 *
 * Between the two, what this thread's changes make due is put aside, and
 * obv_loop_pending() does not count it yet. At the end it is scheduled, each
 * observation once, in the order of the first change, and its loops are woken.
 * Nothing is drained by it. A drain inside the batch, or on another thread,
 * delivers what was scheduled otherwise; the end schedules what the batch has
 * changed, whoever was called meanwhile.
 *
 * Behaviour
 *   - Immediate observations are called inside each set, as ever.
 *   - A call put aside counts as scheduled: both ends are held, and stopping it
 *     is stopping a scheduled call.
 *   - Inside a handler the rule of drains stands: what the handler changes for
 *     itself is dropped and counted; the others are called in this cycle if
 *     they were not yet and the batch ends in it, else in the next one.
 *   - There and back inside a batch is a change, and one call.
 *   - Batches nest; the outermost end schedules.
 *   - No record, and no old and new value, holds some of a batch's changes
 *     without the others: where an observation is called while the batch is
 *     open, it is handed what came otherwise, and the rest after the end.
 *   - Changes by other threads wait for no batch of this one.
 *
 * A batch belongs to its thread, not to a context or a loop. It is over before its
 * context is destroyed.
 */
#ifndef OBSERVABLE_BATCH_H
#define OBSERVABLE_BATCH_H

#include <observable/base.h>

OBV_BEGIN_DECLS

/** A batch: the program's memory, on its stack, from begin to end. Its content
    is the library's. */
struct obv_batch {
    void *OBV_NULLABLE reserved[13];
};

/**
 * Begins a batch of this thread, or one more level of it.
 *
 * Cost: some atomic operations. Inside, the first change for an observation
 *       allocates some 80 bytes (without memory it is scheduled at once); while a
 *       batch is open on any thread, sets of what is pending already cost as
 *       much as other sets.
 */
OBV_API void obv_batch_begin(struct obv_batch *OBV_NONNULL batch);

/**
 * Ends what obv_batch_begin() has begun with the same memory, on the same
 * thread.
 *
 * Callbacks: the loops' `wake`; `release` of what a loop that has ended
 *            meanwhile does not call, or is scheduled already.
 * Cost:      O(what was put aside).
 */
OBV_API void obv_batch_end(struct obv_batch *OBV_NONNULL batch);

OBV_END_DECLS

#endif
