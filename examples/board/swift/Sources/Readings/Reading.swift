// SPDX-License-Identifier: Apache-2.0

/// What a machine looked like at one moment: plain data, observed by nobody. The service's answer
/// to `GET /reading` is one of these as JSON.
public struct Reading: Codable, Equatable, Sendable {
    /// Where it comes from, as the board's first line says it: `/proc, this machine`.
    public var source: String
    /// Milliseconds since the source was opened.
    public var time: Int
    /// What could not be read is nil, and whoever reads this keeps what it knew.
    public var load: [String: Double]?
    public var memory: MemoryReading?
    public var interfaces: [InterfaceReading]?
    /// In the order of pid, then start.
    public var processes: [ProcessReading]?
    /// Processes that ended while they were read.
    public var vanished: Int
    /// Processes whose files are there and cannot be read.
    public var unreadable: Int

    public init(
        source: String, time: Int, load: [String: Double]? = nil, memory: MemoryReading? = nil,
        interfaces: [InterfaceReading]? = nil, processes: [ProcessReading]? = nil,
        vanished: Int = 0, unreadable: Int = 0
    ) {
        self.source = source
        self.time = time
        self.load = load
        self.memory = memory
        self.interfaces = interfaces
        self.processes = processes
        self.vanished = vanished
        self.unreadable = unreadable
    }
}

extension Reading {
    /// What `load` holds: means over 1, 5 and 15 minutes, and the tasks at this moment. The board's
    /// model has properties of the same names, and finds their values by them.
    public static func load(
        one: Double, five: Double, fifteen: Double, running: Int, tasks: Int
    ) -> [String: Double] {
        [
            "one": one, "five": five, "fifteen": fifteen, "running": Double(running),
            "tasks": Double(tasks),
        ]
    }
}

/// In bytes.
public struct MemoryReading: Codable, Equatable, Sendable {
    public var total: Int
    public var available: Int

    public init(total: Int, available: Int) {
        self.total = total
        self.available = available
    }
}

/// A network interface; bytes since it came up.
public struct InterfaceReading: Codable, Equatable, Sendable {
    public var name: String
    public var received: Int
    public var sent: Int

    public init(name: String, received: Int, sent: Int) {
        self.name = name
        self.received = received
        self.sent = sent
    }
}

/// One process. Process ids are used again: pid and start name it.
public struct ProcessReading: Codable, Equatable, Sendable {
    public var pid: Int
    /// When it began, in clock ticks since the machine's start.
    public var start: Int
    /// What it calls itself, control characters replaced.
    public var name: String
    /// The system's letter: R, S, D, Z, T, I.
    public var state: String
    public var threads: Int
    /// Resident, in bytes.
    public var memory: Int
    /// Processor time since its start, in milliseconds.
    public var cpu: Int

    public init(
        pid: Int, start: Int, name: String, state: String, threads: Int, memory: Int, cpu: Int
    ) {
        self.pid = pid
        self.start = start
        self.name = name
        self.state = state
        self.threads = threads
        self.memory = memory
        self.cpu = cpu
    }
}
