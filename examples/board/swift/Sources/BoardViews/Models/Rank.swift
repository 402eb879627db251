// SPDX-License-Identifier: Apache-2.0

/// What a process is ranked by. It follows what the process uses only where that is clearly another
/// value, so that noise moves no row; and smoothed, so that one busy second does not bring it to the
/// top.
struct Rank: Equatable {
    private(set) var cpu = 0.0
    private(set) var memory = 0

    /// Percent of a processor, and a share of the memory, that are noise.
    private static let cpuNoise = 1.0
    private static let memoryNoise = 0.05

    /// Takes what is clearly another value.
    mutating func follow(cpu: Double, memory: Int) {
        if cpu < Self.cpuNoise {
            self.cpu = 0
        } else if abs(cpu - self.cpu) > Self.cpuNoise {
            self.cpu = cpu
        }
        if Double(abs(memory - self.memory)) > Self.memoryNoise * Double(self.memory) {
            self.memory = memory
        }
    }
}

extension Process {
    /// From the busiest, then the biggest, then the oldest pid.
    func isRanked(before other: Process) -> Bool {
        (-rank.cpu, -rank.memory, pid, start)
            < (-other.rank.cpu, -other.rank.memory, other.pid, other.start)
    }
}
