// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Readings

/// Carries readings into the models, one property after the other. It knows nothing of views:
/// setting properties is all it does, each of them counted.
@MainActor final class Loader {
    let machine: Machine
    let tally: Tally

    private var interfaces: [String: Interface] = [:]
    /// When the reading before was taken, in milliseconds.
    private var time: Int?

    init(_ machine: Machine, counting tally: Tally) {
        self.machine = machine
        self.tally = tally
    }

    /// Sets every property that the reading tells. The parts that it lacks keep what they had.
    func apply(_ reading: Reading) {
        let passed = time.map { reading.time - $0 }
        time = reading.time
        tally.set(machine, \.source, "source", to: reading.source)
        if let load = reading.load { apply(load) }
        if let memory = reading.memory { apply(memory) }
        if let interfaces = reading.interfaces { apply(interfaces, passed) }
        if let processes = reading.processes { apply(processes, passed) }
        tally.set(machine, \.vanished, "vanished", to: reading.vanished)
        tally.set(machine, \.unreadable, "unreadable", to: reading.unreadable)
        tally.set(machine, \.missing, "missing", to: reading.missing)
        tally.set(machine.service, \.trouble, "trouble", to: nil)
        tally.set(machine.service, \.attempts, "attempts", to: 0)
    }

    /// No reading came: the last values stand.
    func note(_ trouble: Trouble) {
        tally.set(machine.service, \.trouble, "trouble", to: trouble)
        tally.set(machine.service, \.attempts, "attempts", to: machine.service.attempts + 1)
    }

    private func apply(_ answer: [String: Double]) {
        let load = machine.load ?? Load()
        tally.set(machine, \.load, "load", to: load)
        tally.set(load, \.answer, "answer", to: answer)
    }

    private func apply(_ reading: MemoryReading) {
        let memory = machine.memory ?? Memory()
        tally.set(machine, \.memory, "memory", to: memory)
        tally.set(memory, \.total, "total", to: reading.total)
        tally.set(memory, \.available, "available", to: reading.available)
    }
}

// MARK: Network

extension Loader {
    private func apply(_ readings: [InterfaceReading], _ passed: Int?) {
        for reading in readings {
            let known = interfaces[reading.name]
            let interface = known ?? Interface(name: reading.name)
            interfaces[reading.name] = interface
            if known != nil {
                let received = perSecond(reading.received - interface.received, passed)
                let sent = perSecond(reading.sent - interface.sent, passed)
                tally.set(interface, \.receivedRate, "receivedRate", to: received)
                tally.set(interface, \.sentRate, "sentRate", to: sent)
            }
            tally.set(interface, \.received, "received", to: reading.received)
            tally.set(interface, \.sent, "sent", to: reading.sent)
        }
        let uplink = interfaces.values
            .filter { $0.name != "lo" && $0.carried > 0 }
            .max { ($0.carried, $1.name) < ($1.carried, $0.name) }
        tally.set(machine, \.uplink, "uplink", to: uplink)
    }

    private func perSecond(_ bytes: Int, _ passed: Int?) -> Int {
        guard let passed, passed > 0, bytes > 0 else { return 0 }
        return Int(Double(bytes) * 1000 / Double(passed))
    }
}

extension Interface {
    fileprivate var carried: Int { received.addingReportingOverflow(sent).partialValue }
}

// MARK: Processes

extension Loader {
    private func apply(_ readings: [ProcessReading], _ passed: Int?) {
        var present: Set<Process.Key> = []
        var new: [Process] = []
        for reading in readings {
            let key = Process.Key(pid: reading.pid, start: reading.start)
            let known = machine.processes[key]
            let process = known ?? Process(key)
            apply(reading, to: process, passed)
            present.insert(key)
            if known == nil { new.append(process) }
        }
        machine.processes.removeAll { !present.contains($0.key) }
        machine.processList.removeAll { !present.contains($0.key) }
        machine.processes.merge(new.map { ($0.key, $0) }) { $1 }
        machine.processList.append(contentsOf: new)
        findExtremes()
    }

    private func apply(_ reading: ProcessReading, to process: Process, _ passed: Int?) {
        let cpu = percent(reading.cpu, of: process, passed)
        tally.set(process, \.name, "name", to: reading.name)
        tally.set(process, \.state, "state", to: reading.state)
        tally.set(process, \.threads, "threads", to: reading.threads)
        tally.set(process, \.memory, "memory", to: reading.memory)
        tally.set(process, \.cpu, "cpu", to: cpu)
        process.time = reading.cpu
        process.updateRank()
    }

    /// Of one processor since the reading before; 0 where there is none to compare with.
    private func percent(_ time: Int, of process: Process, _ passed: Int?) -> Double {
        guard let before = process.time, let passed, passed > 0, time >= before else { return 0 }
        return 100 * Double(time - before) / Double(passed)
    }

    /// Before any view is called: a change that a block would find afterwards came too late for it.
    private func findExtremes() {
        let all = machine.processList
        let biggest = all.max { ($0.memory, $1.pid) < ($1.memory, $0.pid) }
        let busiest = all.lazy.filter { $0.cpu > 0 }.max { ($0.cpu, $1.pid) < ($1.cpu, $0.pid) }
        tally.set(machine, \.biggest, "biggest", to: biggest)
        tally.set(machine, \.busiest, "busiest", to: busiest)
    }
}
