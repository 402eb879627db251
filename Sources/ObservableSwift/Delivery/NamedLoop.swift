// SPDX-License-Identifier: Apache-2.0

/// The loop that an observation names. One of a queue or an actor is kept, so that it may be made
/// where it is named. A manual one is its program's: kept by what waits in it, one that nobody can
/// drain any more would keep that for ever.
package struct NamedLoop: Sendable {
    private let kept: DeliveryLoop?
    private weak let manual: DeliveryLoop?

    init(_ loop: DeliveryLoop) {
        kept = loop.isManual ? nil : loop
        manual = loop.isManual ? loop : nil
    }

    /// Nil: its program has let go of it.
    package var living: DeliveryLoop? { kept ?? manual }

    package static func === (a: NamedLoop, b: DeliveryLoop?) -> Bool {
        b != nil && a.living === b
    }
}
