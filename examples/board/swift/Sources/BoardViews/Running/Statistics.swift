// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What the run amounted to so far.
@MainActor public final class Statistics {
    /// Counts what the loader sets, and the program.
    public let tally = Tally()
    /// Readings that came.
    private(set) var samples = 0
    /// The longest drain, with what its views did.
    private(set) var slowest = Duration.zero
    /// Blocks that were called inside a change.
    var immediate = 0
    /// What the program beside the board said at its end.
    public internal(set) var linesOfCompanion: [String] = []

    /// Delayed blocks that the library called.
    var called: Int { ObservationCounters.current.called }
    /// Calls of delayed blocks that would have been made without coalescing.
    var due: Int { max(tally.due - immediate, 0) }
    var ratio: Double { called > 0 ? Double(due) / Double(called) : 0 }
    var slowestMicroseconds: Int { Int(slowest / .microseconds(1)) }

    func countSample() {
        samples += 1
    }

    func measure(_ drain: () -> Void) {
        slowest = max(slowest, ContinuousClock().measure(drain))
    }

    /// The lines that close a run, as the C program prints them.
    public var lines: [String] {
        [
            "samples            \(samples)",
            "properties set     \(tally.sets)",
            "real changes       \(tally.changes), compared before each set; "
                + "\(tally.observed) of observed properties",
            "blocks called      \(called) delayed, \(immediate) immediate",
            "coalescing ratio   \(decimals(ratio, 2)), for \(due) delayed calls were due",
            "slowest drain      \(slowestMicroseconds) us, what the views do included",
        ]
    }
}
