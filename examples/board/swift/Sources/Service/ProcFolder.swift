// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that is /proc or stands in for it, while it is read.
struct ProcFolder: ~Copyable {
    #if canImport(Darwin)
        private let stream: UnsafeMutablePointer<DIR>
    #else
        private let stream: OpaquePointer
    #endif

    init(_ path: String) throws(SystemError) {
        guard let stream = opendir(path) else {
            throw .last
        }
        self.stream = stream
    }

    deinit {
        closedir(stream)
    }

    /// A file below the folder. A pipe that somebody laid there is not waited for.
    func bytes(of path: String) throws(SystemError) -> [UInt8] {
        try readBytes(of: path, in: dirfd(stream), flags: O_NONBLOCK)
    }

    /// The numbers among the folder's entries, in no order.
    func processIDs() -> [Int] {
        var found: [Int] = []
        while let entry = readdir(stream) {
            if let pid = Self.processID(entry) {
                found.append(pid)
            }
        }
        return found
    }

    /// Reads the name where it lies: an entry may be shorter than its type says.
    private static func processID(_ entry: UnsafeMutablePointer<dirent>) -> Int? {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
        let name = UnsafeRawPointer(entry).advanced(by: offset)
            .assumingMemoryBound(to: CChar.self)
        guard (49...57).contains(name[0]), let pid = Int32(String(cString: name)) else {
            return nil
        }
        return Int(pid)
    }
}
