// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A change of one stored or computed property.
package struct PropertyChange {
    package let name: String
    package let old: Any?
}

/// Observes every property of many objects: one observation for each object, and one block for all,
/// which is called inside each change.
package final class EveryChange: @unchecked Sendable {
    // The handler is constant, and safe on any thread.

    private let handler: Handler

    /// - Parameters:
    ///   - loop: delivers the sets of properties that any thread may set.
    ///   - isolation: of `perform`; nil: it runs where the change is made.
    ///   - perform: gets the object and its changed properties: none for a collection, and several
    ///     only if a drain delivers sets by any thread.
    package init(
        on loop: DeliveryLoop, isolation: (any Actor)?, label: StaticString?, file: StaticString,
        line: UInt, perform: @escaping (any ObservableHost, [PropertyChange]) -> Void
    ) {
        let callback = Callback(isolation, .record(1 << 20)) { _, object, call in
            guard let host = object as? any ObservableHost else { return }
            let record = call.pointee.record?.pointee
            let entries = UnsafeBufferPointer(
                start: record?.entries, count: record?.count ?? 0)
            perform(
                host,
                entries.map {
                    PropertyChange(
                        name: String(cString: $0.way), old: ChangeValue($0.first).value())
                })
        }
        handler = Handler(
            callback, rootOffset: nil,
            ObservationConfiguration(loop, [.immediate], .declared, label, file, line), .none)
    }

    /// Observes an object as long as the token is kept. A refusal is the token's
    /// ``AnyObservation/failure``.
    package func observe(_ host: some ObservableHost) -> ObservationToken {
        ObservationToken(ObservationOrigin(host, RequestedPaths([[.any]])), handler, nil)
    }
}

extension ObservationDiagnostics {
    /// Tells of something that was refused.
    package static func tellRefused(
        _ text: String, label: StaticString?, file: StaticString, line: UInt
    ) {
        ObservationConfiguration(nil, [], .declared, label, file, line).tell(.refused, text)
    }
}
