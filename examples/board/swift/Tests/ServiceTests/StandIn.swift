// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of a test's own, gone when nobody keeps it.
final class StandIn: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("board-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, with the folders it needs; answers its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    /// A process as /proc shows it: `PID/stat`.
    func writeProcess(_ pid: Int, name: String, pages: Int = 100) throws {
        try write(statLine(pid: pid, name: name, pages: pages), to: "\(pid)/stat")
    }
}

/// What `PID/stat` holds, for a process that began at tick 99 and used 5 + 6 ticks.
func statLine(pid: Int = 7, name: String, pages: Int = 100) -> String {
    "\(pid) (\(name)) S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 3 0 99 1000000 \(pages) 0\n"
}
