// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// Turns a loop on an actor, by a task that runs there. The actor is held weakly.
final class ActorTurner: LoopTurner, @unchecked Sendable {
    private weak let actor: (any Actor)?
    private let executor: (identity: UInt, implementation: UInt)
    private let isWoken = Atomic<Bool>(false)
    private let loop = Locked<WeakLoop>(WeakLoop())

    private struct WeakLoop {
        weak var loop: DeliveryLoop?
    }

    init(_ actor: any Actor) {
        self.actor = actor
        executor = unsafeBitCast(
            actor.unownedExecutor, to: (identity: UInt, implementation: UInt).self)
    }

    func begin(_ loop: DeliveryLoop) {
        self.loop.withLock { $0.loop = loop }
    }

    func wake() {
        guard let actor, !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { await self.drain(on: actor) }
    }

    private func drain(on actor: isolated any Actor) {
        // Before the drain: what comes now wakes again.
        isWoken.store(false, ordering: .sequentiallyConsistent)
        loop.withLock { $0.loop }?.drain()
    }

    func end() {}

    var isCurrent: Bool {
        actor != nil && obv_swift_is_current_executor(executor.identity, executor.implementation)
    }
}
