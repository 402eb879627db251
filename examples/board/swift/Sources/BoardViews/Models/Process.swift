// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A process of the machine.
@MainActor final class Process: CountedModel, Sendable {
    let pid: Int
    @Observed var name = ""
    /// The system's letter: R, S, D, Z, T, I.
    @Observed var state = ""
    @Observed var threads = 0
    /// Resident, in bytes.
    @Observed var memory = 0
    /// Percent of one processor since the reading before.
    @Observed var cpu = 0.0

    /// Process ids are used again: pid and start name a process.
    let start: Int
    /// What `cpu` is computed from: processor time until the last reading, in milliseconds.
    var time: Int?
    /// What it is ranked by.
    var weight = Weight()

    init(pid: Int, start: Int) {
        self.pid = pid
        self.start = start
    }
}
