// SPDX-License-Identifier: Apache-2.0
//
// Loops of queues and actors are drained in their place only (TH-3, DR-10).

import Dispatch
import ObservableSwift
import Testing

private actor Clerk {
    func run(_ body: @Sendable () -> Void) { body() }
}

/// Counts the calls of one observation on a loop, and where it may be drained.
private final class Place: Sendable {
    let loop: DeliveryLoop
    let calls = Shared(0)
    private let gauge = Gauge()
    private let token: ObservationToken

    init(_ loop: DeliveryLoop) {
        self.loop = loop
        let calls = calls
        token = gauge.onChange(of: \.level, on: loop) { _ in calls.change { $0 += 1 } }
    }

    /// How many blocks a drain called that came before the loop's own.
    func drainByHand() -> Int {
        token.schedule()
        return loop.drain()
    }

    var isHere: Bool { token.execute() }
}

/// Keeps a queue busy, so that its loop does not drain itself, while `body` runs.
private func occupying(_ queue: DispatchQueue, _ body: () -> Void) {
    let (entered, mayGo) = (Event(), Event())
    queue.async {
        entered.happen()
        mayGo.wait()
    }
    entered.wait()
    body()
    mayGo.happen()
    queue.sync {}
}

@Suite struct DrainIsolationTests {
    @Test func TH_3_the_main_loop_is_not_drained_elsewhere() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let calls = Shared(0)
            let gauge = Gauge()
            let token = await MainActor.run {
                let token = gauge.onChange(of: \.level) { _ in
                    MainActor.preconditionIsolated()
                    calls.change { $0 += 1 }
                }
                gauge.level = 1
                TestThread { #expect(DeliveryLoop.main.drain() == 0) }.join()
                #expect(calls.value == 0)
                #expect(DeliveryLoop.main.drain() == 1)
                return token
            }
            #expect(calls.value == 1)
            token.cancel()
            #expect(reports.value.map(\.kind) == [.refused])
            let text = reports.value.first?.text ?? ""
            #expect(text.contains("com.apple.main-thread"))
        }
    }

    @Test func TH_3_a_serial_queues_loop() {
        let queue = DispatchQueue(label: "place")
        let place = Place(DeliveryLoop(queue: queue))
        occupying(queue) {
            #expect(place.drainByHand() == 0)
            #expect(!place.isHere)
        }
        #expect(place.calls.value == 1)
        #expect(queue.sync { place.isHere && place.drainByHand() == 1 })
    }

    @Test func TH_3_a_concurrent_queues_loop() {
        let queue = DispatchQueue(label: "place", attributes: .concurrent)
        let place = Place(DeliveryLoop(queue: queue))
        #expect(!place.isHere)
        #expect(queue.sync { place.isHere })
        #expect(queue.sync(flags: .barrier) { place.drainByHand() == 1 })
    }

    @Test(arguments: [DispatchQoS.QoSClass.default, .background, .userInteractive])
    func TH_3_a_global_queues_loop(_ qos: DispatchQoS.QoSClass) {
        let queue = DispatchQueue.global(qos: qos)
        let place = Place(DeliveryLoop(queue: queue))
        // Tests run on a global queue.
        TestThread { #expect(!place.isHere) }.join()
        #expect(queue.sync { place.isHere })
        // A queue without a target of its own is on one of the global ones.
        let other = DispatchQueue(label: "place", target: queue)
        #expect(other.sync { place.isHere })
    }

    /// Where queues target each other, each has a loop, and none hides the other.
    @Test func TH_3_queues_that_target_others() {
        let target = DispatchQueue(label: "target")
        let middle = DispatchQueue(label: "middle", target: target)
        let queue = DispatchQueue(label: "queue", target: middle)
        let places = [target, middle, queue].map { Place(DeliveryLoop(queue: $0)) }
        #expect(queue.sync { places.map(\.isHere) } == [true, true, true])
        #expect(middle.sync { places.map(\.isHere) } == [true, true, false])
        #expect(target.sync { places.map(\.isHere) } == [true, false, false])
    }

    @Test func TH_3_several_loops_of_a_queue_end_one_by_one() {
        let queue = DispatchQueue(label: "place")
        let kept = Place(DeliveryLoop(queue: queue))
        for _ in 0..<10 {
            let place = Place(DeliveryLoop(queue: queue))
            #expect(queue.sync { place.isHere })
        }
        #expect(queue.sync { kept.isHere })
    }

    @Test func TH_3_an_actors_loop() async {
        let clerk = Clerk()
        let place = Place(DeliveryLoop(actor: clerk))
        #expect(!place.isHere)
        let drained = Shared(0)
        await clerk.run {
            drained.value = place.drainByHand()
            #expect(place.isHere)
        }
        #expect(drained.value == 1)
        let inside = Shared(0)
        // The clerk is busy, and another thread tries.
        await clerk.run {
            TestThread { inside.value = place.drainByHand() }.join()
            #expect(place.calls.value == 2)
        }
        #expect(inside.value == 0)
    }

    @Test func DR_9_a_nested_drain_of_a_queues_loop() {
        let queue = DispatchQueue(label: "place")
        let loop = DeliveryLoop(queue: queue)
        let (first, second) = (Gauge(), Gauge())
        let nested = Shared(-1)
        let done = Event()
        let tokens = [
            first.onChange(of: \.level, on: loop) { _ in
                second.level += 1
                nested.value = loop.drain()
                done.happen()
            }, second.onChange(of: \.level, on: loop) { _ in },
        ]
        first.level = 1
        done.wait()
        #expect(nested.value == 1)
        tokens.forEach { $0.cancel() }
    }
}
