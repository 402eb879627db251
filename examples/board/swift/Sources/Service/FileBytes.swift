// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A system call's `errno`, with the system's words for it.
struct SystemError: Error, Equatable, CustomStringConvertible {
    let code: Int32

    /// Of the call that failed just now.
    static var last: SystemError { SystemError(code: errno) }

    var description: String { String(cString: strerror(code)) }
}

/// Reads a file to its end. Files below /proc say that their size is 0, so nobody asks for it; most
/// come by one `read`, which is what makes their lines belong together.
/// - Parameters:
///   - folder: an open folder's descriptor, from which a relative path starts.
///   - flags: further ones for `openat`.
///   - limit: a file that has more bytes than about this is refused.
func readBytes(
    of path: String, in folder: Int32 = AT_FDCWD, flags: Int32 = 0, limit: Int = 1 << 20
) throws(SystemError) -> [UInt8] {
    let file = openat(folder, path, O_RDONLY | O_CLOEXEC | flags)
    if file < 0 {
        throw .last
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    var length = 0
    while true {
        let got = bytes.withUnsafeMutableBytes {
            read(file, $0.baseAddress! + length, $0.count - length)
        }
        if got > 0 {
            length += got
        } else if got == 0 {
            bytes.removeLast(bytes.count - length)
            return bytes
        } else if errno != EINTR {
            throw .last
        }
        if length > limit {
            throw SystemError(code: EFBIG)
        }
        if length == bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: length))
        }
    }
}
