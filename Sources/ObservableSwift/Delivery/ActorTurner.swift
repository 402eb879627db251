// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// Turns a loop on an actor, by a task that runs there. The actor is held weakly, by the task
/// strongly: what is pending is called as long as there was an actor when it was scheduled.
final class ActorTurner: LoopTurner, @unchecked Sendable {
    private weak let actor: (any Actor)?
    private let executor: (identity: UInt, implementation: UInt)
    private let type: any Actor.Type
    private let isWoken = Atomic<Bool>(false)
    private let loop = Locked<WeakLoop>(WeakLoop())

    private struct WeakLoop {
        weak var loop: DeliveryLoop?
    }

    init(_ actor: any Actor) {
        self.actor = actor
        type = Swift.type(of: actor)
        executor = unsafeBitCast(
            actor.unownedExecutor, to: (identity: UInt, implementation: UInt).self)
    }

    func begin(_ loop: DeliveryLoop) {
        self.loop.withLock { $0.loop = loop }
    }

    func wake() {
        guard let actor else {
            // Nobody will ever drain it. Here and not in a task: what is dropped goes on the thread
            // that has scheduled it, as with every ended loop.
            loop.withLock { $0.loop }?.invalidate()
            return
        }
        if !isWoken.exchange(true, ordering: .acquiringAndReleasing) {
            Task { await self.drain(on: actor) }
        }
    }

    private func drain(on actor: isolated any Actor) {
        // Before the drain: what comes now wakes again.
        isWoken.store(false, ordering: .sequentiallyConsistent)
        loop.withLock { $0.loop }?.turn()
    }

    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let actor else { return false }
        Task { await Self.run(body, on: actor) }
        return true
    }

    private static func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) {
        body()
    }

    func end() {}

    var isCurrent: Bool {
        actor != nil && obv_swift_is_current_executor(executor.identity, executor.implementation)
    }

    /// It runs nowhere else than in itself.
    var hasDefaultExecutor: Bool { executor.implementation == 0 }

    /// Whether both may be one isolation: the executors are one, or say themselves whether they are
    /// (`UnownedSerialExecutor(complexEquality:)`, the lowest bit).
    func mayShareExecutor(with other: ActorTurner) -> Bool {
        executor == other.executor
            || executor.implementation & other.executor.implementation & 1 == 1
    }

    var place: String { "the actor \(type)" }
}
