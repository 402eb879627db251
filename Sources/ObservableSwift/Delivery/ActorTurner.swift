// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// Turns a loop on an actor, by a task that runs there. The turner holds the actor weakly, but the
/// task holds it strongly: a pending call is made if the actor was still there when the call was
/// scheduled.
///
/// A loop of an executor is a loop of a resident: an actor of ours on that executor, with no other
/// work.
final class ActorTurner: LoopTurner, @unchecked Sendable {
    private weak let actor: (any Actor)?
    private let resident: (any Actor)?
    private let preferred: (any TaskExecutor)?
    private let executor: (identity: UInt, implementation: UInt)
    let place: String
    private let isWoken = Atomic<Bool>(false)
    /// The loop. Set once, before anybody wakes the turner.
    nonisolated(unsafe) private var name: LoopName?

    convenience init(_ actor: any Actor) {
        self.init(actor, nil, nil, "the actor \(type(of: actor))")
    }

    convenience init(_ executor: any Executor) {
        let (serial, task) = (executor as? any SerialExecutor, executor as? any TaskExecutor)
        let place = "the executor \(type(of: executor))"
        if serial == nil && task == nil {
            stopTheProgram(
                "\(place) of a delivery loop is neither a serial executor nor a task executor")
        }
        let resident: any Actor = serial.map { SerialResident($0) } ?? TaskResident()
        self.init(resident, resident, serial == nil ? task : nil, place)
    }

    private init(
        _ actor: any Actor, _ resident: (any Actor)?, _ preferred: (any TaskExecutor)?,
        _ place: String
    ) {
        self.actor = actor
        self.resident = resident
        self.preferred = preferred
        self.place = place
        executor = unsafeBitCast(
            actor.unownedExecutor, to: (identity: UInt, implementation: UInt).self)
    }

    func begin(_ loop: DeliveryLoop) {
        name = LoopName(loop)
    }

    func wake() {
        guard let actor else {
            // Nobody will ever drain the loop again. It ends here, not in a task: as with every
            // ended loop, a dropped call is released on the thread that has scheduled it.
            name?.loop?.invalidate()
            return
        }
        if !isWoken.exchange(true, ordering: .acquiringAndReleasing) {
            Task(executorPreference: preferred) { await self.drain(on: actor) }
        }
    }

    private func drain(on actor: isolated any Actor) {
        // Reset before the drain, so that whatever is scheduled during the drain wakes again.
        isWoken.store(false, ordering: .sequentiallyConsistent)
        name?.loop?.turn()
    }

    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let actor else { return false }
        Task(executorPreference: preferred) { await Self.run(body, on: actor) }
        return true
    }

    private static func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) {
        body()
    }

    func end() {}

    var isCurrent: Bool {
        actor != nil && obv_swift_is_current_executor(executor.identity, executor.implementation)
    }

    /// Whether the actor has no executor of its own, and so shares its isolation with nobody.
    var hasDefaultExecutor: Bool { executor.implementation == 0 }

    /// Whether both actors may share one isolation: their executors are one, or both decide
    /// themselves what is one (`UnownedSerialExecutor(complexEquality:)`, the lowest bit).
    func mayShareExecutor(with other: ActorTurner) -> Bool {
        executor == other.executor
            || executor.implementation & other.executor.implementation & 1 == 1
    }
}

/// An actor for one loop, on a serial executor.
private actor SerialResident {
    private let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// An actor for one loop, without an executor: it runs on the task executor that its callers
/// prefer.
private actor TaskResident {}
