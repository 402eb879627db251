// SPDX-License-Identifier: Apache-2.0

import CObservable
import Dispatch
import Synchronization

/// Turns a loop on a dispatch queue, by a source that adds up how often it was woken: one drain
/// for any number of them.
final class QueueTurner: LoopTurner, @unchecked Sendable {
    private let source: any DispatchSourceUserDataAdd
    private let identity: UInt

    /// Which queue the caller is on: each queue that has a loop carries its number.
    private static let key = DispatchSpecificKey<UInt>()
    private static let numbered = Locked<UInt>(0)

    init(_ queue: DispatchQueue) {
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        identity = Self.identity(of: queue)
    }

    private static func identity(of queue: DispatchQueue) -> UInt {
        numbered.withLock { numbered in
            // Two loops of one queue may be made at the same time.
            if let known = queue.getSpecific(key: key) {
                return known
            }
            numbered += 1
            queue.setSpecific(key: key, value: numbered)
            return numbered
        }
    }

    func begin(_ loop: DeliveryLoop) {
        // The main loop lives for ever; every other ends its source before it goes.
        source.setEventHandler { [weak loop] in
            loop?.drain()
        }
        source.activate()
    }

    func wake() {
        source.add(data: 1)
    }

    func end() {
        source.cancel()
    }

    var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.key) == identity
    }
}
