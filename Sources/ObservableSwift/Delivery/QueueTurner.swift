// SPDX-License-Identifier: Apache-2.0

import CObservable
import Dispatch

/// Turns a loop on a dispatch queue, by a dispatch source that coalesces wakes: any number of them
/// makes one drain.
final class QueueTurner: LoopTurner, @unchecked Sendable {
    private let queue: DispatchQueue
    private let source: any DispatchSourceUserDataAdd
    /// The key shows whether the queue is current: dispatch finds it on the queue itself and on
    /// queues that target the queue. Each loop has a key of its own, so that loops of a queue and
    /// of its target do not hide each other. Global queues take keys as well.
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
        // Weak, since the loop owns the turner and ends the source in its own `deinit`.
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

    /// Compares queues by key, not by identity: each look at the main queue makes a new object.
    func isSameQueue(as other: QueueTurner) -> Bool {
        queue.getSpecific(key: other.key) != nil
    }

    var place: String { "the queue \"\(queue.label)\"" }
}
