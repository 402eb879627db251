// SPDX-License-Identifier: Apache-2.0

/// Why no reading came.
enum Trouble: Error, Equatable {
    /// Nobody listens there, on this port.
    case refused(port: UInt16)
    /// No answer in time.
    case silent
    /// The answer ends in the middle.
    case cut
    /// The answer is no reading.
    case nonsense
    /// The answer is an error of HTTP.
    case status(Int)
    /// Loopback itself cannot be used, in the system's words.
    case unreachable(String)
    /// There is no service to ask: it is stopped, or could not be started.
    case none

    var text: String {
        switch self {
        case .refused(let port): "nobody answers on port \(port)"
        case .silent: "the service says nothing"
        case .cut: "the service's answer is cut in the middle"
        case .nonsense: "the service's answer is no reading"
        case .status(let code): "the service answers with status \(code)"
        case .unreachable(let reason): "the service cannot be reached (\(reason))"
        case .none: "there is no service"
        }
    }
}
