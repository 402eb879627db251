// SPDX-License-Identifier: Apache-2.0

import Readings

/// The format of recordings, which the board in C writes: one word and its fields a line, the name
/// last since it may hold blanks. A `sample` line begins the next moment:
///
///     # a remark
///     sample MILLISECONDS
///     load ONE FIVE FIFTEEN RUNNING TASKS
///     memory TOTAL AVAILABLE
///     interface RECEIVED SENT NAME
///     process PID START STATE THREADS MEMORY CPU NAME
///
/// Units are those of Reading.
enum RecordingText {
    /// All moments of a recording, at least one, in the order of time.
    /// - Parameters:
    ///   - file: its name, for the error.
    ///   - source: what the readings say they come from.
    static func readings(
        _ text: [UInt8], file: String, source: String
    ) throws(ServiceError) -> [Reading] {
        var readings: [Reading] = []
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.first.map(isRemark) == false {
            if let reason = add(line, to: &readings, source: source) {
                throw .broken(file: file, line: index + 1, reason: reason)
            }
        }
        if readings.isEmpty {
            throw .broken(file: file, line: lines.count, reason: "there is no sample in it")
        }
        for index in readings.indices {
            readings[index].processes?.sort { ($0.pid, $0.start) < ($1.pid, $1.start) }
        }
        return readings
    }

    private static func isRemark(_ first: UInt8) -> Bool {
        first == UInt8(ascii: "#")
    }

    /// Takes one line in; else says what is wrong with it.
    private static func add(
        _ line: ArraySlice<UInt8>, to readings: inout [Reading], source: String
    ) -> String? {
        var fields = TextFields(line)
        let word = fields.next().map { String(decoding: $0, as: UTF8.self) }
        if word == "sample" {
            return begin(&fields, &readings, source)
        }
        guard let last = readings.indices.last else {
            return "a recording begins with a sample line"
        }
        let understood =
            switch word {
            case "load": load(&fields, &readings[last])
            case "memory": memory(&fields, &readings[last])
            case "interface": interface(&fields, &readings[last])
            case "process": process(&fields, &readings[last])
            default: false
            }
        return understood ? nil : notUnderstood
    }

    private static let notUnderstood = "this line is not understood"

    /// Times end after two years, so that the passes over a recording can be added up.
    private static let latest = 1 << 36

    private static func begin(
        _ fields: inout TextFields, _ readings: inout [Reading], _ source: String
    ) -> String? {
        guard let time = fields.count(), time <= latest, fields.isAtEnd else {
            return notUnderstood
        }
        if let last = readings.last, time <= last.time {
            return "a sample has to be later than the one before"
        }
        readings.append(Reading(source: source, time: time))
        return nil
    }

    private static func load(_ fields: inout TextFields, _ reading: inout Reading) -> Bool {
        guard let one = fields.decimal(), let five = fields.decimal(),
            let fifteen = fields.decimal(), let running = fields.count(),
            let tasks = fields.count(), fields.isAtEnd
        else {
            return false
        }
        reading.load = Reading.load(
            one: one, five: five, fifteen: fifteen, running: running, tasks: tasks)
        return true
    }

    private static func memory(_ fields: inout TextFields, _ reading: inout Reading) -> Bool {
        guard let total = fields.count(), let available = fields.count(), fields.isAtEnd else {
            return false
        }
        reading.memory = MemoryReading(total: total, available: available)
        return true
    }

    private static func interface(_ fields: inout TextFields, _ reading: inout Reading) -> Bool {
        guard let received = fields.count(), let sent = fields.count(), let name = fields.name()
        else {
            return false
        }
        reading.interfaces = reading.interfaces ?? []
        reading.interfaces?.append(InterfaceReading(name: name, received: received, sent: sent))
        return true
    }

    private static func process(_ fields: inout TextFields, _ reading: inout Reading) -> Bool {
        guard let pid = fields.count(), (1...Int(Int32.max)).contains(pid),
            let start = fields.count(), let state = fields.letter(),
            let threads = fields.count(), let memory = fields.count(), let cpu = fields.count(),
            let name = fields.name()
        else {
            return false
        }
        reading.processes = reading.processes ?? []
        reading.processes?.append(
            ProcessReading(
                pid: pid, start: start, name: name, state: state, threads: threads,
                memory: memory, cpu: cpu))
        return true
    }
}
