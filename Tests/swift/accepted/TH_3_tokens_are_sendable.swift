// SPDX-License-Identifier: Apache-2.0
//
// Tokens and handles are stopped from anywhere; loops and errors go anywhere.

import ObservableSwift

nonisolated func keep<Value: Sendable>(_ value: Value) {}

nonisolated func everywhere(
    _ token: ObservationToken, _ handle: ObservationHandle, _ loop: DeliveryLoop,
    _ path: TextPath, _ error: ObservationError, _ options: ObservationOptions,
    _ report: ObservationDiagnostics.Report, _ counters: ObservationCounters
) {
    keep(token)
    keep(handle)
    keep(loop)
    keep(path)
    keep(error)
    keep(options)
    keep(report)
    keep(counters)
    Task.detached {
        token.cancel()
        _ = token.cancelAndWait()
        token.schedule()
        handle.stop()
        handle.stop(about: "name")
        handle.schedule()
        loop.drain()
        loop.invalidate()
    }
}

nonisolated final class User: ObservableModel {
    @Observed var name = ""
}

/// A path that reads nothing isolated may go anywhere, and says so.
extension User {
    nonisolated static let path: TypedPath<User> & Sendable = \.name
}

nonisolated func typed(_ path: TypedPath<User> & Sendable, _ user: User) -> ObservationToken {
    keep(path)
    return user.onChange(of: path, User.path, on: .main) { _ in }
}
