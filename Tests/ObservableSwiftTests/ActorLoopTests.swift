// SPDX-License-Identifier: Apache-2.0
//
// Loops of actors: of one that is gone, and of one whose executor is code of the program.

import Dispatch
import ObservableSwift
import Testing

private actor Clerk {
    private var seen = 0
    let called = Event()

    private func note() {
        seen += 1
        called.happen()
    }

    func block() -> ObservationBlock<PlainObserver, Gauge> {
        ObservationBlock { (_: PlainObserver, _: Gauge) in self.note() }
    }
}

/// An actor that runs something when it is asked for its executor.
private actor Asking {
    final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "asking")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    nonisolated let whenAsked = Shared<(@Sendable () -> Void)?>(nil)
    private let executor = Executor()
    let called = Event()
    private var seen = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // Once.
        let body = whenAsked.value
        whenAsked.value = nil
        body?()
        return executor.asUnownedSerialExecutor()
    }

    private func note() {
        seen += 1
        called.happen()
    }

    func block() -> ObservationBlock<PlainObserver, Gauge> {
        // Its loop is looked for with its first observation.
        ObservationBlock(isolation: nil) { (_: PlainObserver, _: Gauge) in self.note() }
    }
}

@Suite struct ActorLoopTests {
    /// Nobody will ever drain it: it ends, and holds nothing.
    @Test func DR_10_a_loop_whose_actor_is_gone_ends_with_the_next_change() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report.Kind]>([])
            ObservationDiagnostics.setHandler { report in
                reports.change { $0.append(report.kind) }
            }
            let died = Shared(0)
            weak var weakClerk: Clerk?
            let loop: DeliveryLoop
            do {
                let clerk = Clerk()
                weakClerk = clerk
                loop = DeliveryLoop(actor: clerk)
            }
            #expect(weakClerk == nil)
            let before = ObservationCounters.current.dropped
            do {
                let link = Link()
                let observer = PlainObserver()
                let probe = Probe(died)
                link.atEnd = { _ in probe.stay() }
                let observerProbe = Probe(died)
                observer.atEnd = { observerProbe.stay() }
                let immediate = PlainObserver()
                link.tell(observer, when: \.count, on: loop) { _, _ in }
                link.tell(immediate, when: \.count, options: .immediate) { observer, link in
                    observer.seen.append(link.count)
                }
                link.count = 1
                #expect(loop.pendingCount == 0)
                link.count = 2
                #expect(immediate.seen == [1, 2])
                #expect(link.numberOfObservers(of: "count") == 2)
            }
            #expect(died.value == 2)
            #expect(ObservationCounters.current.dropped == before + 2)
            #expect(reports.value == [.loopEnded])
            #expect(loop.drain() == 0)
            #expect(loop.invalidate())
        }
    }

    /// Several threads find it gone at once.
    @Test func DR_10_TH_1_a_loop_whose_actor_is_gone_on_threads() {
        for _ in 0..<50 {
            let loop = DeliveryLoop(actor: Clerk())
            let died = Shared(0)
            onThreads(4) { _ in
                let gauge = Gauge()
                let observer = PlainObserver()
                let probe = Probe(died)
                observer.atEnd = { probe.stay() }
                gauge.tell(observer, when: \.level, on: loop) { _, _ in }
                for level in 1...20 { gauge.level = level }
            }
            #expect(loop.pendingCount == 0)
            #expect(died.value == 4)
        }
    }

    /// What was scheduled while there was an actor is called.
    @Test func LT_2_what_is_pending_keeps_the_actor() async {
        let gauge = Gauge()
        let observer = PlainObserver()
        let called: Event
        do {
            let clerk = Clerk()
            called = clerk.called
            gauge.tell(observer, when: \.[text: "level"], block: await clerk.block())
        }
        gauge.level = 1
        gauge.stopTelling(observer)
        await called.come()
    }

    /// The executor's code observes, with the block of another actor and with the same block.
    @Test(.timeLimit(.minutes(1))) func RE_5_an_executor_may_use_the_library() async {
        await #expect(processExitsWith: .success) {
            let gauge = Gauge()
            let clerk = Clerk()
            let asking = Asking()
            let clerksBlock = await clerk.block()
            let block = await asking.block()
            let observers = Handed((0..<3).map { _ in PlainObserver() })
            asking.whenAsked.value = {
                gauge.tell(observers.value[0], when: \.[text: "level"], block: clerksBlock)
                gauge.tell(observers.value[1], when: \.[text: "level"], block: block)
            }
            gauge.tell(observers.value[2], when: \.[text: "level"], block: block)
            #expect(asking.whenAsked.value == nil)
            #expect(gauge.numberOfObservers(of: "level") == 3)
            gauge.level = 1
            await clerk.called.come()
            await asking.called.come()
            await asking.called.come()
            gauge.stopTelling(block: block)
            #expect(gauge.numberOfObservers(of: "level") == 1)
            // The optimiser lets go of them after their last use.
            withExtendedLifetime(observers) {}
        }
    }

    /// Many actors at the same time, each with one loop for all its observations.
    @Test func TH_3_loops_of_many_actors_on_threads() async {
        let clerks = (0..<8).map { _ in Clerk() }
        var blocks: [ObservationBlock<PlainObserver, Gauge>] = []
        for clerk in clerks { blocks.append(await clerk.block()) }
        let shared = blocks
        let gauges = (0..<8).map { _ in Gauge() }
        await withCheckedContinuation { done in
            TestThread {
                onThreads(4) { _ in
                    let observer = PlainObserver()
                    for (block, gauge) in zip(shared, gauges) {
                        gauge.tell(observer, when: \.[text: "level"], block: block)
                        gauge.level += 1
                    }
                }
                done.resume()
            }
        }
        for clerk in clerks { await clerk.called.come() }
    }
}
