// SPDX-License-Identifier: Apache-2.0

/// The loop that an observation names. The loop of a queue or an actor is kept, so a program may
/// make it where it names it. A manual loop is not kept: otherwise a waiting call and the loop
/// would keep each other for ever once the program, which alone can drain the loop, has released
/// it.
package enum NamedLoop: Sendable {
    case kept(DeliveryLoop)
    case manual(LoopName)

    init(_ loop: DeliveryLoop) {
        self = loop.manualName.map(NamedLoop.manual) ?? .kept(loop)
    }

    /// The loop; nil: the program has released a manual one.
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

/// A shared weak reference to a loop. Observations of a manual loop retain this object, which costs
/// a tenth of copying a weak reference.
package final class LoopName: Sendable {
    weak let loop: DeliveryLoop?

    init(_ loop: DeliveryLoop) {
        self.loop = loop
    }
}
