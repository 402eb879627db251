// SPDX-License-Identifier: Apache-2.0
//
// The bridge is the process's, and so are the counters: a process for each test.

import ObservableObservation
import ObservableSwift
import Observation
import Testing

@Suite struct ObservationBridgeTests {
    @Test func BI_7_a_read_inside_tracking_is_seen() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            for name in ["Grace", "Joan", "Ada"] {
                let told = tracking { _ = user.name }
                user.age += 1
                user.name = user.name
                #expect(told.value == 0)
                user.name = name
                user.name = "once more"
                #expect(told.value == 1)
            }
            let first = tracking { _ = user.name }
            let second = tracking { _ = user.name + "\(user.age)" }
            user.age += 1
            #expect((first.value, second.value) == (0, 1))
            user.name = "Mary"
            #expect((first.value, second.value) == (1, 1))
        }
    }

    /// The new value is there by then.
    @Test func BI_7_a_change_is_told_after_the_store() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let gauge = Gauge()
            let seen = Tally()
            withObservationTracking {
                _ = gauge.level
            } onChange: {
                seen.add(gauge.level)
            }
            gauge.level = 5
            #expect(seen.value == 5)
        }
    }

    @Test func BI_7_nothing_is_seen_while_the_bridge_is_off() async {
        await #expect(processExitsWith: .success) {
            let user = User()
            #expect(!ObservationBridge.isOn)
            let before = tracking { _ = user.name }
            user.name = "Grace"
            ObservationBridge.isOn = true
            let during = tracking { _ = user.name }
            // Nothing new.
            ObservationBridge.isOn = true
            user.name = "Joan"
            #expect(during.value == 1)
            let observations = ObservationCounters.current.observations
            ObservationBridge.isOn = false
            #expect(ObservationCounters.current.observations == observations - 1)
            let after = tracking { _ = user.name }
            user.name = "Mary"
            #expect((before.value, after.value) == (0, 0))
            ObservationBridge.isOn = true
            let again = tracking { _ = user.name }
            user.name = "Ada"
            #expect(again.value == 1)
        }
    }

    @Test func BI_7_a_read_outside_of_tracking_begins_nothing() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let before = ObservationCounters.current.observations
            for _ in 0..<10 {
                _ = (user.name, user.decade, user.years, user.tags.count)
            }
            #expect(ObservationCounters.current.observations == before)
            for _ in 0..<10 {
                _ = tracking { _ = (user.name, user.name) }
            }
            #expect(ObservationCounters.current.observations == before + 1)
        }
    }

    @Test func BI_7_a_path_is_seen_with_all_that_was_read_on_the_way() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            var told = tracking { _ = user.address?.zipCode }
            let first = Address("1")
            user.address = first
            #expect(told.value == 1)
            told = tracking { _ = user.address?.zipCode }
            first.zipCode = "2"
            #expect(told.value == 1)
            told = tracking { _ = try? user.value(at: "address.zipCode") }
            user.address = Address("2")
            #expect(told.value == 1)
            told = tracking { _ = try? user.value(at: "address.zipCode") }
            first.zipCode = "3"
            #expect(told.value == 0)
            user.address?.zipCode = "4"
            #expect(told.value == 1)
        }
    }

    @Test func BI_7_the_content_of_collections_is_seen() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            for read in [
                { user in user.tags.count }, { user in user.tags.first?.count ?? 0 },
                { user in user.tags.reduce(0) { $0 + $1.count } },
            ] as [(User) -> Int] {
                var told = tracking { _ = read(user) }
                user.tags.append("a")
                #expect(told.value == 1)
                told = tracking { _ = read(user) }
                user.tags = ["b"]
                #expect(told.value == 1)
            }
            let told = tracking { _ = user.flags.reduce(0, +) }
            user.flags.append(1)
            #expect(told.value == 1)
        }
    }

    @Test func BI_7_LL_5_a_computed_property_is_what_was_read() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            for _ in 0..<3 {
                user.age = 36
                let told = tracking { _ = user.decade }
                user.age = 37
                #expect(told.value == 0)
                user.age = 47
                #expect(told.value == 1)
            }
        }
    }

    /// Only its getter can compute it: whether it has changed is not known.
    @Test func BI_7_a_computed_property_without_a_wrapper_is_seen() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            for _ in 0..<3 {
                user.age = 36
                let told = tracking { _ = user.years }
                user.name += "."
                #expect(told.value == 0)
                user.age = 47
                #expect(told.value == 1)
            }
        }
    }

    @Test func BI_7_LL_1_a_lazy_property_is_seen_when_it_is_invalidated() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let told = tracking { _ = user.doubled }
            user.age = 37
            #expect(told.value == 0)
            user.computedProperties.invalidate(\.doubled)
            #expect(told.value == 1)
        }
    }

    @Test func BI_7_LT_6_a_weak_property_is_seen_when_its_object_ends() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            var friend: Address? = Address()
            user.friend = friend
            let told = tracking { _ = user.friend }
            friend = nil
            #expect(user.friend == nil)
            #expect(told.value == 1)
            withExtendedLifetime(friend) {}
        }
    }

    @Test func BI_7_LT_1_nothing_is_kept_alive_and_nothing_is_left() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let living = Tally()
            let ended = Tally()
            let before = ObservationCounters.current.observations
            for _ in 0..<50 {
                let user = User { ended.add() }
                user.address = Address()
                let counted = Counted(living)
                withObservationTracking {
                    _ = (user.name, user.decade, user.address?.zipCode, user.tags.count)
                } onChange: {
                    counted.stay()
                }
            }
            #expect(ended.value == 50)
            #expect(living.value == 0)
            #expect(ObservationCounters.current.observations == before)
        }
    }

    /// An address that is given out again is another object's.
    @Test func BI_7_objects_one_after_the_other_are_told_apart() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            for level in 1...200 {
                let address = Address()
                let told = tracking { _ = address.zipCode }
                if level % 2 == 0 {
                    address.zipCode = "\(level)"
                    #expect(told.value == 1)
                }
            }
        }
    }

    @Test func BI_7_what_changes_and_is_read_no_more_is_left_alone_at_last() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let before = ObservationCounters.current.observations
            _ = tracking { _ = user.age }
            for age in 0..<200 { user.age = age }
            #expect(ObservationCounters.current.observations == before)
            let told = tracking { _ = user.age }
            user.age = 1
            #expect(told.value == 1)
        }
    }

    @Test func BI_7_what_is_left_alone_leaves_the_rest_of_its_object_seen() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let before = ObservationCounters.current.observations
            let name = tracking { _ = user.name }
            _ = tracking { _ = user.age }
            for age in 0..<200 { user.age = age }
            #expect(ObservationCounters.current.observations == before + 1)
            let age = tracking { _ = user.age }
            user.age = 1
            #expect((name.value, age.value) == (0, 1))
            user.name = "Grace"
            #expect(name.value == 1)
        }
    }

    @Test func BI_7_TH_1_what_one_thread_tracks_begins_nothing_for_another() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let before = ObservationCounters.current.observations
            let gauges = (0..<500).map { _ in Gauge() }
            onThreads(4) { number in
                for gauge in gauges {
                    if number % 2 == 0 {
                        let own = Gauge()
                        _ = tracking { _ = own.level }
                    } else {
                        for _ in 0..<100 { _ = gauge.level }
                    }
                }
            }
            #expect(ObservationCounters.current.observations == before)
        }
    }

    /// Observation waits for changes from the closure's end on; what came before it is lost there, and
    /// no more than that.
    @Test func BI_7_TH_1_many_changes_between_a_read_and_the_end_of_tracking_lose_no_later_one()
        async
    {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let gauge = Gauge()
            let before = ObservationCounters.current.observations
            let told = tracking {
                _ = gauge.level
                onThreads(2) { number in
                    for level in 1...200 { gauge.level = 1_000 * number + level }
                }
            }
            #expect(told.value == 0)
            gauge.level = -1
            #expect(told.value == 1)
            for level in 0..<200 { gauge.level = level }
            #expect(ObservationCounters.current.observations == before)
        }
    }

    @Test func BI_7_what_is_read_outside_of_tracking_alone_is_left_alone_at_last() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let before = ObservationCounters.current.observations
            _ = tracking { _ = user.age }
            for age in 0..<200 { user.age = user.age + age + 1 }
            #expect(ObservationCounters.current.observations == before)
        }
    }

    @Test func BI_7_LT_10_what_a_deinit_reads_leaves_nothing() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let before = ObservationCounters.current.observations
            let calls = Tally()
            for _ in 0..<20 {
                _ = tracking {
                    let reader = ReadingAtEnd(calls)
                    withExtendedLifetime(reader) {}
                }
            }
            #expect(calls.value == 20)
            #expect(ObservationCounters.current.observations == before)
        }
    }

    @Test func BI_7_any_thread_turns_it_on_and_off() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<2_000 {
                onThreads(4) { number in
                    for round in 0..<50 { ObservationBridge.isOn = (number + round) % 2 == 0 }
                }
                ObservationBridge.isOn = false
                let gauge = Gauge()
                var told = tracking { _ = gauge.level }
                gauge.level = 1
                #expect(told.value == 0)
                ObservationBridge.isOn = true
                told = tracking { _ = gauge.level }
                gauge.level = 2
                #expect(told.value == 1)
            }
        }
    }

    @Test func BI_7_tracked_blocks_of_ours_go_on_inside_tracking() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let loop = DeliveryLoop {}
            let user = User()
            let calls = Tally()
            var token: ObservationToken?
            let told = tracking {
                token = user.tracking { user in
                    calls.add()
                    return user.name
                }.on(loop).onChange { _ in }
            }
            loop.drain()
            let atFirst = calls.value
            for name in ["Grace", "Joan", "Mary"] {
                user.name = name
                loop.drain()
            }
            #expect(calls.value == atFirst + 3)
            #expect(told.value == 0)
            withExtendedLifetime(token) {}
        }
    }

    @Test func BI_7_models_of_both_kinds_are_seen_together() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let counter = Counter()
            var told = tracking { _ = user.age + counter.count }
            counter.count = 1
            #expect(told.value == 1)
            told = tracking { _ = user.age + counter.count }
            user.age = 1
            #expect(told.value == 1)
            // Nested, what is inside counts for both.
            let inner = Tally()
            let outer = tracking {
                withObservationTracking {
                    _ = user.age
                } onChange: {
                    inner.add()
                }
            }
            user.age = 2
            #expect((inner.value, outer.value) == (1, 1))
        }
    }

    @Test func BI_7_changes_inside_a_batch_are_told() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let told = tracking { _ = (user.name, user.age) }
            withObservationBatch {
                user.name = "Grace"
                user.age = 1
            }
            #expect(told.value == 1)
        }
    }

    @Test func BI_7_TH_1_properties_of_any_thread_are_read_and_set_on_threads() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let gauges = (0..<4).map { _ in Gauge() }
            let told = Tally()
            onThreads(8) { number in
                for round in 1...500 {
                    let gauge = gauges[(number + round) % 4]
                    if number % 2 == 0 {
                        gauge.level = round
                    } else {
                        withObservationTracking {
                            _ = gauge.level
                        } onChange: {
                            told.add()
                        }
                    }
                }
            }
            let last = tracking { for gauge in gauges { _ = gauge.level } }
            gauges[2].level = -1
            #expect(last.value == 1)
            #expect(told.value > 0)
        }
    }

    @Test func BI_7_TH_2_objects_that_end_on_threads_are_let_go_of() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let before = ObservationCounters.current.observations
            onThreads(4) { _ in
                for round in 1...500 {
                    let gauge = Gauge()
                    let told = tracking { _ = gauge.level }
                    if round % 2 == 0 {
                        gauge.level = 1
                        #expect(told.value == 1)
                    }
                }
            }
            // What was set is held until the drain that tells of it (TH-1).
            await MainActor.run { _ = DeliveryLoop.main.drain() }
            #expect(ObservationCounters.current.observations == before)
        }
    }

    @Test func BI_7_Observations_emits() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            await emits()
        }
    }
}

@MainActor private func emits() async {
    let person = Person()
    var iterator = Observations { "\(person.name) \(person.age)" }.makeAsyncIterator()
    #expect(await iterator.next() == "Ada 36")
    person.name = "Grace"
    person.age = 37
    #expect(await iterator.next() == "Grace 37")
    // While the consumer waits.
    Task { @MainActor in
        person.age = 38
        person.age = 39
    }
    #expect(await iterator.next() == "Grace 39")
}
