// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ObservableSwift
import Testing

@Suite struct ImmediateValueTests {
    private let loop = DeliveryLoop()

    @Test func IM_3_each_change_has_its_own_values() {
        let root = Sample()
        var handed: [[Int?]] = []
        let token = root.changes(of: \.next?.count).options(.immediate).onChange {
            handed.append([$0.old, $0.new])
        }
        root.next = Sample()
        root.next?.count = 1
        root.next?.count += 1
        root.next = nil
        #expect(handed == [[nil, 0], [0, 1], [1, 2], [2, nil]])
        withExtendedLifetime(token) {}
    }

    /// A block that sets again hands the inner change over first, and then goes on with its own.
    @Test func IM_4_values_of_nested_changes() {
        let root = Sample()
        var handed: [[Int?]] = []
        let token = root.changes(of: \.count).options(.immediate).onChange {
            handed.append([$0.old, $0.new])
            if $0.new == 1 { root.count = 2 }
        }
        root.count = 1
        #expect(handed == [[0, 1], [1, 2]])
        withExtendedLifetime(token) {}
    }

    @Test func IM_3_turned_immediate_later() {
        let root = Sample()
        var handed: [[Int?]] = []
        let token = root.changes(of: \.count).on(loop).onChange { handed.append([$0.old, $0.new]) }
        root.count = 1
        token.makeImmediate()
        #expect(handed == [])
        // What was pending comes.
        loop.drain()
        #expect(handed == [[0, 1]])
        root.count = 2
        #expect(handed == [[0, 1], [1, 2]])
        token.makeImmediate()
        root.count = 3
        #expect(loop.drain() == 0 && handed.count == 3)
    }

    @Test func IM_3_a_handle_turned_immediate() {
        let root = Sample()
        let observer = Spot(0)
        var calls = 0
        let observation = root.tell(observer, when: \.count, \.name, on: loop) { _, _ in calls += 1
        }
        observation.makeImmediate()
        root.count = 1
        root.name = "a"
        #expect(calls == 2 && loop.drain() == 0)
        observation.stop()
        observation.makeImmediate()
        root.count = 2
        #expect(calls == 2)
    }

    /// Turned immediate, a block stays in its isolation: a change elsewhere schedules it there.
    @Test @MainActor func IM_3_TH_3_an_isolated_block_turned_immediate() async {
        let gauge = Gauge()
        let seen = Shared<[Int]>([])
        let token = gauge.onChange(of: \.level) { gauge in
            MainActor.assertIsolated()
            seen.change { $0.append(gauge.level) }
        }
        token.makeImmediate()
        gauge.level = 1
        #expect(seen.value == [1])
        TestThread { gauge.level = 2 }.join()
        #expect(seen.value == [1])
        // Other tests share this loop: how many calls the drain makes is not ours alone.
        DeliveryLoop.main.drain()
        #expect(seen.value == [1, 2])
        token.cancel()
    }

    /// What is handed over reaches a block in its isolation, whatever its form.
    @Test @MainActor func OB_3_TH_3_values_on_the_main_actor() {
        let gauge = Gauge()
        let observer = Spot(0)
        let seen = Shared<[String]>([])
        func note(_ text: String) {
            MainActor.assertIsolated()
            seen.change { $0.append(text) }
        }
        gauge.changes(of: \.level).map { $0.new }.tell(observer) { _, level in
            note("\(level ?? -1)")
        }
        gauge.changes(of: \.level).tell(observer) { _, change in note("\(change.old ?? -1)") }
        gauge.record(of: \.level).tell(observer) { _, record in
            note("\(record.entries.count) \(record.entries.first?.changes ?? 0)")
        }
        let tokens = [
            gauge.changes(of: \.level).onChange { change in note("\(change.object === gauge)") },
            gauge.changes(of: \.level).onChange { change in
                note("\(change.old ?? -1) \(change.new ?? -1)")
            },
        ]
        TestThread {
            gauge.level = 1
            gauge.level = 2
        }.join()
        DeliveryLoop.main.drain()
        #expect(seen.value == ["2", "0", "1 1", "true", "0 2"])
        withExtendedLifetime((observer, tokens)) {}
    }

    private actor Desk {
        private var seen: [Int] = []
        private var token: ObservationToken?
        let called = Event()

        func follow(_ gauge: Gauge) {
            token = gauge.changes(of: \.level).onChange { change in
                self.seen += [change.old ?? -1, change.new ?? -1]
                self.called.happen()
            }
        }

        func end() -> [Int] {
            token = nil
            return seen
        }
    }

    @Test func OB_3_TH_3_values_in_an_actor() async {
        let gauge = Gauge()
        let desk = Desk()
        await desk.follow(gauge)
        gauge.level = 3
        await desk.called.come()
        #expect(await desk.end() == [0, 3])
    }

    // MARK: - Before the store

    @Test func OB_2_prior_comes_before_the_store() {
        let root = Sample()
        var seen: [String] = []
        let token = root.changes(of: \.count).options([.immediate, .prior]).onChange { change in
            let when = change.isPrior ? "before" : "after"
            seen.append("\(when) \(change.old ?? -1) \(change.new ?? -1) \(root.count)")
        }
        root.count = 5
        #expect(seen == ["before 0 5 0", "after 0 5 5"])
        root.count = 5
        #expect(seen.count == 2)
        // In place too.
        root.count += 2
        #expect(seen.suffix(2) == ["before 5 7 5", "after 5 7 7"])
        withExtendedLifetime(token) {}
    }

    @Test func OB_2_prior_of_every_kind_of_property() {
        let root = Sample()
        var seen: [String] = []
        let other = Sample()
        let note: (Bool, String) -> Void = { seen.append("\($0 ? "before" : "after") \($1)") }
        let tokens = [
            root.changes(of: \.list).options([.immediate, .prior]).onChange {
                note($0.isPrior, "\($0.new ?? []) \(root.list)")
            },
            root.changes(of: \.weakNext).options([.immediate, .prior]).onChange {
                note($0.isPrior, "\($0.new === other) \(root.weakNext === other)")
            },
            root.changes(of: \.percent).options([.immediate, .prior]).onChange {
                note($0.isPrior, "\($0.new ?? -1) \(root.percent)")
            },
        ]
        root.list.append(1)
        #expect(seen == ["before [1] []", "after [1] [1]"])
        seen = []
        root.weakNext = other
        #expect(seen == ["before true false", "after true true"])
        seen = []
        root.percent = 300
        root.percent = 200
        #expect(seen == ["before 100 0", "after 100 100"])
        withExtendedLifetime(tokens) {}
    }

    /// A property in the middle: what will stand at the end is not known yet.
    @Test func OB_2_prior_above_the_end() throws {
        let root = Sample()
        var seen: [ObservedChange<Sample, Int>] = []
        let token = root.changes(of: \.next?.count).options([.immediate, .prior]).onChange {
            seen.append($0)
        }
        root.next = Sample()
        #expect(seen.map(\.isPrior) == [true, false])
        #expect(seen.map(\.isReachable) == [false, true])
        #expect(seen.map(\.wasReachable) == [false, false])
        root.next?.count = 2
        try #require(seen.map(\.isPrior) == [true, false, true, false])
        #expect(seen[2].old == 0 && seen[2].new == 2)
        withExtendedLifetime(token) {}
    }

    /// What is old is what is there when the value is stored.
    @Test func OB_2_prior_that_sets_itself() {
        let root = Sample()
        var seen: [[Int?]] = []
        let token = root.changes(of: \.count).options([.immediate, .prior]).onChange { change in
            if change.isPrior, change.new == 5 { root.count = 3 }
            if !change.isPrior { seen.append([change.old, change.new]) }
        }
        root.count = 5
        #expect(seen == [[0, 3], [3, 5]])
        #expect(root.count == 5)
        withExtendedLifetime(token) {}
    }

    @Test func OB_2_prior_needs_immediate() {
        let root = Sample()
        let token = root.changes(of: \.count).on(loop).options(.prior).onChange { _ in }
        #expect(token.failure?.kind == .options && token.hasEnded)
    }

    @Test func OB_2_prior_is_not_for_triggers() {
        let root = Sample()
        var priors = 0
        let token = root.changes(of: \.count).options([.immediate, .prior]).onChange {
            priors += $0.isPrior ? 1 : 0
        }
        root.trigger(\.count, old: 7)
        #expect(priors == 0)
        withExtendedLifetime(token) {}
    }
}
