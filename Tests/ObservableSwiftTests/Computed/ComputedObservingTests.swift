// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private enum Mood: Equatable {
    case calm
    case loud(Int)
}

private struct Pair: Equatable {
    var a = 0
    var b = ""
}

/// Has no `==`.
private struct Opaque {
    var number = 0
}

private final class Values: ObservableModel {
    @Observed var number = 0
    @Computed({ (values: Values) in values.number > 1 ? "many" : nil }) var text: String?
    @Computed({ (values: Values) in values.number < 2 ? .calm : .loud(values.number / 2) })
    var mood: Mood
    @Computed({ (values: Values) in Pair(a: values.number / 10, b: "x") }) var pair: Pair
    @Computed({ (values: Values) in Opaque(number: values.number) }) var opaque: Opaque
    @Computed({ (values: Values) in { values.number } }) var closure: () -> Int
    @Computed({ (values: Values) in [Int](repeating: 1, count: values.number) }) var list: [Int]
}

private final class Guest: ObservableModel {
    @Observed var name = ""
    @Observed var number = 0
    @Observed var host: Guest?
    @Lazy({ (guest: Guest) in guest.host }) var friend: Guest?
    @Computed(Guest.makeRounded) var rounded: Int

    private func makeRounded() -> Int {
        number = number / 10 * 10
        return number
    }
}

@Suite struct ComputedObservingTests {
    @Test func KP_7_a_lazy_object_stands_in_the_middle() {
        let (guest, one, two) = (Guest(), Guest(), Guest())
        guest.host = one
        let name = BothSpellings(guest, "friend.name", \.friend?.name)
        one.name = "a"
        #expect(name.new == 1)
        guest.host = two
        two.name = "b"
        #expect(name.new == 0)
        guest.computedProperties.invalidate(\.friend)
        #expect(name.new == 1)
        one.name = "c"
        #expect(name.new == 0)
        two.name = "d"
        #expect(name.new == 1)
    }

    @Test func RE_3_LL_3_a_function_sets_what_it_then_reads() {
        let guest = Guest()
        let number = Calls(guest, \.number)
        guest.number = 25
        #expect(guest.rounded == 20 && guest.number == 20)
        #expect(number.new == 1)
        guest.number = 31
        #expect(guest.rounded == 30)
    }

    @Test func LL_5_values_of_any_type_are_compared_as_declared() {
        let values = Values()
        let text = BothSpellings(values, "text", \.text)
        let mood = BothSpellings(values, "mood", \.mood)
        let pair = BothSpellings(values, "pair", \.pair)
        let opaque = BothSpellings(values, "opaque", \.opaque)
        values.number = 1
        #expect(text.new == 0 && mood.new == 0 && pair.new == 0 && opaque.new == 1)
        values.number = 2
        #expect(text.new == 1 && mood.new == 1 && pair.new == 0 && opaque.new == 1)
        values.number = 3
        #expect(text.new == 0 && mood.new == 0 && pair.new == 0 && opaque.new == 1)
        values.number = 10
        #expect(text.new == 0 && mood.new == 1 && pair.new == 1 && opaque.new == 1)
        #expect(values.text == "many" && values.mood == .loud(5) && values.pair.a == 1)
        #expect(values.opaque.number == 10 && values.closure() == 10 && values.list.count == 10)
    }

    @Test func KP_18_a_path_on_into_a_computed_value() {
        let values = Values()
        let loop = DeliveryLoop()
        let a = Calls(values, \.pair.a)
        let b = Calls(values, \.pair.b)
        var seen: [[Int?]] = []
        let token = values.changes(of: \.pair.a).on(loop).onChange {
            seen.append([$0.old, $0.new])
        }
        values.number = 9
        #expect(a.new == 0 && b.new == 0)
        values.number = 10
        loop.drain()
        #expect(a.new == 1 && b.new == 0)
        values.number = 30
        values.number = 35
        loop.drain()
        #expect(a.new == 1 && b.new == 0 && seen == [[0, 1], [1, 3]])
        withExtendedLifetime(token) {}
    }

    @Test func LL_5_an_immediate_observation_is_not_called_for_the_first_value() {
        let order = Order()
        var seen: [Double] = []
        let token = order.changes(of: \.gross).options(.immediate).onChange { change in
            seen.append(change.new ?? -1)
        }
        #expect(seen == [])
        order.net = 2
        order.net = 4
        order.rate = 0.5
        #expect(seen == [3, 6])
        withExtendedLifetime(token) {}
    }

    @Test func OB_2_old_and_new_values() {
        let order = Order()
        let loop = DeliveryLoop()
        var seen: [[Double?]] = []
        let token = order.changes(of: \.gross).on(loop).onChange { change in
            seen.append([change.old, change.new])
        }
        order.net = 2
        #expect(order.gross == 3)
        order.net = 4
        loop.drain()
        order.gross = 1
        loop.drain()
        #expect(seen == [[0, 6], [6, 1]])
        withExtendedLifetime(token) {}
    }

    @Test func DR_13_records() {
        let order = Order()
        let loop = DeliveryLoop()
        var seen: [String] = []
        let token = order.record(of: \.gross, \.net).on(loop).onChange { record in
            seen += record.entries.map {
                "\($0.path) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")"
            }
        }
        order.net = 2
        loop.drain()
        #expect(seen.sorted() == ["gross 0.0 3.0", "net 0.0 2.0"])
        withExtendedLifetime(token) {}
    }

    @Test func KP_7_in_the_middle_of_a_path() {
        let root = Probed()
        let shown = BothSpellings(root, "shown.number", \.shown?.number)
        let follower = BothSpellings(root, "follower.number", \.follower.number)
        let next = Probed()
        root.next = next
        #expect(shown.new == 1 && follower.new == 0)
        next.number = 5
        #expect(shown.new == 1)
        root.number = 8
        #expect(follower.new == 1)
        #expect(root.follower.number == 9)
        root.follower.number = 3
        #expect(follower.new == 1)
        let first = root.follower
        root.number = 9
        #expect(follower.new == 1)
        first.number = 100
        #expect(follower.new == 0)
        #expect(first.numberOfObservers(of: "number") == 0)
        root.next = nil
        #expect(shown.new == 1)
    }

    @Test func LL_14_a_chain_of_models() {
        let models = (0..<50).map { _ in Probed() }
        for (model, next) in zip(models, models.dropFirst()) { model.next = next }
        let total = BothSpellings(models[0], "total", \.total)
        #expect(models[0].total == 50)
        models[49].number = 2
        #expect(total.new == 1 && models[0].total == 51)
        models[24].next = nil
        #expect(total.new == 1 && models[0].total == 25)
        models[49].number = 3
        #expect(total.new == 0)
    }

    @Test func WC_6_every_property_reads_none() {
        let order = Order()
        let all = BothSpellings(order, "*", \.allProperties)
        #expect(order.evaluations == [:])
        _ = order.gross
        #expect(all.new == 0)
        order.computedProperties.invalidate(\.gross)
        #expect(all.new == 1)
        #expect(order.evaluations == ["gross": 1])
    }

    @Test func KP_19_a_stop_by_the_other_spelling() {
        let order = Order()
        let loop = DeliveryLoop()
        let observer = PlainObserver()
        var calls = 0
        order.tell(observer, when: \.gross, on: loop) { _, _ in calls += 1 }
        order.stopTelling(observer, about: \.[text: "gross"])
        order.tell(observer, when: \.[text: "label"], on: loop) { _, _ in calls += 1 }
        order.stopTelling(observer, about: \.label)
        order.net = 3
        loop.drain()
        #expect(calls == 0)
        #expect(order.numberOfObservers(of: "gross") == 0)
    }

    @Test func LL_5_read_by_path() {
        let root = Probed()
        root.next = Probed()
        #expect(root.value(at: \.shown?.number).value == 1)
        #expect(root.value(at: \.total).value == 2)
    }

    // MARK: - Lifetimes

    @Test func LT_9_everything_is_freed() {
        let died = Shared(0)
        do {
            let root = Probed(died)
            let next = Probed(died)
            root.next = next
            let calls = BothSpellings(root, "shown.total", \.shown?.total)
            #expect(root.total == 2 && root.shown === next)
            next.number = 2
            #expect(calls.new == 1)
            root.next = nil
            #expect(calls.new == 1)
            #expect(root.shown == nil)
        }
        #expect(died.value == 2)
    }

    @Test func LL_5_a_cached_object_is_held_until_the_next_value() {
        let died = Shared(0)
        let root = Probed()
        root.next = Probed(died)
        #expect(root.shown != nil)
        root.next = nil
        #expect(died.value == 0)
        #expect(root.shown == nil)
        #expect(died.value == 1)
    }

    @Test func LT_2_an_object_thrown_away_by_its_getter() {
        let died = Shared(0)
        let keeper = Keeper()
        keeper.kept = Thrown(died, keeper)
        #expect(keeper.kept!.value == 3)
        #expect(keeper.kept == nil && died.value == 1)
        let again = Thrown(died, keeper)
        keeper.kept = again
        let calls = Calls(again, "value")
        keeper.kept = nil
        #expect(calls.new == 0)
    }

    @Test func LT_9_reads_in_a_deinit() {
        let seen = Shared<[Int]>([])
        do {
            let ending = Ending(seen)
            #expect(ending.next == 2)
            ending.number = 2
        }
        do { _ = Ending(seen) }
        #expect(seen.value == [3, 2])
    }

    /// In a process of its own, where one thread is alone.
    @Test func LL_5_LT_3_a_dead_observer_takes_no_call_along() async {
        await #expect(processExitsWith: .success) {
            let order = Order()
            var first: Calls? = Calls(order, "gross")
            order.net = 3
            #expect(first!.new == 1)
            let second = Calls(order, "gross")
            first = nil
            order.net = 5
            #expect(second.new == 1)
        }
    }
}

private final class Keeper {
    var kept: Thrown?
}

private final class Thrown: ObservableModel {
    private let probe: Probe
    private let keeper: Keeper
    @Observed var number = 3
    @Computed(Thrown.makeValue) var value: Int

    init(_ died: Shared<Int>, _ keeper: Keeper) {
        probe = Probe(died)
        self.keeper = keeper
    }

    private func makeValue() -> Int {
        keeper.kept = nil
        return number
    }
}

private final class Ending: ObservableModel {
    private let seen: Shared<[Int]>
    @Observed var number = 1
    @Computed({ (ending: Ending) in ending.number + 1 }) var next: Int

    init(_ seen: Shared<[Int]>) { self.seen = seen }

    deinit {
        let next = next
        seen.change { $0.append(next) }
    }
}
