// SPDX-License-Identifier: Apache-2.0

import ObservableObservation
import ObservableSwift
import Observation
import Synchronization
import Testing

private final class Summary: ObservableModel {
    @Observed var factor = 1
    @Observed var count: FollowedValue<Int>
    @Computed({ (summary: Summary) in summary.count.value * summary.factor }) var product: Int

    init(_ counter: Counter, _ loop: DeliveryLoop) {
        count = FollowedValue(of: counter, on: loop) { $0.count }
    }
}

@Suite struct FollowedValueTests {
    private let loop = DeliveryLoop {}

    @Test func BI_7_changes_of_an_expression_are_delivered_by_one_call() {
        let counter = Counter()
        let seen = Mutex<[Int]>([])
        let token = counter.onChange(valueOf: { $0.count * $0.step }, on: loop) { value in
            seen.withLock { $0.append(value) }
        }
        counter.count = 1
        counter.count = 2
        counter.step = 10
        #expect(seen.withLock { $0 } == [])
        loop.drain()
        #expect(seen.withLock { $0 } == [20])
        #expect(loop.drain() == 0)
        counter.count = 3
        loop.drain()
        #expect(seen.withLock { $0 } == [20, 30])
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_EQ_1_an_equal_value_is_no_change() {
        let counter = Counter()
        let seen = Mutex<[Int]>([])
        let token = counter.onChange(valueOf: { $0.count / 10 }, on: loop) { value in
            seen.withLock { $0.append(value) }
        }
        counter.count = 9
        loop.drain()
        counter.count = 10
        loop.drain()
        counter.count = 19
        loop.drain()
        #expect(seen.withLock { $0 } == [1])
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_OB_2_the_present_value_comes_first_where_it_is_asked_for() {
        let counter = Counter()
        let seen = Mutex<[Int]>([])
        let token = counter.onChange(valueOf: { $0.count }, on: loop, options: .initial) { value in
            seen.withLock { $0.append(value) }
        }
        loop.drain()
        counter.count = 1
        loop.drain()
        #expect(seen.withLock { $0 } == [0, 1])
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_what_a_block_sets_itself_comes_in_the_next_cycle() {
        let counter = Counter()
        let calls = Tally()
        let token = counter.onChange(valueOf: { $0.count }, on: loop) { [weak counter] count in
            calls.add()
            if count < 3 { counter?.count = count + 1 }
        }
        counter.count = 1
        while loop.drain() > 0 {}
        #expect(calls.value == 3)
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_ST_4_a_dropped_token_takes_its_call_back_and_lets_go_of_all() {
        let living = Tally()
        let calls = Tally()
        let counter = Counter()
        for isCancelled in [true, false] {
            var token: ObservationToken?
            do {
                let counted = Counted(living)
                token = counter.onChange(
                    valueOf: { [counted] counter in
                        counted.stay()
                        return counter.count
                    }, on: loop
                ) { _ in
                    counted.stay()
                    calls.add()
                }
            }
            counter.count += 1
            #expect(living.value == 1)
            if isCancelled { token!.cancel() }
            token = nil
            loop.drain()
            #expect(living.value == 0)
            counter.count += 1
            #expect(loop.pendingCount == 0)
            withExtendedLifetime(token) {}
        }
        #expect(calls.value == 0)
    }

    @Test func BI_7_LT_1_the_object_is_not_kept() {
        let ended = Tally()
        let calls = Tally()
        let token: ObservationToken
        let followed: FollowedValue<Int>
        do {
            let counter = Counter { ended.add() }
            token = counter.onChange(valueOf: { $0.count }, on: loop) { _ in calls.add() }
            followed = FollowedValue(of: counter, on: loop) { $0.count }
            counter.count = 1
        }
        #expect(ended.value == 1)
        loop.drain()
        #expect(calls.value == 0)
        #expect(followed.value == 0)
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_LL_2_a_computed_property_depends_on_it() {
        let counter = Counter()
        let summary = Summary(counter, loop)
        let seen = Mutex<[Int]>([])
        let token = summary.changes(of: \.product).on(loop).onChange { change in
            seen.withLock { $0.append(change.new ?? -1) }
        }
        #expect(summary.product == 0)
        counter.count = 2
        loop.drain()
        #expect(summary.product == 2)
        summary.factor = 3
        loop.drain()
        counter.count = 3
        loop.drain()
        #expect(seen.withLock { $0 } == [2, 6, 9])
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_KP_3_paths_lead_through_it() {
        let first = Counter()
        let second = Counter()
        let summary = Summary(first, loop)
        let calls = Tally()
        let token = summary.onChange(of: \.count.value, on: loop) { _ in calls.add() }
        first.count = 1
        loop.drain()
        #expect(calls.value == 1)
        second.count = 5
        summary.count = FollowedValue(of: second, on: loop) { $0.count }
        loop.drain()
        #expect(calls.value == 2)
        first.count = 9
        loop.drain()
        #expect(calls.value == 2)
        second.count = 6
        loop.drain()
        #expect(calls.value == 3)
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_what_is_refused_stands_in_the_token() async {
        let cases: [() -> ObservationError?] = [
            {
                let counter = Counter()
                return counter.onChange(valueOf: { $0.count }) { _ in }.failure
            },
            { FollowedValue(of: Counter(), isolation: nil) { $0.count }.failure },
        ]
        for failure in cases {
            #expect(failure()?.kind == .isolation)
        }
    }

    @MainActor @Test func BI_7_TH_3_the_main_actors_objects_are_followed_there() async {
        let cart = Cart()
        let seen = Mutex<[Int]>([])
        let token = cart.onChange(valueOf: { $0.total }) { total in
            MainActor.assertIsolated()
            seen.withLock { $0.append(total) }
        }
        let followed = FollowedValue(of: cart) { $0.prices.count }
        cart.prices = [1, 2]
        cart.prices.append(3)
        DeliveryLoop.main.drain()
        #expect(seen.withLock { $0 } == [6])
        #expect(followed.value == 3)
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_nothing_is_left() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop {}
            let before = ObservationCounters.current.observations
            for _ in 0..<10 {
                let counter = Counter()
                let token = counter.onChange(valueOf: { $0.count }, on: loop) { _ in }
                counter.count = 1
                loop.drain()
                counter.count = 2
                withExtendedLifetime(token) {}
            }
            loop.drain()
            #expect(ObservationCounters.current.observations == before)
        }
    }
}
