// SPDX-License-Identifier: Apache-2.0

/// The loop that an observation names. One of a queue or an actor is kept, so that it may be made
/// where it is named. A manual one is its program's: kept by what waits in it, one that nobody can
/// drain any more would keep that for ever.
package enum NamedLoop: Sendable {
    case kept(DeliveryLoop)
    case manual(LoopName)

    init(_ loop: DeliveryLoop) {
        self = loop.manualName.map(NamedLoop.manual) ?? .kept(loop)
    }

    /// Nil: its program has let go of it.
    package var living: DeliveryLoop? {
        switch self {
        case .kept(let loop): loop
        case .manual(let name): name.loop
        }
    }

    package static func === (a: NamedLoop, b: DeliveryLoop?) -> Bool {
        b != nil && a.living === b
    }
}

/// A weak reference to a manual loop, one a loop: to copy a weak reference costs ten times what it
/// costs to keep this.
package final class LoopName: Sendable {
    weak let loop: DeliveryLoop?

    init(_ loop: DeliveryLoop) {
        self.loop = loop
    }
}
