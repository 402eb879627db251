// SPDX-License-Identifier: Apache-2.0
//
// Delivery loops of every kind: DR-1, DR-2, DR-5, DR-6, DR-8, DR-9, DR-10.

import Dispatch
import ObservableSwift
import Testing

/// Sets levels that nobody has seen, and waits for what is told of them.
private final class Told: Sendable {
    let last = Shared(0)
    let event = Event()

    func tell(_ level: Int) {
        last.value = level
        event.happen()
    }

    func wait(for level: Int) {
        while last.value != level { event.wait() }
    }
}

private actor Clerk {
    func run(_ body: @Sendable () -> Void) { body() }
}

/// Runs once it was let go; says when it runs.
private final class Gate: Sendable {
    let entered = Event()
    let mayGo = Event()

    func pass() {
        entered.happen()
        mayGo.wait()
    }
}

@Suite struct LoopsTests {
    // MARK: - One call a drain

    @Test func DR_2_a_manual_loop_calls_once_a_drain() {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        link.tell(observer, when: \.count, \.next?.count, on: loop) { observer, link in
            observer.seen.append(link.count)
        }
        #expect(loop.pendingCount == 0)
        #expect(loop.drain() == 0)
        for count in 1...5 { link.count = count }
        link.next = Link(9)
        #expect(loop.pendingCount == 1)
        #expect(loop.drain() == 1)
        #expect(loop.pendingCount == 0)
        #expect(loop.drain() == 0)
        #expect(observer.seen == [5])
    }

    @Test func DR_2_a_queue_loop_calls_once_a_drain() {
        let queue = DispatchQueue(label: "loops")
        let gauge = Gauge()
        let told = Told()
        let calls = Shared(0)
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(queue: queue)) { gauge in
            calls.change { $0 += 1 }
            told.tell(gauge.level)
        }
        // While the queue is busy, any number of changes becomes one call.
        let gate = Gate()
        queue.async { gate.pass() }
        gate.entered.wait()
        for level in 1...100 { gauge.level = level }
        onThreads(3) { number in gauge.level = 100 + number }
        let last = gauge.level
        gate.mayGo.happen()
        told.wait(for: last)
        queue.sync {}
        #expect(calls.value == 1)
        token.cancel()
    }

    @Test func DR_4_blocks_are_called_in_the_order_of_scheduling() {
        let loop = DeliveryLoop()
        let links = (0..<4).map { _ in Link() }
        let order = PlainObserver()
        for (number, link) in links.enumerated() {
            link.tell(order, when: \.count, on: loop) { order, _ in order.seen.append(number) }
        }
        for number in [2, 0, 3, 1, 0, 2] { links[number].count += 1 }
        #expect(loop.drain() == 4)
        #expect(order.seen == [2, 0, 3, 1])
    }

    // MARK: - Limits

    @Test func DR_10_a_limited_drain_leaves_the_rest_in_front() {
        let loop = DeliveryLoop()
        let links = (0..<5).map { _ in Link() }
        let order = PlainObserver()
        for (number, link) in links.enumerated() {
            link.tell(order, when: \.count, on: loop) { order, _ in order.seen.append(number) }
            link.count = 1
        }
        #expect(loop.pendingCount == 5)
        #expect(loop.drain(limit: 0) == 0)
        #expect(loop.drain(limit: 2) == 2)
        #expect(loop.pendingCount == 3)
        links[0].count = 2
        #expect(loop.drain(limit: 3) == 3)
        #expect(loop.drain() == 1)
        #expect(order.seen == [0, 1, 2, 3, 4, 0])
    }

    // MARK: - Drains in blocks

    @Test func DR_9_a_nested_drain_belongs_to_the_outer_one() {
        let loop = DeliveryLoop()
        let first = Link()
        let second = Link()
        let order = PlainObserver()
        let nested = PlainObserver()
        first.tell(order, when: \.count, on: loop) { order, first in
            order.seen.append(1)
            second.count += 1
            first.count += 1  // called already in this cycle: dropped
            nested.seen.append(loop.drain())
        }
        second.tell(order, when: \.count, on: loop) { order, _ in order.seen.append(2) }
        first.count = 1
        #expect(loop.drain() == 1)
        #expect(nested.seen == [1])
        #expect(order.seen == [1, 2])
        #expect(loop.drain() == 0)
    }

    @Test func DR_3_a_token_keeps_what_its_own_block_changes_for_the_next_drain() {
        let loop = DeliveryLoop()
        let link = Link()
        let calls = PlainObserver()
        let token = link.onChange(of: \.count, on: loop) { link in
            calls.seen.append(link.count)
            if link.count < 3 { link.count += 1 }
        }
        link.count = 1
        #expect(loop.drain() == 1)
        #expect(loop.drain() == 1)
        #expect(loop.drain() == 1)
        #expect(loop.drain() == 0)
        #expect(calls.seen == [1, 2, 3])
        withExtendedLifetime(token) {}
    }

    // MARK: - execute

    @Test func DR_6_execute_is_refused_off_the_queue_of_its_loop() {
        let queue = DispatchQueue(label: "loops")
        let gauge = Gauge()
        let calls = Shared(0)
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(queue: queue)) { _ in
            calls.change { $0 += 1 }
        }
        #expect(!token.execute())
        #expect(calls.value == 0)
        #expect(queue.sync { token.execute() })
        #expect(calls.value == 1)
        token.cancel()
        #expect(!queue.sync { token.execute() })
    }

    @Test func DR_6_execute_is_refused_outside_the_actor_of_its_loop() async {
        let clerk = Clerk()
        let gauge = Gauge()
        let executed = Shared<[Bool]>([])
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(actor: clerk)) { _ in }
        #expect(!token.execute())
        await clerk.run { executed.change { $0.append(token.execute()) } }
        #expect(executed.value == [true])
        token.cancel()
    }

    /// Loops of one queue that are made at the same time know it as the same.
    @Test func DR_6_several_loops_of_one_queue() {
        for round in 0..<100 {
            let queue = DispatchQueue(label: "loops")
            let gauge = Gauge()
            let tokens = Shared<[ObservationToken]>([])
            onThreads(3) { _ in
                let token = gauge.onChange(of: \.level, on: DeliveryLoop(queue: queue)) { _ in }
                tokens.change { $0.append(token) }
            }
            let executed = queue.sync { tokens.value.map { $0.execute() } }
            #expect(executed == [true, true, true], "round \(round)")
        }
    }

    @Test func DR_6_execute_is_refused_while_another_thread_drains() {
        let loop = DeliveryLoop()
        let gauge = Gauge()
        let gate = Gate()
        let running = gauge.onChange(of: \.level, on: loop) { _ in gate.pass() }
        let other = gauge.onChange(of: \.title, on: loop) { _ in }
        gauge.level = 1
        let drain = TestThread { loop.drain() }
        gate.entered.wait()
        #expect(!other.execute())
        #expect(!running.execute())
        #expect(loop.drain() == 0)
        #expect(!loop.invalidate())
        gate.mayGo.happen()
        drain.join()
        #expect(other.execute())
        running.cancel()
    }

    @Test func DR_6_scheduled_by_hand_with_and_without_paths() {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        let paths: [TextPath] = []
        let handle = link.tell(observer, when: .any(of: paths.map { \.[text: $0] }), on: loop) {
            observer, link in
            observer.seen.append(link.count)
        }
        link.count = 4
        #expect(loop.pendingCount == 0)
        handle.schedule()
        handle.schedule()
        #expect(loop.drain() == 1)
        #expect(handle.execute())
        #expect(observer.seen == [4, 4])
        handle.stop()
        handle.schedule()
        #expect(!handle.execute())
        #expect(loop.drain() == 0)
        #expect(handle.hasEnded)
    }

    // MARK: - Wake-ups

    /// Threads change, each change is waited for: a lost wake-up would wait for ever.
    private func changeFromThreads(_ loop: DeliveryLoop) {
        let gauges = (0..<4).map { _ in Gauge() }
        onThreads(4) { number in
            let told = Told()
            let gauge = gauges[number]
            let token = gauge.onChange(of: \.level, on: loop) { gauge in told.tell(gauge.level) }
            for level in 1...300 {
                gauge.level = level
                if level % 7 != 0 { told.wait(for: level) }
            }
            told.wait(for: 300)
            token.cancel()
        }
    }

    @Test func DR_5_no_wake_up_of_a_serial_queue_is_lost() {
        changeFromThreads(DeliveryLoop(queue: DispatchQueue(label: "loops")))
    }

    @Test func DR_5_no_wake_up_of_a_concurrent_queue_is_lost() {
        changeFromThreads(
            DeliveryLoop(queue: DispatchQueue(label: "loops", attributes: .concurrent)))
    }

    @Test func DR_5_no_wake_up_of_an_actor_is_lost() async {
        let clerk = Clerk()
        await withCheckedContinuation { done in
            TestThread {
                self.changeFromThreads(DeliveryLoop(actor: clerk))
                done.resume()
            }
        }
    }

    @Test func DR_5_no_wake_up_of_the_main_loop_is_lost() async {
        await withCheckedContinuation { done in
            TestThread {
                self.changeFromThreads(.main)
                done.resume()
            }
        }
    }

    @Test func DR_10_a_concurrent_queue_runs_one_block_at_a_time() {
        let queue = DispatchQueue(label: "loops", attributes: .concurrent)
        let loop = DeliveryLoop(queue: queue)
        let inside = Shared(0)
        let gauges = (0..<6).map { _ in Gauge() }
        let done = Event()
        let tokens = gauges.map { gauge in
            gauge.onChange(of: \.level, on: loop) { gauge in
                #expect(inside.change { $0 += 1 } == 1)
                _ = (0..<1000).reduce(0, +)
                #expect(inside.change { $0 -= 1 } == 0)
                if gauge.level == 50 { done.happen() }
            }
        }
        onThreads(3) { number in
            for level in 1...50 {
                gauges[2 * number].level = level
                gauges[2 * number + 1].level = level
            }
        }
        for _ in gauges { done.wait() }
        tokens.forEach { $0.cancel() }
    }

    @Test func DR_1_a_queue_loop_on_a_target_queue() {
        let target = DispatchQueue(label: "target")
        let queue = DispatchQueue(label: "loops", target: target)
        let gauge = Gauge()
        let called = Event()
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(queue: queue)) { _ in
            dispatchPrecondition(condition: .onQueue(queue))
            dispatchPrecondition(condition: .onQueue(target))
            called.happen()
        }
        gauge.level = 1
        called.wait()
        #expect(queue.sync { token.execute() })
        token.cancel()
    }

    // MARK: - The end of a loop

    @Test func DR_10_an_ended_loop_drops_what_is_pending() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report.Kind]>([])
            ObservationDiagnostics.setHandler { report in
                reports.change { $0.append(report.kind) }
            }
            let loop = DeliveryLoop()
            let links = (0..<3).map { _ in Link() }
            let observer = PlainObserver()
            for link in links {
                link.tell(observer, when: \.count, on: loop) { observer, link in
                    observer.seen.append(link.count)
                }
            }
            let immediate = PlainObserver()
            links[0].tell(immediate, when: \.count, on: loop, options: .immediate) {
                observer, link in
                observer.seen.append(link.count)
            }
            links[0].count = 1
            links[1].count = 1
            let before = ObservationCounters.current.dropped
            #expect(loop.invalidate())
            #expect(ObservationCounters.current.dropped == before + 2)
            #expect(reports.value == [.loopEnded])
            #expect(loop.pendingCount == 0)
            #expect(loop.drain() == 0)
            #expect(loop.invalidate())
            // Its observations stay; what would schedule them is dropped and counted.
            #expect(links[2].numberOfObservers(of: "count") == 1)
            links[2].count = 1
            #expect(ObservationCounters.current.dropped == before + 3)
            links[0].count = 2
            #expect(immediate.seen == [1, 2])
            #expect(observer.seen == [])
        }
    }

    @Test func DR_10_an_ended_loop_lets_go_of_the_ends_it_held() {
        let loop = DeliveryLoop()
        let died = Shared(0)
        do {
            let link = Link()
            let probe = Probe(died)
            link.atEnd = { _ in probe.stay() }
            let observer = PlainObserver()
            link.tell(observer, when: \.count, on: loop) { _, _ in }
            link.count = 1
        }
        #expect(loop.pendingCount == 1)
        #expect(died.value == 0)
        loop.invalidate()
        #expect(died.value == 1)
    }

    /// Of a queue: it goes on without the program.
    @Test func DR_10_a_queues_loop_is_kept_by_its_observation() {
        weak var weakLoop: DeliveryLoop?
        let link = Link()
        let observer = PlainObserver()
        do {
            let loop = DeliveryLoop(queue: DispatchQueue(label: "kept"))
            weakLoop = loop
            link.tell(observer, when: \.count, on: loop) { _, _ in }
        }
        #expect(weakLoop != nil)
        link.stopTelling(observer)
        #expect(weakLoop == nil)
    }

    /// A manual one that nobody can drain any more ends, and what waited in it holds nobody.
    @Test func DR_10_LT_2_a_manual_loop_ends_with_its_program() {
        weak var weakLoop: DeliveryLoop?
        let died = Shared(0)
        do {
            let link = Link()
            let probe = Probe(died)
            link.atEnd = { _ in probe.stay() }
            let observer = PlainObserver()
            let handle: ObservationHandle
            do {
                let loop = DeliveryLoop()
                weakLoop = loop
                handle = link.tell(observer, when: \.count, on: loop) { observer, link in
                    observer.seen.append(link.count)
                }
                link.count = 1
                #expect(loop.pendingCount == 1)
            }
            #expect(weakLoop == nil)
            #expect(!handle.hasEnded)
            link.count = 2
            #expect(observer.seen == [])
        }
        #expect(died.value == 1)
    }

    /// The block that is shared keeps the loop that it names: it is the program's.
    @Test func DR_10_a_shared_block_keeps_its_loop() {
        weak var weakLoop: DeliveryLoop?
        let link = Link()
        let observer = PlainObserver()
        do {
            let block = {
                let loop = DeliveryLoop()
                weakLoop = loop
                return ObservationBlock(on: loop) { (observer: PlainObserver, link: Link) in
                    observer.seen.append(link.count)
                }
            }()
            link.tell(observer, when: \.count, block: block)
            link.count = 1
            #expect(weakLoop?.drain() == 1)
            withExtendedLifetime(block) {}
        }
        #expect(observer.seen == [1])
        #expect(weakLoop == nil)
    }

    /// Taken back, it holds neither block nor root, drained or not.
    @Test func LT_9_what_a_token_takes_back_goes_with_the_next_drain() {
        let died = Shared(0)
        let loop = DeliveryLoop()
        let link = Link()
        let probe = Probe(died)
        let token = link.changes(of: \.count).on(loop).onChange { _ in probe.stay() }
        _ = consume probe
        link.count = 1
        #expect(loop.pendingCount == 1)
        token.cancel()
        #expect(loop.pendingCount == 0)
        #expect(loop.drain() == 0)
        #expect(died.value == 1)
    }

    @Test func RE_2_a_loop_is_ended_inside_its_own_block() {
        let loop = DeliveryLoop()
        let first = Link()
        let second = Link()
        let order = PlainObserver()
        first.tell(order, when: \.count, on: loop) { order, _ in
            order.seen.append(1)
            #expect(loop.invalidate())
            #expect(loop.drain() == 0)
        }
        second.tell(order, when: \.count, on: loop) { order, _ in order.seen.append(2) }
        first.count = 1
        second.count = 1
        #expect(loop.drain() == 1)
        #expect(loop.drain() == 0)
        #expect(order.seen == [1])
        first.stopTelling(order)
    }

    @Test func RE_2_a_loop_loses_its_last_reference_inside_its_own_block() {
        let queue = DispatchQueue(label: "loops")
        for _ in 0..<50 {
            let gauge = Gauge()
            let called = Event()
            let tokens = Shared<ObservationToken?>(nil)
            tokens.value = gauge.onChange(of: \.level, on: DeliveryLoop(queue: queue)) { _ in
                tokens.value = nil
                called.happen()
            }
            gauge.level = 1
            called.wait()
            gauge.level = 2
            queue.sync {}
        }
    }

    @Test func RE_2_loops_are_ended_while_threads_change() {
        for _ in 0..<50 {
            let gauge = Gauge()
            let loop = DeliveryLoop(queue: DispatchQueue(label: "loops"))
            let called = Event()
            let token = gauge.onChange(of: \.level, on: loop) { _ in called.happen() }
            gauge.level = -1
            called.wait()
            let threads = (0..<2).map { number in
                TestThread { for level in 1...50 { gauge.level = 2 * level + number } }
            }
            while !loop.invalidate() {}
            threads.forEach { $0.join() }
            #expect(loop.pendingCount == 0)
            token.cancel()
        }
    }

    @Test func DR_10_the_main_loop_does_not_end() {
        #expect(!DeliveryLoop.main.invalidate())
    }

    @Test func DR_10_a_loop_does_not_keep_its_actor() async {
        let gauge = Gauge()
        weak var weakClerk: Clerk?
        let loop: DeliveryLoop
        do {
            let clerk = Clerk()
            weakClerk = clerk
            loop = DeliveryLoop(actor: clerk)
        }
        #expect(weakClerk == nil)
        let token = gauge.onChange(of: \.level, on: loop) { _ in }
        gauge.level = 1
        // Nobody will ever drain it: see ActorsGoneTests.
        #expect(loop.pendingCount == 0)
        #expect(!token.execute())
        token.cancel()
    }

    /// What waits for an actor that is gone does not wait for another at its address.
    @Test func DR_10_many_actors_come_and_go() async {
        let gauge = Gauge()
        for _ in 0..<200 {
            let clerk = Watching()
            await clerk.observe(gauge)
            gauge.level += 1
            await clerk.called.come()
            await clerk.stop(gauge)
        }
        #expect(gauge.allObservedProperties == [])
    }
}

private actor Watching {
    let called = Event()
    private var count = 0

    func observe(_ gauge: Gauge) {
        gauge.tell(self, when: \.level) { _, _ in
            self.count += 1
            self.called.happen()
        }
    }

    func stop(_ gauge: Gauge) { gauge.stopTelling(self) }
}
