// SPDX-License-Identifier: Apache-2.0
//
// TH-3: a block with an isolation runs in it, one without runs on the observation's loop.
// Programs that must not compile: Tests/swift/refused.

import Dispatch
import ObservableSwift
import Testing

@MainActor private final class Page: ObservableModel, Sendable {
    @Observed var text = ""
    @Observed var next: Page?
}

@MainActor private final class Window {
    var shown: [String] = []
}

/// A model inside an actor, which observes it itself.
private actor Store {
    private let link = Link()
    private var seen: [Int] = []
    private var token: ObservationToken?
    let called = Event()

    func observe(_ options: ObservationOptions = []) {
        link.tell(self, when: \.count, options: options) { _, link in
            self.note(link.count)
        }
    }

    func observeWithToken() {
        token = link.onChange(of: \.next?.count) { link in
            self.note(link.next?.count ?? -1)
        }
    }

    func observeAny(_ gauge: Gauge, _ options: ObservationOptions = []) {
        gauge.tell(self, when: \.level, options: options) { _, gauge in
            self.note(gauge.level)
        }
    }

    private func note(_ count: Int) {
        self.preconditionIsolated()
        seen.append(count)
        called.happen()
    }

    func set(_ count: Int) { link.count = count }
    func lead(to count: Int) { link.next = Link(count) }
    func change(_ gauge: Gauge, _ level: Int) -> [Int] {
        gauge.level = level
        return seen
    }
    func seenSoFar() -> [Int] { seen }
    func stop(_ gauge: Gauge? = nil) {
        link.stopTelling(self)
        gauge?.stopTelling(self)
        token = nil
    }
    var isObserved: Bool { !link.allObservedProperties.isEmpty }
}

/// An actor that is itself observable.
private actor Account: ObservableHost {
    nonisolated let observation = ObservationHeader()
    @Observed private(set) var balance = 0
    @Observed private(set) var owner: Link?
    private var seen: [Int] = []
    let called = Event()

    func observe() {
        tell(self, when: \.[text: "balance"], \.[text: "owner.count"]) { _, _ in self.note() }
    }

    private func note() {
        preconditionIsolated()
        seen.append(balance + (owner?.count ?? 0))
        called.happen()
    }

    func pay(_ amount: Int) { balance += amount }
    func belong(to count: Int) { owner = Link(count) }
    func seenSoFar() -> [Int] { seen }
    func stop() { stopTelling(self) }
}

/// An actor on an executor of its own.
private actor Desk {
    final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "desk")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() {
            dispatchPrecondition(condition: .onQueue(queue))
        }
    }

    let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var seen: [Int] = []
    let called = Event()

    func observe(_ gauge: Gauge, _ options: ObservationOptions = []) {
        gauge.tell(self, when: \.level, options: options) { _, gauge in
            dispatchPrecondition(condition: .onQueue(self.executor.queue))
            self.preconditionIsolated()
            self.seen.append(gauge.level)
            self.called.happen()
        }
    }

    func seenSoFar() -> [Int] { seen }
    func stop(_ gauge: Gauge) { gauge.stopTelling(self) }
}

@Suite struct IsolationTests {
    // MARK: - The main actor

    @Test @MainActor func TH_3_main_actor_code_observes_on_the_main_loop() async {
        let page = Page()
        let window = Window()
        let called = Event()
        page.tell(window, when: \.text) { window, page in
            MainActor.preconditionIsolated()
            dispatchPrecondition(condition: .onQueue(.main))
            window.shown.append(page.text)
            called.happen()
        }
        page.text = "a"
        page.text = "b"
        #expect(window.shown == [])
        await called.come()
        #expect(window.shown == ["b"])
    }

    @Test func TH_3_what_other_threads_change_is_told_on_the_main_loop() async {
        let gauge = Gauge()
        let called = Event()
        let seen = Shared<[Int]>([])
        let token = await MainActor.run {
            gauge.onChange(of: \.level) { gauge in
                MainActor.preconditionIsolated()
                seen.change { $0.append(gauge.level) }
                called.happen()
            }
        }
        for level in 1...20 {
            await withCheckedContinuation { done in
                TestThread { gauge.level = level }.join()
                done.resume()
            }
            await called.come()
        }
        #expect(seen.value == Array(1...20))
        token.cancel()
    }

    @Test @MainActor func TH_3_a_typed_path_of_main_actor_models() {
        let page = Page()
        let window = Window()
        page.tell(window, when: \.next?.text, \.text) { window, page in
            window.shown.append(page.text + (page.next?.text ?? "-"))
        }
        page.next = Page()
        DeliveryLoop.main.drain()
        page.next?.text = "n"
        DeliveryLoop.main.drain()
        page.text = "t"
        DeliveryLoop.main.drain()
        #expect(window.shown == ["", "n", "tn"])
    }

    @Test @MainActor func TH_3_an_immediate_main_actor_block_is_called_at_once_on_it() {
        let page = Page()
        let window = Window()
        page.tell(window, when: \.text, options: .immediate) { window, page in
            MainActor.preconditionIsolated()
            window.shown.append(page.text)
        }
        page.text = "a"
        #expect(window.shown == ["a"])
        page.text = "b"
        #expect(window.shown == ["a", "b"])
        DeliveryLoop.main.drain()
        #expect(window.shown == ["a", "b"])
    }

    @Test func TH_3_an_immediate_main_actor_block_is_scheduled_by_changes_elsewhere() async {
        let gauge = Gauge()
        let called = Event()
        let window = await MainActor.run { Window() }
        await MainActor.run {
            _ = gauge.tell(window, when: \.level, options: .immediate) { window, gauge in
                MainActor.preconditionIsolated()
                window.shown.append("\(gauge.level)")
                called.happen()
            }
            gauge.level = 1
            #expect(window.shown == ["1"])
        }
        called.wait()
        await withCheckedContinuation { done in
            TestThread { gauge.level = 2 }.join()
            done.resume()
        }
        await called.come()
        await MainActor.run { #expect(window.shown == ["1", "2"]) }
    }

    @Test func TH_3_the_same_by_token() async {
        let gauge = Gauge()
        let called = Event()
        let window = await MainActor.run { Window() }
        let token = await MainActor.run {
            gauge.onChange(of: \.[text: "level"], options: .immediate) { gauge in
                MainActor.preconditionIsolated()
                window.shown.append("\(gauge.level)")
                called.happen()
            }
        }
        await withCheckedContinuation { done in
            TestThread { gauge.level = 2 }.join()
            done.resume()
        }
        await called.come()
        await MainActor.run {
            gauge.level = 3
            #expect(window.shown == ["2", "3"])
            token.cancel()
            gauge.level = 4
            #expect(window.shown == ["2", "3"])
        }
    }

    // MARK: - Actors

    @Test func TH_3_an_actor_observes_its_own_model_in_itself() async {
        let store = Store()
        await store.observe()
        await store.set(1)
        await store.called.come()
        #expect(await store.seenSoFar() == [1])
        for count in 2...30 {
            await store.set(count)
            await store.called.come()
        }
        #expect(await store.seenSoFar() == Array(1...30))
        await store.stop()
        #expect(await !store.isObserved)
    }

    @Test func TH_3_an_actor_observes_with_a_token() async {
        let store = Store()
        await store.observeWithToken()
        await store.lead(to: 5)
        await store.called.come()
        #expect(await store.seenSoFar() == [5])
        await store.stop()
        #expect(await !store.isObserved)
    }

    @Test func TH_3_an_immediate_block_of_an_actor_is_called_at_once_in_it() async {
        let store = Store()
        let gauge = Gauge()
        await store.observeAny(gauge, .immediate)
        #expect(await store.change(gauge, 1) == [1])
        await store.called.come()
        await store.stop(gauge)
    }

    @Test func TH_3_an_immediate_block_of_an_actor_is_scheduled_by_changes_elsewhere() async {
        let store = Store()
        let gauge = Gauge()
        await store.observeAny(gauge, .immediate)
        gauge.level = 1
        await store.called.come()
        #expect(await store.seenSoFar() == [1])
        await withCheckedContinuation { done in
            TestThread { gauge.level = 2 }.join()
            done.resume()
        }
        await store.called.come()
        await MainActor.run { gauge.level = 3 }
        await store.called.come()
        #expect(await store.seenSoFar() == [1, 2, 3])
        await store.stop(gauge)
    }

    @Test func TH_3_an_actor_on_an_executor_of_its_own() async {
        let desk = Desk()
        let gauge = Gauge()
        await desk.observe(gauge)
        for level in 1...5 {
            gauge.level = level
            await desk.called.come()
        }
        #expect(await desk.seenSoFar() == [1, 2, 3, 4, 5])
        await desk.stop(gauge)
        await desk.observe(gauge, .immediate)
        gauge.level = 6
        await desk.called.come()
        #expect(await desk.seenSoFar() == [1, 2, 3, 4, 5, 6])
        await desk.stop(gauge)
    }

    @Test func TH_3_an_observable_actor() async {
        let account = Account()
        await account.observe()
        await account.pay(10)
        await account.called.come()
        await account.belong(to: 5)
        await account.called.come()
        #expect(await account.seenSoFar() == [10, 15])
        #expect(account.numberOfObservers(of: "balance") == 1)
        await account.stop()
        #expect(account.allObservedProperties == [])
    }

    @Test func TH_3_execute_is_refused_outside_the_isolation() async {
        let gauge = Gauge()
        let window = await MainActor.run { Window() }
        let handle = await MainActor.run {
            gauge.tell(window, when: \.level) { window, gauge in
                MainActor.preconditionIsolated()
                window.shown.append("\(gauge.level)")
            }
        }
        #expect(!handle.execute())
        await MainActor.run {
            #expect(handle.execute())
            #expect(window.shown == ["0"])
        }
        let immediate = await MainActor.run {
            gauge.tell(window, when: \.level, options: .immediate) { _, _ in
                MainActor.preconditionIsolated()
            }
        }
        #expect(!immediate.execute())
        #expect(await MainActor.run { immediate.execute() })
    }

    // MARK: - Blocks without an isolation

    @Test func TH_3_a_block_without_isolation_runs_on_its_loop() async {
        let queue = DispatchQueue(label: "blocks")
        let gauge = Gauge()
        let called = Event()
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(queue: queue)) { _ in
            dispatchPrecondition(condition: .onQueue(queue))
            called.happen()
        }
        gauge.level = 1
        await called.come()
        await MainActor.run { gauge.level = 2 }
        await called.come()
        token.cancel()
    }

    @Test func TH_3_a_block_without_isolation_or_loop_runs_on_the_main_one() async {
        let gauge = Gauge()
        let called = Event()
        nonisolated func observe() -> ObservationToken {
            gauge.onChange(of: \.level) { _ in
                dispatchPrecondition(condition: .onQueue(.main))
                called.happen()
            }
        }
        let token = await MainActor.run { observe() }
        gauge.level = 1
        await called.come()
        token.cancel()
    }

    @Test func TH_3_an_immediate_block_without_isolation_runs_where_the_change_is_made() {
        let gauge = Gauge()
        let level = Shared(0)
        let token = gauge.onChange(of: \.level, options: .immediate) { gauge in
            level.value = gauge.level
        }
        onOtherThread {
            gauge.level = 7
            #expect(level.value == 7)
        }
        token.cancel()
    }

    // MARK: - Isolated blocks on other loops

    @Test @MainActor func TH_3_a_manual_loop_may_be_drained_in_the_isolation_of_its_block() {
        let page = Page()
        let window = Window()
        let loop = DeliveryLoop()
        page.tell(window, when: \.text, on: loop) { window, page in
            window.shown.append(page.text)
        }
        page.text = "a"
        #expect(loop.drain() == 1)
        #expect(window.shown == ["a"])
    }

    @Test func TH_3_draining_an_isolated_block_elsewhere_stops_the_program() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let gauge = Gauge()
            let loop = DeliveryLoop()
            await MainActor.run {
                let window = Window()
                gauge.tell(window, when: \.level, on: loop) { window, gauge in
                    window.shown.append("\(gauge.level)")
                }
                gauge.level = 1
            }
            TestThread { loop.drain() }.join()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("isolated to an actor was called by a drain outside of it"))
        #expect(said.contains("IsolationTests.swift"))
    }

    @Test @MainActor func TH_3_a_sendable_block_of_main_actor_code_is_drained_anywhere() {
        let gauge = Gauge()
        let loop = DeliveryLoop()
        let seen = Shared(0)
        let token = gauge.onChange(of: \.level, on: loop) { @Sendable gauge in
            seen.value = gauge.level
        }
        gauge.level = 3
        onOtherThread { loop.drain() }
        #expect(seen.value == 3)
        token.cancel()
    }

    @Test func TH_3_the_actor_of_a_block_may_be_named_as_its_loop() async {
        let desk = Desk()
        let gauge = Gauge()
        let called = Event()
        let queue = desk.executor.queue
        let token = gauge.onChange(of: \.level, on: DeliveryLoop(actor: desk)) { _ in
            dispatchPrecondition(condition: .onQueue(queue))
            called.happen()
        }
        gauge.level = 1
        await called.come()
        token.cancel()
    }
}
