// SPDX-License-Identifier: Apache-2.0

/// What a process is ranked by: smoothed, so that one busy second does not bring it to the top.
struct Weight: Equatable {
    private(set) var cpu = 0.0
    private(set) var memory = 0.0

    mutating func take(cpu: Double, memory: Int) {
        self.cpu = (self.cpu + cpu) / 2
        self.memory = Double(memory)
    }

    /// Percent of a processor, and a share of the memory, that are noise.
    private static let cpuNoise = 1.0
    private static let memoryNoise = 0.02

    /// Not an order: what is within the noise of one another stays as it stands.
    func isClearlyAbove(_ other: Weight) -> Bool {
        if abs(cpu - other.cpu) > Self.cpuNoise { return cpu > other.cpu }
        return memory - other.memory > Self.memoryNoise * other.memory
    }
}

/// The processes from the busiest, then the biggest, then the oldest pid. Those that were ranked
/// before keep their places unless they are clearly above the one before them.
@MainActor
func rank(_ processes: [Process], after before: [Process]) -> [Process] {
    let present = Set(processes.map(ObjectIdentifier.init))
    let known = before.filter { present.contains(ObjectIdentifier($0)) }
    let ranked = Set(known.map(ObjectIdentifier.init))
    let new = processes.filter { !ranked.contains(ObjectIdentifier($0)) }.sorted(by: strictly)
    var ranking: [Process] = []
    for process in known + new {
        var place = ranking.count
        while place > 0, process.weight.isClearlyAbove(ranking[place - 1].weight) {
            place -= 1
        }
        ranking.insert(process, at: place)
    }
    return ranking
}

@MainActor
private func strictly(_ one: Process, _ other: Process) -> Bool {
    (-one.weight.cpu, -one.weight.memory, one.pid, one.start)
        < (-other.weight.cpu, -other.weight.memory, other.pid, other.start)
}
