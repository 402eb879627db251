// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// Class-level observation (OS-3): what scripts cannot say in Swift.

private class Box<Value: Equatable>: ObservableModel {
    @Observed var value: Value
    init(_ value: Value) { self.value = value }
}

private final class Foreign: ObservableHost {
    let observation = ObservationHeader()
    @Observed var title = ""
    @ObservedAtomic var count = 0
    @ObservedWeak var other: Foreign?
    @ObservedAs<AlwaysDifferent<Int>> var again = 0
    @Observed var list: [Int] = []
}

private class Listed: ObservableModel {
    @Observed var name = ""
    override class var namedProperties: [NamedProperty] {
        [NamedProperty("name", \Listed.name)]
    }
}

private final class ListedBelow: Listed {}

private final class Watching {}

// One after the other: they observe classes that they share.
@Suite(.serialized) struct EveryInstanceTests {
    private let loop = DeliveryLoop()

    @Test func OS_3_a_generic_class_is_one_for_each_argument() {
        let observer = Watching()
        var seen: [Int] = []
        let handle = Box<Int>.allInstances.instances(when: \.value).on(loop).tell(observer) {
            _, box in
            seen.append(box?.value ?? -1)
        }
        let number = Box(0)
        let text = Box("")
        number.value = 5
        text.value = "x"
        #expect(loop.drain() == 1)
        #expect(seen == [5])
        handle.stop()
        number.value = 6
        #expect(loop.drain() == 0)
    }

    @Test func OS_3_every_kind_of_property_of_a_host() {
        let observer = Watching()
        var seen: [String] = []
        for path: TextPath in ["title", "count", "other", "again", "list"] {
            Foreign.allInstances.instances(when: \.[text: path]).on(loop).tell(observer) { _, _ in
                seen.append("\(path)")
            }
        }
        let host = Foreign()
        host.title = "x"
        host.count = 1
        host.other = host
        host.again = 0
        host.list.append(1)
        #expect(loop.drain() == 5)
        #expect(seen == ["title", "count", "other", "again", "list"])
        host.title = "x"
        host.count = 1
        host.other = host
        #expect(loop.drain() == 0)
        host.$count.update { $0 += 1 }
        host.list.append(2)
        #expect(loop.drain() == 2)
        Foreign.allInstances.stopTelling(observer)
        host.title = "y"
        #expect(loop.drain() == 0)
    }

    @Test func OS_3_the_first_change_in_place_has_its_old_value() {
        var seen: [[Int]?] = []
        let token = Foreign.allInstances.changes(of: \.list).on(loop).onChange { change in
            seen.append(change?.old)
            seen.append(change?.new)
        }
        let host = Foreign()
        host.list = [1]
        loop.drain()
        let other = Foreign()
        other.list.append(7)
        #expect(loop.drain() == 1)
        #expect(seen == [[], [1], [], [7]])
        token.cancel()
    }

    @Test func OS_3_a_class_that_only_an_object_describes_and_its_subclasses() {
        let observer = Watching()
        var seen: [String] = []
        Listed.allInstances.instances(when: \.[text: "name"]).on(loop).tell(observer) { _, object in
            seen.append(object?.name ?? "none")
        }
        let first = Listed()
        first.name = "a"
        let below = ListedBelow()
        below.name = "b"
        #expect(loop.drain() == 2)
        #expect(seen == ["a", "b"])
        Listed.allInstances.stopTelling(observer, about: \.[text: "name"])
        first.name = "c"
        #expect(loop.drain() == 0)
    }

    @Test func OS_3_a_set_past_the_setter_is_told_by_its_trigger() {
        let observer = Watching()
        var calls = 0
        Box<Int>.allInstances.instances(when: \.[text: "value"]).on(loop).tell(observer) { _, _ in
            calls += 1
        }
        let box = Box(1)
        box.trigger(\.value, old: 0)
        #expect(loop.drain() == 1)
        box.trigger(\.value, old: 1)
        #expect(loop.drain() == 0)
        #expect(calls == 1)
        Box<Int>.allInstances.stopTelling(observer)
    }

    @Test func OS_3_a_call_for_no_instance_hands_over_nil() {
        let observer = Watching()
        var calls: [Bool] = []
        let handle = Box<Int>.allInstances.changes(of: \.value).on(loop).options(.initial).tell(
            observer
        ) {
            _, change in calls.append(change == nil)
        }
        #expect(loop.drain() == 1)
        handle.schedule()
        #expect(loop.drain() == 1)
        #expect(handle.execute())
        let box = Box(0)
        box.value = 1
        #expect(loop.drain() == 1)
        #expect(calls == [true, true, true, false])
        handle.stop(about: \.value as TypedPath<Box<Int>>)
        #expect(handle.hasEnded)
    }

    @Test func OS_3_further_paths_and_extensible_are_refused() {
        let observer = Watching()
        let refused = Box<Int>.allInstances.instances(when: \.[text: "value"]).on(loop).options(
            .allowsMorePaths
        ).tell(observer) { _, _ in }
        #expect(refused.failure?.kind == .options)
        let handle = Box<Int>.allInstances.instances(when: \.[text: "value"]).on(loop).tell(
            observer
        ) {
            _, _ in
        }
        #expect(throws: ObservationError.self) { try handle.also(Box(1), when: \.[text: "value"]) }
        handle.stop()
    }

    @Test func LT_3_an_observer_that_is_no_model_ends_it() {
        var observer: Watching? = Watching()
        weak var kept: Canary?
        do {
            let canary = Canary()
            kept = canary
            Box<Int>.allInstances.instances(when: \.[text: "value"]).on(loop).tell(observer!) {
                _, _ in
                _ = canary
            }
        }
        let box = Box(0)
        box.value = 1
        #expect(loop.drain() == 1)
        observer = nil
        box.value = 2
        #expect(loop.drain() == 0)
        #expect(kept == nil)
    }

    @Test func OS_3_ended_instances_leave_nothing() {
        let before = ObservationCounters.current.observations
        let token = Box<Int>.allInstances.instances(when: \.[text: "value"]).on(loop).onChange {
            _ in
        }
        for i in 1...1000 {
            weak var gone: Box<Int>?
            do {
                let box = Box(0)
                gone = box
                box.value = i
            }
            #expect(loop.drain() == 1)
            #expect(gone == nil)
        }
        // Other tests observe meanwhile.
        #expect(ObservationCounters.current.observations < before + 500)
        token.cancel()
    }
}

private final class Canary {}
