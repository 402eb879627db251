// SPDX-License-Identifier: Apache-2.0
//
// Properties that any thread may set (TH-1): plain blocks are served by the set, all others by one
// change that a drain makes; what there is where no change has caused the call (OB-2).

import ObservableSwift
import Testing

private struct Word: Equatable, Sendable {
    var number = 0
}

private struct Long: Equatable, Sendable {
    var text = ""
    var number = 0
}

private final class Meter: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var word = Word()
    @ObservedAtomic var long = Long()
    @ObservedAtomic var count = 0
    @ObservedAtomic var next: Meter?

    var double: Int { computed { count * 2 } }

    /// Past the setter.
    func write(_ next: Meter?) { _next.unobserved = next }
}

@Suite(.serialized) struct SharedPropertyTests {
    private let meter = Meter()

    private let loop = DeliveryLoop()

    @Test func TH_1_a_plain_block_is_called_by_the_thread_that_sets() {
        let calls = Shared(0)
        let token = meter.onChange(of: \.word, options: .immediate) { _ in
            calls.change { $0 += 1 }
        }
        onOtherThread { [meter] in meter.word = Word(number: 5) }
        #expect(calls.value == 1)
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_EQ_7_values_see_the_sets_between_two_drains_as_one() {
        let seen = Shared<[[Int]]>([])
        let token = meter.changes(of: \.word).on(loop).options(.immediate).onChange { change in
            seen.change { $0.append([change.old?.number ?? -1, change.new?.number ?? -1]) }
        }
        meter.word = Word(number: 5)
        onOtherThread { [meter] in meter.word = Word(number: 7) }
        #expect(seen.value == [])
        loop.drain()
        #expect(seen.value == [[0, 7]])
        meter.word = Word(number: 5)
        onOtherThread { [meter] in meter.$word.update { $0.number += 2 } }
        loop.drain()
        #expect(seen.value == [[0, 7]])
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_EQ_7_the_same_of_a_longer_value_at_the_end_of_a_path() {
        let head = Meter()
        head.next = meter
        let seen = Shared<[[String]]>([])
        let token = head.changes(of: \.next?.long).on(loop).options(.immediate).onChange {
            change in
            seen.change { $0.append([change.old?.text ?? "none", change.new?.text ?? "none"]) }
        }
        onOtherThread { [meter] in meter.long = Long(text: "there") }
        meter.long = Long(text: "here")
        loop.drain()
        #expect(seen.value == [["", "here"]])
        meter.long = Long(text: "there")
        meter.long = Long(text: "here")
        loop.drain()
        #expect(seen.value == [["", "here"]])
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_KP_18_a_field_of_a_value_is_compared_by_the_drain() {
        let calls = Shared(0)
        let token = meter.onChange(of: \.long.number, on: loop, options: .immediate) { _ in
            calls.change { $0 += 1 }
        }
        onOtherThread { [meter] in meter.long = Long(text: "a", number: 5) }
        #expect(calls.value == 0)
        loop.drain()
        #expect(calls.value == 1)
        onOtherThread { [meter] in meter.long = Long(text: "b", number: 5) }
        loop.drain()
        #expect(calls.value == 1)
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_KP_3_a_path_through_it_follows_by_the_drain() {
        let calls = Shared(0)
        let other = Meter()
        other.count = 4
        meter.next = Meter()
        let token = meter.onChange(of: \.next?.count, on: loop) { _ in
            calls.change { $0 += 1 }
        }
        onOtherThread { [meter] in meter.next = other }
        loop.drain()
        #expect(calls.value == 1)
        onOtherThread { other.count = 5 }
        loop.drain()
        #expect(calls.value == 2)
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_LL_5_what_is_computed_of_it_is_told_by_the_drain() {
        let calls = Shared(0)
        let token = meter.onChange(of: \.double, on: loop) { _ in calls.change { $0 += 1 } }
        onOtherThread { [meter] in meter.count = 4 }
        // The owner's next read sees it.
        #expect(meter.double == 8)
        #expect(calls.value == 0)
        loop.drain()
        #expect(calls.value == 1)
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_OS_3_every_instance() {
        let seen = Shared<[[Int]]>([])
        let token = Meter.allInstances.changes(of: \.word).on(loop).options(.immediate).onChange {
            change in
            seen.change { $0.append([change?.old?.number ?? -1, change?.new?.number ?? -1]) }
        }
        onOtherThread { [meter] in meter.word = Word(number: 1) }
        loop.drain()
        #expect(seen.value == [[0, 1]])
        meter.word = Word(number: 5)
        onOtherThread { [meter] in meter.word = Word(number: 1) }
        loop.drain()
        #expect(seen.value == [[0, 1]])
        withExtendedLifetime(token) {}
    }

    @Test func OB_2_ST_4_a_call_by_hand_after_a_stop_has_the_present_value() {
        let head = Meter()
        head.next = meter
        let loop = DeliveryLoop()
        let observer = Spot(0)
        var told: [[Int?]] = []
        let observation = head.changes(of: \.next?.count).on(loop).tell(observer) { _, change in
            told.append([change.old, change.new])
        }
        observation.schedule()
        observation.stop()
        meter.count = 7
        loop.drain()
        #expect(told == [[7, 7]])
        withExtendedLifetime(observer) {}
    }

    @Test func KP_16_KP_19_the_same_path_typed_and_as_text_is_one() throws {
        meter.next = Meter()
        let loop = DeliveryLoop()
        let observer = Spot(0)
        var told: [[Int?]] = []
        let observation = meter.changes(of: \.next?.count).on(loop).options(.allowsMorePaths).tell(
            observer
        ) { _, change in told.append([change.old, change.new]) }
        try observation.also(meter, when: \.[text: "next.count"])
        try observation.also(meter, when: \.next?.count)
        #expect(throws: ObservationError.self) {
            try observation.also(meter, when: \.[text: "count"])
        }
        meter.next?.count = 1
        loop.drain()
        #expect(told == [[0, 1]])
        observation.execute()
        #expect(told == [[0, 1], [1, 1]])
        withExtendedLifetime(observer) {}
    }

    @Test func OS_3_MT_1_EQ_2_a_trigger_of_an_instance_that_was_there() {
        let loop = DeliveryLoop()
        let (first, second, third) = (Meter(), Meter(), Meter())
        let other = Meter()
        third.count = 3
        meter.next = first
        other.next = first
        var calls = 0
        let token = Meter.allInstances.instances(when: \.next?.count).on(loop).onChange { _ in
            calls += 1
        }
        meter.write(second)
        meter.trigger(\.[text: "next"], old: first as Any)
        loop.drain()
        // An equal end of any thread may call (EQ-2).
        var before = calls
        second.count = 1
        loop.drain()
        #expect(calls == before + 1)
        before = calls
        other.write(third)
        other.trigger(\.[text: "next"], old: first as Any)
        loop.drain()
        #expect(calls == before + 1)
        withExtendedLifetime(token) {}
    }

    @Test func TH_1_two_threads_count_up_and_down() {
        let times = 2_000
        let last = Shared(0)
        let moved = Shared(0)
        let token = meter.changes(of: \.count).on(loop).options(.immediate).onChange { change in
            moved.change { $0 += (change.new ?? 0) - (change.old ?? 0) }
            last.value = change.new ?? -1
        }
        onThreads(2) { [meter] thread in
            for _ in 0..<times {
                meter.$count.update { $0 += thread == 0 ? 2 : -1 }
            }
        }
        loop.drain()
        #expect(moved.value == times && last.value == times)
        withExtendedLifetime(token) {}
    }
}
