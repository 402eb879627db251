// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableFoundation
import ObservableSwift
import Synchronization
import Testing

@Suite struct OperationQueueLoopTests {
    @Test func OB_5_blocks_run_on_the_operation_queue() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let isThere = Shared<[Bool]>([])
        let called = Event()
        let gauge = Gauge()
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(operationQueue: queue)) { _ in
            isThere.change { $0.append(OperationQueue.current === queue) }
            called.happen()
        }
        for level in 1...3 {
            gauge.level = level
            called.wait()
        }
        #expect(isThere.value == [true, true, true])
        withExtendedLifetime(token) {}
    }

    @Test func OB_5_DR_2_a_queue_of_several_operations_runs_blocks_one_at_a_time() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        let loop = DeliveryLoop(operationQueue: queue)
        let inside = Atomic<Int>(0)
        let wasCrowded = Shared(false)
        let seen = Shared([0, 0, 0, 0])
        let gauges = (0..<4).map { _ in Gauge() }
        let tokens = gauges.enumerated().map { number, gauge in
            gauge.onChange(of: \.level, on: loop) { gauge in
                if inside.add(1, ordering: .relaxed).newValue > 1 {
                    wasCrowded.change { $0 = true }
                }
                let level = gauge.level
                seen.change { $0[number] = level }
                inside.subtract(1, ordering: .relaxed)
            }
        }
        onThreads(4) { number in
            for level in 1...2_000 { gauges[number].level = level }
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(!wasCrowded.value)
        #expect(seen.value == [2_000, 2_000, 2_000, 2_000])
        withExtendedLifetime(tokens) {}
    }

    @Test func OB_5_DR_5_a_suspended_queue_delivers_when_it_goes_on() {
        let queue = OperationQueue()
        let gauge = Gauge()
        let seen = Shared<[Int]>([])
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(operationQueue: queue)) { gauge in
            let level = gauge.level
            seen.change { $0.append(level) }
        }
        queue.isSuspended = true
        gauge.level = 1
        gauge.level = 2
        #expect(seen.value == [])
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(seen.value == [2])
        withExtendedLifetime(token) {}
    }

    /// What is scheduled is called; only its token takes it back.
    @Test func OB_5_DR_5_cancelling_all_operations_passes_over_what_is_scheduled() {
        let queue = OperationQueue()
        let gauge = Gauge()
        let seen = Shared<[Int]>([])
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(operationQueue: queue)) { gauge in
            let level = gauge.level
            seen.change { $0.append(level) }
        }
        for level in 1...2 {
            queue.isSuspended = true
            gauge.level = level
            queue.cancelAllOperations()
            queue.isSuspended = false
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(seen.value == [1, 2])
        withExtendedLifetime(token) {}
    }

    @Test func OB_5_ST_4_a_cancelled_token_takes_its_call_back() {
        let queue = OperationQueue()
        let gauge = Gauge()
        let calls = Shared(0)
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(operationQueue: queue)) { _ in
            calls.change { $0 += 1 }
        }
        queue.isSuspended = true
        gauge.level = 1
        token.cancel()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(calls.value == 0)
    }

    /// It is drained on its queue alone.
    @Test func OB_5_TH_3_a_drain_elsewhere_is_refused() {
        let queue = OperationQueue()
        let loop = DeliveryLoop(operationQueue: queue)
        let gauge = Gauge()
        let calls = Shared(0)
        let token = gauge.onChange(of: \.level, on: loop) { _ in calls.change { $0 += 1 } }
        queue.isSuspended = true
        gauge.level = 1
        #expect(loop.drain() == 0)
        #expect(!token.execute())
        #expect(calls.value == 0)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(calls.value == 1)
    }

    /// A block of the main actor would be called elsewhere.
    @MainActor @Test func OB_5_TH_3_a_main_actor_block_is_refused() async {
        let gauge = Gauge()
        let loops = [
            DeliveryLoop(operationQueue: OperationQueue()), TurningThread.endedLoop(),
        ]
        for loop in loops {
            let token = gauge.onChange(of: \.level, on: loop) { @MainActor _ in }
            #expect(token.failure?.kind == .isolation)
        }
        let main = gauge.onChange(of: \.level, on: DeliveryLoop(operationQueue: .main)) {
            @MainActor _ in
        }
        #expect(main.failure == nil)
    }

    /// An actor runs nowhere else than in itself.
    @Test func OB_5_TH_3_a_block_of_an_actor_is_refused() async {
        let loops = [
            DeliveryLoop(operationQueue: OperationQueue()), TurningThread.endedLoop(),
        ]
        for loop in loops {
            #expect(await Keeper().failure(on: loop)?.kind == .isolation)
        }
    }

    @Test func OB_5_DR_10_a_loop_goes_with_its_observations_and_keeps_no_queue() {
        weak var loop: DeliveryLoop?
        let queueHasEnded = Event()
        do {
            let kept = EndingQueue(queueHasEnded)
            let gauge = Gauge()
            let token: ObservationToken
            do {
                let made = DeliveryLoop(operationQueue: kept)
                loop = made
                token = gauge.onChange(of: \.level, on: made) { _ in }
            }
            gauge.level = 1
            kept.waitUntilAllOperationsAreFinished()
            #expect(loop != nil)
            token.cancel()
        }
        #expect(loop == nil)
        // The queue itself is let go of by its own thread.
        queueHasEnded.wait()
    }
}

private actor Keeper {
    private var calls = 0

    func failure(on loop: DeliveryLoop) -> ObservationError? {
        Gauge().onChange(of: \.level, on: loop) { _ in self.calls += 1 }.failure
    }
}

private final class EndingQueue: OperationQueue, @unchecked Sendable {
    private let ended: Event

    init(_ ended: Event) {
        self.ended = ended
    }

    deinit {
        ended.happen()
    }
}
