// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

/// This machine, read from a folder such as /proc: `loadavg`, `meminfo`, `net/dev` and each
/// `PID/stat`. What cannot be read is missing from the reading, and the next one tries it again:
/// reading never fails for good. Costs a few system calls for each process; nothing in it waits.
struct ProcSource: ReadingSource {
    let title: String
    private let folder: String
    private let units = ProcUnits()
    private let opened = ContinuousClock.now

    /// - Throws: why the folder cannot be read, or that it shows no process.
    init(folder path: String) throws {
        title = "\(path), this machine"
        folder = path
        var reading = Reading(source: title, time: 0)
        readProcesses(of: try ProcFolder(path), into: &reading)
        if reading.processes == nil {
            throw NoProcess()
        }
    }

    func read() async -> Reading {
        var reading = Reading(source: title, time: milliseconds(since: opened))
        guard let open = try? ProcFolder(folder) else {
            return reading
        }
        reading.load = (try? open.bytes(of: "loadavg")).flatMap(ProcText.load)
        reading.memory = (try? open.bytes(of: "meminfo")).flatMap(ProcText.memory)
        reading.interfaces = (try? open.bytes(of: "net/dev")).flatMap(ProcText.interfaces)
        readProcesses(of: open, into: &reading)
        return reading
    }

    private func readProcesses(of open: borrowing ProcFolder, into reading: inout Reading) {
        var found: [ProcessReading] = []
        for pid in open.processIDs() {
            do {
                let text = try open.bytes(of: "\(pid)/stat")
                if let process = ProcText.process(text, pid: pid, units: units) {
                    found.append(process)
                } else {
                    reading.unreadable += 1
                }
            } catch {
                let gone = error.code == ENOENT || error.code == ESRCH
                reading.vanished += gone ? 1 : 0
                reading.unreadable += gone ? 0 : 1
            }
        }
        found.sort { ($0.pid, $0.start) < ($1.pid, $1.start) }
        reading.processes = found.isEmpty ? nil : found
    }

    private func milliseconds(since begin: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - begin) / .milliseconds(1))
    }
}

/// A folder in which no process can be read.
private struct NoProcess: Error, CustomStringConvertible {
    var description: String { "it shows no process" }
}
