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

    /// What it is ranked by.
    @Observed private(set) var rank = Rank()

    /// What `cpu` is computed from: processor time until the last reading, in milliseconds.
    var time: Int?
    private var smoothedCPU = 0.0

    /// Process ids are used again: pid and start name a process.
    struct Key: Hashable {
        let pid: Int
        let start: Int
    }
    let key: Key
    var start: Int { key.start }

    init(_ key: Key) {
        self.key = key
        pid = key.pid
    }

    /// Finds its rank, once it has its values.
    func updateRank() {
        smoothedCPU = (smoothedCPU + cpu) / 2
        rank.follow(cpu: smoothedCPU, memory: memory)
    }
}
