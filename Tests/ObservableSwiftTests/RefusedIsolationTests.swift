// SPDX-License-Identifier: Apache-2.0
//
// TH-3: a block that would run where it does not belong is refused where it is begun.

import Dispatch
import ObservableSwift
import Testing

@MainActor private final class Window {
    var levels: [Int] = []
}

private final class Reader: Sendable {}

private actor Shop {
    private let gauge = Gauge()
    private let seen = Event()

    /// Every way to begin, with blocks that have no isolation, since they do not use the actor.
    func everyWayHere() async -> [ObservationError?] {
        let (reader, seen) = (Reader(), seen)
        weak let me = self
        let note = { @Sendable in
            me!.preconditionIsolated()
            seen.happen()
        }
        let block = ObservationBlock { (_: Reader, _: Gauge) in note() }
        let handles = [
            gauge.tell(reader, when: \.level) { _, _ in note() },
            gauge.tell(reader, when: \.level, block: block),
            Gauge.allInstances.instances(when: \.level).tell(reader) { _, _ in note() },
            gauge.changes(of: \.level).tell(reader) { _, _ in note() },
        ]
        let tokens = [
            gauge.onChange(of: \.level) { _ in note() },
            Gauge.allInstances.instances(when: \.level).onChange { _ in note() },
            gauge.changes(of: \.level).onChange { _ in note() },
        ]
        gauge.level += 1
        for _ in 0..<handles.count + tokens.count { await seen.come() }
        handles.forEach { $0.stop() }
        return handles.map(\.failure) + tokens.map(\.failure)
    }

    func callsOut() -> [(name: String, failure: ObservationError?)] {
        everyWay(on: nil)
    }

    /// The same with this actor as the observer.
    func observe(_ gauge: Gauge) -> ObservationHandle {
        gauge.tell(self, when: \.level) { _, _ in }
    }

    func observe(on loop: DeliveryLoop) -> ObservationHandle {
        gauge.tell(self, when: \.level, on: loop) { _, _ in self.preconditionIsolated() }
    }

    /// Called inside the change, or on the actor's own loop.
    func observeImmediately(_ gauge: Gauge, on loop: DeliveryLoop?) -> ObservationHandle {
        gauge.tell(self, when: \.level, on: loop, options: .immediate) { _, _ in
            self.preconditionIsolated()
        }
    }
}

/// Every way to begin, with blocks that have no isolation.
private func everyWay(
    on loop: DeliveryLoop?, options: ObservationOptions = []
) -> [(name: String, failure: ObservationError?)] {
    let gauge = Gauge()
    let reader = Reader()
    let block = ObservationBlock(on: loop, options: options) { (_: Reader, _: Gauge) in }
    let path: TextPath = "level"
    let handles = [
        ("when", gauge.tell(reader, when: \.level, on: loop, options: options) { _, _ in }),
        (
            "whenText",
            gauge.tell(reader, when: \.[text: path], on: loop, options: options) { _, _ in }
        ),
        ("of", gauge.changes(of: \.level).on(loop).options(options).tell(reader) { _, _ in }),
        (
            "valueOf",
            gauge.changes(of: \.level).map { $0.new }.on(loop).options(options).tell(reader) {
                _, _ in
            }
        ),
        (
            "recordOf",
            gauge.record(of: \.level).on(loop).options(options).tell(reader) { _, _ in }
        ),
        ("block", gauge.tell(reader, when: \.level, block: block)),
        (
            "class",
            Gauge.allInstances.instances(when: \.level).on(loop).options(options).tell(reader) {
                _, _ in
            }
        ),
        (
            "class, of",
            Gauge.allInstances.changes(of: \.level).on(loop).options(options).tell(reader) { _, _ in
            }
        ),
    ]
    let tokens = [
        ("onChange", gauge.onChange(of: \.level, on: loop, options: options) { _ in }),
        ("onChange, of", gauge.changes(of: \.level).on(loop).options(options).onChange { _ in }),
        (
            "class, onChange",
            Gauge.allInstances.instances(when: \.level).on(loop).options(options).onChange { _ in }
        ),
    ]
    gauge.level += 1
    defer { for (_, handle) in handles { handle.stop() } }
    return handles.map { ($0, $1.failure) } + tokens.map { ($0, $1.failure) }
}

@Suite struct RefusedIsolationTests {
    // MARK: - Blocks without an isolation

    @Test func TH_3_begun_off_the_main_loop_a_block_without_isolation_names_its_loop() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let elsewhere = Shared<[ObservationError?]>([])
            TestThread { elsewhere.value = everyWay(on: nil).map(\.failure) }.join()
            #expect(elsewhere.value.allSatisfy { $0?.kind == .isolation })
            #expect(reports.value.map(\.error) == elsewhere.value)
            #expect(reports.value.allSatisfy(isFromHere))
            #expect(elsewhere.value.first??.message.contains("on: .main") == true)
        }
    }

    @Test func TH_3_nor_on_another_queue() {
        let queue = DispatchQueue(label: "places")
        #expect(queue.sync { everyWay(on: nil).allSatisfy { $0.failure?.kind == .isolation } })
    }

    @Test func TH_3_nor_in_a_function_without_isolation_that_an_actor_calls() async {
        #expect(await Shop().callsOut().allSatisfy { $0.failure?.kind == .isolation })
    }

    @Test func TH_3_begun_in_an_actor_it_belongs_there() async {
        await #expect(processExitsWith: .success) {
            #expect(await Shop().everyWayHere().allSatisfy { $0 == nil })
        }
    }

    @Test func TH_3_LT_1_and_does_not_keep_the_actor() async {
        let gauge = Gauge()
        var shop: Shop? = Shop()
        let handle = await shop!.observe(gauge)
        weak let gone = shop
        shop = nil
        #expect(gone == nil && handle.failure == nil && handle.hasEnded)
    }

    @Test func TH_3_a_loop_that_is_named_is_vouched_for() {
        for loop in [.main, DeliveryLoop(), DeliveryLoop(queue: DispatchQueue(label: "places"))] {
            TestThread { #expect(everyWay(on: loop).allSatisfy { $0.failure == nil }) }.join()
        }
    }

    @Test @MainActor func TH_3_begun_on_the_main_loop_it_belongs_there() {
        #expect(everyWay(on: nil).allSatisfy { $0.failure == nil })
    }

    @Test func TH_3_begun_on_the_main_queue_it_belongs_there() async {
        await withCheckedContinuation { done in
            DispatchQueue.main.async {
                #expect(everyWay(on: nil).allSatisfy { $0.failure == nil })
                done.resume()
            }
        }
    }

    /// It is called inside the change, wherever that is.
    @Test func TH_3_an_immediate_block_without_isolation_needs_no_loop() {
        TestThread {
            #expect(everyWay(on: nil, options: .immediate).allSatisfy { $0.failure == nil })
        }.join()
    }

    /// But by hand it would be called by the main loop.
    @Test func TH_3_which_a_schedule_by_hand_would_use() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let calls = Shared(0)
            let gauge = Gauge()
            let tokens = Shared<[ObservationToken]>([])
            TestThread {
                let token = gauge.onChange(of: \.level, options: .immediate) { _ in
                    calls.change { $0 += 1 }
                }
                token.schedule()
                #expect(reports.value.map(\.error?.kind) == [.isolation])
                gauge.level = 1
                #expect(calls.value == 1)
                tokens.value = [token]
            }.join()
            await MainActor.run {
                #expect(DeliveryLoop.main.drain() == 0)
                let token = gauge.onChange(of: \.level, options: .immediate) { _ in
                    calls.change { $0 += 1 }
                }
                token.schedule()
                #expect(DeliveryLoop.main.drain() == 1)
            }
            #expect(reports.value.count == 1 && reports.value.allSatisfy(isFromHere))
        }
    }

    @Test func TH_3_nor_are_paths_added_elsewhere() async throws {
        let gauge = Gauge()
        let reader = Reader()
        let handle = await MainActor.run { beginExtensible(gauge, reader) }
        #expect(handle.failure == nil)
        #expect(throws: ObservationError.self) { try handle.also(gauge, when: \.title) }
        try await MainActor.run { try handle.also(gauge, when: \.title) }
        handle.stop()
    }

    // MARK: - Isolated blocks and loops that are not theirs

    @Test func TH_3_a_main_actor_block_and_another_loop() async {
        let shop = Shop()
        let loops = [
            DeliveryLoop(queue: DispatchQueue(label: "places")), DeliveryLoop(actor: shop),
        ]
        for loop in loops {
            let handle = await MainActor.run {
                Gauge().tell(Window(), when: \.level, on: loop) { window, gauge in
                    window.levels.append(gauge.level)
                }
            }
            #expect(handle.failure?.kind == .isolation)
            #expect(handle.failure?.message.contains("the main actor") == true)
        }
        let message = await MainActor.run {
            Gauge().onChange(of: \.level, on: loops[0]) { _ in MainActor.assertIsolated() }
                .failure?.message
        }
        #expect(message?.contains("the queue \"places\"") == true)
    }

    @Test func TH_3_an_actors_block_and_another_loop() async {
        let (shop, other) = (Shop(), Shop())
        let loops = [
            .main, DeliveryLoop(queue: DispatchQueue(label: "places")), DeliveryLoop(actor: other),
        ]
        for loop in loops {
            #expect(await shop.observe(on: loop).failure?.kind == .isolation)
        }
        #expect(await shop.observe(on: DeliveryLoop(actor: shop)).failure == nil)
        #expect(await shop.observe(on: DeliveryLoop()).failure == nil)
    }

    @Test @MainActor func TH_3_the_main_queues_loops_are_the_main_actors() {
        for loop in [.main, DeliveryLoop(queue: .main), DeliveryLoop()] {
            let window = Window()
            let gauge = Gauge()
            gauge.tell(window, when: \.level, on: loop) { window, gauge in
                window.levels.append(gauge.level)
            }
            gauge.level = 1
            #expect(loop.drain() >= 1)  // the main one has other tests' calls
            #expect(window.levels == [1])
        }
    }

    // MARK: - Immediate blocks that wait

    /// Once a block, however often another thread sets.
    @Test func TH_3_an_immediate_block_that_waits_is_reported_once() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let gauge = Gauge()
            let window = await MainActor.run { Window() }
            await MainActor.run {
                gauge.tell(window, when: \.level, options: .immediate, label: "window") {
                    window, gauge in
                    window.levels.append(gauge.level)
                }
                gauge.level = 1
            }
            #expect(reports.value == [])
            for level in 2...4 {
                TestThread { gauge.level = level }.join()
            }
            #expect(reports.value.map(\.kind) == [.waiting])
            #expect(reports.value.first?.label == "window")
            #expect(reports.value.allSatisfy(isFromHere))
            #expect(reports.value.first?.text.contains("the main actor") == true)
            let shop = Shop()
            // A loop that is named is left aside.
            let handle = await shop.observeImmediately(gauge, on: .main)
            #expect(handle.failure == nil)
            TestThread { gauge.level = 5 }.join()
            TestThread { gauge.level = 6 }.join()
            #expect(reports.value.map(\.kind) == [.waiting, .waiting])
            handle.stop()
        }
    }
}

/// It names the line that began the observation.
private func isFromHere(_ report: ObservationDiagnostics.Report) -> Bool {
    report.file?.hasSuffix("RefusedIsolationTests.swift") == true && report.line ?? 0 > 0
}

private func beginExtensible(_ gauge: Gauge, _ reader: Reader) -> ObservationHandle {
    gauge.tell(reader, when: \.level, options: .allowsMorePaths) { _, _ in }
}
