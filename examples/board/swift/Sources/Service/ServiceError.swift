// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What can go wrong for good. Each description is one line for a person to read, without the
/// program's name.
public enum ServiceError: Error, Equatable {
    /// Another program listens at this port.
    case portTaken(UInt16)
    /// 127.0.0.1 is not there: a network namespace whose `lo` is down.
    case noLoopback
    /// The system refuses for another reason.
    case cannotListen(port: UInt16, reason: String)
    /// A file cannot be opened or read.
    case unreadable(file: String, reason: String)
    /// A recording has a line that makes no sense; the first line is 1.
    case broken(file: String, line: Int, reason: String)
}

extension ServiceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .portTaken(let port): "port \(port) is taken"
        case .noLoopback: "this system has no loopback network: 127.0.0.1 cannot be used"
        case .cannotListen(let port, let reason): "cannot listen at port \(port): \(reason)"
        case .unreadable(let file, let reason): "\(file): \(reason)"
        case .broken(let file, let line, let reason): "\(file):\(line): \(reason)"
        }
    }
}

extension ServiceError: LocalizedError {
    public var errorDescription: String? { description }
}
