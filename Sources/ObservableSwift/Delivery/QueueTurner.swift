// SPDX-License-Identifier: Apache-2.0

import CObservable
import Dispatch

/// Turns a loop on a dispatch queue, by a source that adds up how often it was woken: one drain
/// for any number of them.
final class QueueTurner: LoopTurner, @unchecked Sendable {
    private let queue: DispatchQueue
    private let source: any DispatchSourceUserDataAdd
    /// Found from wherever the queue is current, and from the queues that target it: dispatch looks
    /// along the hierarchy. A key for each loop, so that loops of a queue and of its target do not
    /// hide each other. Global queues take keys as well.
    private let key = DispatchSpecificKey<Bool>()

    init(_ queue: DispatchQueue) {
        self.queue = queue
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        queue.setSpecific(key: key, value: true)
    }

    deinit {
        queue.setSpecific(key: key, value: nil)
    }

    func begin(_ loop: DeliveryLoop) {
        // The main loop lives for ever; every other ends its source before it goes.
        source.setEventHandler { [weak loop] in
            loop?.turn()
        }
        source.activate()
    }

    func wake() {
        source.add(data: 1)
    }

    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        queue.async(execute: body)
        return true
    }

    func end() {
        source.cancel()
    }

    /// Inside `sync` of another queue that other one is current, as far as can be asked: dispatch
    /// tells which queues a thread holds only by stopping it (`dispatchPrecondition`).
    var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) != nil
    }

    /// By its key: dispatch makes a new object each time it is asked for the main queue.
    func isSameQueue(as other: QueueTurner) -> Bool {
        queue.getSpecific(key: other.key) != nil
    }

    var place: String { "the queue \"\(queue.label)\"" }
}
