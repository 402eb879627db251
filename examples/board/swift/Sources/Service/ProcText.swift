// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

/// What the kernel counts in.
struct ProcUnits: Sendable {
    /// Bytes of a page of memory.
    var page = sysconf(Int32(_SC_PAGESIZE))
    /// Clock ticks of a second.
    var ticks = sysconf(Int32(_SC_CLK_TCK))
}

/// The formats of /proc, as proc(5) tells them. Each function takes a whole file and answers nil
/// where it is not what it should be.
enum ProcText {
    /// `loadavg`: `0.37 0.24 0.13 1/106 4711`.
    static func load(_ text: [UInt8]) -> [String: Double]? {
        var fields = TextFields(firstLine(text))
        guard let one = fields.decimal(), let five = fields.decimal(),
            let fifteen = fields.decimal(), let tasks = fields.next(),
            let slash = tasks.firstIndex(of: UInt8(ascii: "/")),
            let running = parseCount(tasks[..<slash]),
            let all = parseCount(tasks[(slash + 1)...])
        else {
            return nil
        }
        return Reading.load(one: one, five: five, fifteen: fifteen, running: running, tasks: all)
    }

    /// `meminfo`. Old kernels do not say what is available; what is free has to do there.
    static func memory(_ text: [UInt8]) -> MemoryReading? {
        var values: [String: Int] = [:]
        for line in lines(text) {
            var fields = TextFields(line)
            guard let label = fields.next(), label.starts(with: "Mem".utf8) else {
                continue
            }
            values[String(decoding: label, as: UTF8.self)] = fields.count().flatMap {
                product($0, 1024)
            }
        }
        guard let total = values["MemTotal:"],
            let available = values["MemAvailable:"] ?? values["MemFree:"]
        else {
            return nil
        }
        return MemoryReading(total: total, available: available)
    }

    /// `net/dev`. Every machine has an interface, `lo` at least: none means that nothing was
    /// understood.
    static func interfaces(_ text: [UInt8]) -> [InterfaceReading]? {
        let found = lines(text).compactMap { interface($0) }
        return found.isEmpty ? nil : found
    }

    /// One line of it: the name, a colon, eight counters in, eight out.
    private static func interface(_ line: ArraySlice<UInt8>) -> InterfaceReading? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        var fields = TextFields(line[(colon + 1)...])
        let received = fields.count()
        fields.skip(7)
        guard let received, let sent = fields.count() else {
            return nil
        }
        let name = line[..<colon].drop { $0 == UInt8(ascii: " ") }
        return InterfaceReading(name: harmlessName(name), received: received, sent: sent)
    }

    /// `PID/stat`. The name stands in brackets and may hold blanks and brackets itself: it ends at
    /// the last one.
    static func process(_ text: [UInt8], pid: Int, units: ProcUnits) -> ProcessReading? {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")),
            let close = text.lastIndex(of: UInt8(ascii: ")")), open < close
        else {
            return nil
        }
        var fields = TextFields(firstLine(text[(close + 1)...]))
        let state = fields.letter()
        fields.skip(10)
        let user = fields.count()
        let system = fields.count()
        fields.skip(4)
        let threads = fields.count()
        fields.skip(1)
        let start = fields.count()
        fields.skip(1)
        guard let state, let user, let system, let threads, let start,
            let memory = fields.count().flatMap({ product($0, units.page) }),
            let cpu = product(sum(user, system), 1000)
        else {
            return nil
        }
        return ProcessReading(
            pid: pid, start: start, name: harmlessName(text[(open + 1)..<close]), state: state,
            threads: threads, memory: memory, cpu: cpu / units.ticks)
    }

    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split(separator: UInt8(ascii: "\n"))
    }

    private static func firstLine(_ text: some Collection<UInt8>) -> ArraySlice<UInt8> {
        Array(text.prefix { $0 != UInt8(ascii: "\n") })[...]
    }

    /// Nil where the result does not fit: a file says what it likes.
    private static func product(_ left: Int?, _ right: Int) -> Int? {
        guard let (value, overflow) = left?.multipliedReportingOverflow(by: right), !overflow else {
            return nil
        }
        return value
    }

    private static func sum(_ left: Int, _ right: Int) -> Int? {
        let (value, overflow) = left.addingReportingOverflow(right)
        return overflow ? nil : value
    }
}
