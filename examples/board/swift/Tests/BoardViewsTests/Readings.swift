// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Readings

@testable import BoardViews

// Readings to load, and what is read of the models afterwards.

func process(
    _ pid: Int, start: Int = 1, _ name: String = "a", state: String = "S", threads: Int = 1,
    memory: Int = 100, cpu: Int = 0
) -> ProcessReading {
    ProcessReading(
        pid: pid, start: start, name: name, state: state, threads: threads, memory: memory,
        cpu: cpu)
}

func reading(at time: Int, _ processes: ProcessReading...) -> Reading {
    Reading(
        source: "a test", time: time,
        load: Reading.load(one: 1, five: 0.5, fifteen: 0.25, running: 1, tasks: 90),
        memory: MemoryReading(total: 1 << 30, available: 1 << 29),
        interfaces: [
            InterfaceReading(name: "lo", received: 9000, sent: 9000),
            InterfaceReading(name: "eth0", received: 1024, sent: 2048),
        ],
        processes: processes)
}

/// A machine and its loader; nothing is known yet.
@MainActor struct Loaded {
    let machine = Machine()
    let tally = Tally()
    let loader: Loader

    init() {
        loader = Loader(machine, counting: tally)
    }

    func apply(_ reading: Reading) {
        loader.apply(reading)
        DeliveryLoop.main.drain()
    }

    func note(_ trouble: Trouble) {
        loader.note(trouble)
        DeliveryLoop.main.drain()
    }

    var ranked: [Int] { machine.ranking.map(\.pid) }
}
