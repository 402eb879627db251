// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Reads without depending: what `body` reads is no dependency of the computed property, nor of the
/// block, that calls this.
///
///     @Computed var label: String { "\(name), \(untracked { visits }) visits" }
///
/// What is computed meanwhile has its own dependencies.
///
/// - Parameter body: runs now, on this thread.
/// - Returns: what `body` returns.
///
/// Threads: that of what it reads. Cost: two calls.
public func untracked<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    var hidden = obv_detail_hidden()
    return try withUnsafeMutablePointer(to: &hidden) { hidden throws(Failure) in
        obv_detail_untracked_begin(hidden)
        defer { obv_detail_untracked_end(hidden) }
        return try body()
    }
}
