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
 * obv_loop_pending() does not count it yet; at the end
 * it is scheduled, each observation once, in the order of the first change, and
 * its loops are woken. Nothing is drained by it, and nothing of it is called
 * before: not by a drain of another thread, nor by one inside the batch, which
 * delivers what was scheduled before.
 *
 * Behaviour
 *   - Immediate observations are called inside each set, as ever.
 *   - What is put aside counts as scheduled: both ends are held, and stopping
 *     it is stopping a scheduled call.
 *   - Inside a handler the rule of drains stands: what the handler changes for
 *     itself is dropped and counted; the others are called in this cycle if
 *     they were not yet and the batch ends in it, else in the next one.
 *   - There and back inside a batch is a change, and one call.
 *   - Batches nest; the outermost end schedules.
 *   - No record, and no old and new value, holds some of a batch's changes
 *     without the others: where an observation was scheduled before the batch
 *     and is called while it is open, it is handed what came before, and is
 *     called once more after the end.
 *   - A change by another thread that finds an observation put aside joins its
 *     call, which comes after the batch's end.
 *
 * A batch belongs to its thread, not to a context or a loop.
 */
#ifndef OBSERVABLE_BATCH_H
#define OBSERVABLE_BATCH_H

#include <observable/base.h>

OBV_BEGIN_DECLS

/** A batch: the program's memory, on its stack, from begin to end. Its content
    is the library's. */
struct obv_batch {
    void *OBV_NULLABLE reserved[4];
};

/** Begins a batch of this thread, or one more level of it. */
OBV_API void obv_batch_begin(struct obv_batch *OBV_NONNULL batch);

/**
 * Ends what obv_batch_begin() has begun with the same memory, on the same
 * thread.
 *
 * Callbacks: the loops' `wake`; `release` of what a cancelled token, or a
 *            loop that has ended meanwhile, does not call.
 * Cost:      O(what was put aside).
 */
OBV_API void obv_batch_end(struct obv_batch *OBV_NONNULL batch);

OBV_END_DECLS

#endif
