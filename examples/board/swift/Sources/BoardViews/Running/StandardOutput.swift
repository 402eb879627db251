// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard output, written to without a buffer behind it.
public enum StandardOutput {
    /// Writes all of it, however often the system has to be asked.
    ///
    /// - Returns: false if nobody reads it any more.
    @discardableResult
    public static func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes {
                Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&descriptor, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
