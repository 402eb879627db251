// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Changes that are told of together: what they make due is scheduled at the end, each observation
/// once, in the order of the first change.
///
///     withObservationBatch {
///         user.name = "Ada"
///         user.address = home
///     }
///
/// Nothing is called by it: a batch schedules, a drain calls. The end schedules what the batch has
/// changed, whoever was called meanwhile; changes by other threads do not wait for it. Immediate
/// observations are called inside each change, as ever. What is due is held as if
/// it were scheduled already, and stopping it is stopping a scheduled call, but
/// ``DeliveryLoop/pendingCount`` does not count it before the end. Batches nest; the outermost end
/// schedules. A drain inside delivers what was scheduled otherwise.
///
/// Where the main loop drains by itself a batch changes little, since it does so between two turns;
/// it matters where other threads drain.
///
/// - Parameter body: runs now, on this thread; a batch is its thread's, so it is synchronous.
/// - Returns: what `body` returns.
///
/// Threads: any. Cost: 64 bytes for each observation that is due; at the end O(what is due).
public func withObservationBatch<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    var batch = obv_batch()
    return try withUnsafeMutablePointer(to: &batch) { batch throws(Failure) in
        obv_batch_begin(batch)
        defer { obv_batch_end(batch) }
        return try body()
    }
}
