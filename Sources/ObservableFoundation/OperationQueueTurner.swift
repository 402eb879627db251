// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ObservableSwift

extension DeliveryLoop {
    /// A loop whose blocks run on an operation queue, one at a time, also where the queue runs several
    /// operations at once. A suspended queue calls nothing until it goes on.
    ///
    /// A drain is an operation like others: it waits for those before it and for barriers, and
    /// `waitUntilAllOperationsAreFinished()` waits for it. But `cancelAllOperations()` passes it over,
    /// since what is scheduled is called (`ObservationToken.cancel()` takes a call back).
    ///
    /// For the main queue take `DeliveryLoop.main`.
    ///
    /// - Parameter queue: kept as long as the loop is.
    public convenience init(operationQueue queue: OperationQueue) {
        self.init(turnedBy: OperationQueueTurner(queue))
    }
}

/// Turns a loop on an operation queue, by one operation for all that has woken it meanwhile.
final class OperationQueueTurner: LoopTurner, @unchecked Sendable {
    // Everything is constant, or locked.

    /// Nil when the loop has ended, which the core may remember for a while.
    private let queue: Locked<OperationQueue?>
    private let woken = WokenLoop()
    let place: String
    let isApartFromMain: Bool

    init(_ queue: OperationQueue) {
        self.queue = Locked(queue)
        isApartFromMain = queue !== OperationQueue.main && queue.underlyingQueue == nil
        place = "the operation queue \"\(queue.name ?? "")\""
    }

    func begin(_ loop: DeliveryLoop) {
        woken.begin(loop)
    }

    func wake() {
        woken.wake(by: perform)
    }

    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let queue = queue.withLock({ $0 }) else { return false }
        queue.addOperation(LastingOperation(body))
        return true
    }

    func end() {
        // Let go of outside of the lock.
        _ = queue.withLock { $0.take() }
    }

    var isCurrent: Bool {
        guard let queue = queue.withLock({ $0 }) else { return false }
        return OperationQueue.current === queue
    }
}

/// An operation that nobody cancels.
private final class LastingOperation: Operation, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    override func main() { body() }

    override func cancel() {}
}
