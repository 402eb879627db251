// SPDX-License-Identifier: Apache-2.0
//
// Which property of an object a key path is (KP-17), and every proxy of a class (OS-3).

import Foundation
import ObservableSwift
import Testing

private struct Point: Equatable {
    var x = 0
    var y = 0
}

/// Two values of it are told apart by nothing.
private struct Opaque {
    var number = 0
}

private final class Pane {
    var x = 1
}

private final class Plate {
    var x = "text"
    var origin = Point()
    var opaque = Opaque()
    var points = [Point(), Point()]
    var length: Int?
    var pane: Pane?
}

/// Its key paths do not tell names, except of what is final.
private class OpenPlate {
    var origin = Point()
    var x = "text"
    private var depth = 1
}

private final class HiddenPlate: OpenPlate {
    var depth = "of another type than the other one"
}

private final class Slab<Value> {
    var value: Value
    var origin = Point()
    init(_ value: Value) { self.value = value }
}

private final class Observer {}

private final class Heard {
    let observer = Observer()
    let loop = DeliveryLoop()
    private(set) var count: [String: Int] = [:]

    func call(_ name: String) { count[name, default: 0] += 1 }

    /// What was called since the last time.
    var new: [String: Int] {
        loop.drain()
        defer { count = [:] }
        return count
    }
}

private func exchange<Value>(_ slab: Slab<Value>, _ value: Value) {
    let proxy = ObservableProxy.of(slab)
    proxy.set(\.value, to: value)
    proxy.didChange(\.value, old: value)
    let observer = Observer()
    proxy.tell(observer, when: \.value) { _, _ in }
}

/// What diagnostics are told in a process of its own.
private func reports(of body: () -> Void) -> [ObservationDiagnostics.Report] {
    let reports = Shared<[ObservationDiagnostics.Report]>([])
    ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
    body()
    ObservationDiagnostics.setHandler(nil)
    return reports.value
}

@Suite struct ProxiedKeyPathsTests {
    private let calls = Heard()

    // MARK: - Several components

    /// In a process of its own: what goes wrong here stops it.
    @Test func KP_17_a_path_into_a_struct_is_no_other_property() async {
        await #expect(processExitsWith: .success) {
            let calls = Heard()
            let plate = Plate()
            let proxy = ObservableProxy.of(plate)
            proxy.tell(calls.observer, when: \.x, on: calls.loop) { _, _ in calls.call("x") }
            proxy.changes(of: \.[text: "x"]).on(calls.loop).tell(calls.observer) { _, _ in
                calls.call("text x")
            }
            proxy.set(\.origin.x, to: 5)
            #expect(plate.origin.x == 5)
            proxy.didChange(\.origin.x)
            proxy.didChange(\.origin.x, old: 7)
            proxy.changing(\.origin.x) { plate.origin.x = 6 }
            plate.pane = Pane()
            proxy.changing(\.pane?.x) { plate.pane?.x = 8 }
            proxy.didChange(\.pane?.x, old: 7)
            #expect(calls.new == [:])
        }
    }

    @Test func KP_17_a_path_into_a_struct_tells_of_the_property_that_it_begins_with() {
        let plate = Plate()
        let proxy = ObservableProxy.of(plate)
        var seen: [String] = []
        let token = proxy.changes(of: \.origin).on(calls.loop).onChange { change in
            seen.append("\(change.old.map { "\($0.x)" } ?? "-") \(change.new?.x ?? -1)")
        }
        proxy.tell(calls.observer, when: \.origin?.x, on: calls.loop) { [calls] _, _ in
            calls.call("origin.x")
        }
        proxy.tell(calls.observer, when: \.origin?.y, on: calls.loop) { [calls] _, _ in
            calls.call("origin.y")
        }
        proxy.tell(calls.observer, when: \.opaque, on: calls.loop) { [calls] _, _ in
            calls.call("opaque")
        }
        proxy.tell(calls.observer, when: \.points, on: calls.loop) { [calls] _, _ in
            calls.call("points")
        }
        proxy.set(\.origin.x, to: 5)
        #expect(calls.new == ["origin.x": 1])
        #expect(seen == ["0 5"])
        proxy.set(\.origin.x, to: 5)
        #expect(calls.new == [:])
        proxy.changing(\.origin.y) { plate.origin.y = 3 }
        #expect(calls.new == ["origin.y": 1])
        plate.origin.x = 6
        proxy.didChange(\.origin.x, old: 5)
        #expect(calls.new["origin.x"] == 1)
        #expect(seen == ["0 5", "5 5", "- 6"])
        proxy.didChange(\.origin.x, old: 6)
        #expect(calls.new == [:])
        proxy.didChange(\.origin.x)
        #expect(calls.new["origin.x"] == 1)
        proxy.set(\.opaque.number, to: 1)
        #expect(calls.new == ["opaque": 1])
        proxy.set(\.opaque.number, to: 1)
        #expect(calls.new == [:])
        proxy.set(\.points[1].y, to: 4)
        #expect(calls.new == ["points": 1])
        withExtendedLifetime(token) {}
    }

    @Test func KP_17_a_path_through_another_object_tells_of_the_property_that_holds_it() {
        let plate = Plate()
        plate.pane = Pane()
        let proxy = ObservableProxy.of(plate)
        proxy.tell(calls.observer, when: \.pane?.x, on: calls.loop) { [calls] _, _ in
            calls.call("pane.x")
        }
        proxy.changing(\.pane?.x) { plate.pane?.x = 8 }
        #expect(calls.new == ["pane.x": 1])
        proxy.changing(\.pane?.x) { plate.pane?.x = 8 }
        #expect(calls.new == [:])
        proxy.changing(\.pane?.x) { plate.pane = nil }
        #expect(calls.new == ["pane.x": 1])
    }

    @Test func KP_17_a_path_that_does_not_tell_where_it_begins_is_refused() async {
        await #expect(processExitsWith: .success) {
            let calls = Heard()
            let plate = OpenPlate()
            let proxy = ObservableProxy.of(plate)
            proxy.tell(calls.observer, when: \.origin, on: calls.loop) { _, _ in
                calls.call("origin")
            }
            proxy.tell(calls.observer, when: \.[text: "x"], on: calls.loop) { _, _ in
                calls.call("x")
            }
            let told = reports {
                for x in 1...3 { proxy.set(\.origin.x, to: x) }
            }
            #expect(plate.origin.x == 3)
            #expect(calls.new == [:])
            #expect(told.map(\.kind) == [.refused])
            #expect(told.first?.text.contains("several components") == true)
            #expect(told.first?.path?.hasSuffix("x") == true)
            proxy.changing(\.origin) { plate.origin.x = 4 }
            #expect(calls.new == ["origin": 1])
        }
    }

    @Test func KP_17_a_path_of_several_components_gets_no_name() async {
        await #expect(processExitsWith: .success) {
            let told = reports {
                ObservableProxy<Plate>.list("x", \.origin.x)
                ObservableProxy<Plate>.list("width", \.origin.x)
                ObservableProxy<OpenPlate>.list("width", \.origin.x)
                ObservableProxy<OpenPlate>.list("x", \.origin)
            }
            #expect(told.map(\.kind) == [.refused, .refused, .refused, .refused])
            #expect(told.map(\.path) == ["x", "width", "width", "x"])
            let calls = Heard()
            let proxy = ObservableProxy.of(Plate())
            let handle = proxy.tell(calls.observer, when: \.[text: "width"], on: .main) { _, _ in }
            #expect(handle.unresolvedPaths == ["width"])
        }
    }

    // MARK: - Types

    @Test func KP_17_of_two_properties_of_one_name_text_finds_that_of_the_superclass() async {
        await #expect(processExitsWith: .success) {
            let calls = Heard()
            let plate = HiddenPlate()
            let proxy = ObservableProxy.of(plate)
            proxy.changes(of: \.[text: "depth"]).on(calls.loop).tell(calls.observer) { _, _ in
                calls.call("text")
            }
            proxy.changes(of: \.depth).on(calls.loop).tell(calls.observer) { _, change in
                calls.call("\(change.old ?? "") \(change.new ?? "")")
            }
            plate.depth = "a"
            proxy.set(\.depth, to: "b")
            #expect(calls.new == ["a b": 1])
        }
    }

    /// What lies beside it is no part of it.
    @Test func KP_17_a_stored_value_is_read_as_what_it_is() {
        final class Row {
            var first = 1
            var second = 64
            var point = Point()
            var last = 64
        }
        let row = Row()
        let proxy = ObservableProxy.of(row)
        var seen: [String] = []
        proxy.changes(of: \.[text: "first"]).on(calls.loop).tell(calls.observer) { _, change in
            seen.append("\(change.old ?? "-") \(change.new ?? "-")")
        }
        proxy.changes(of: \.point?.x).on(calls.loop).tell(calls.observer) { _, change in
            seen.append("\(change.old ?? -1) \(change.new ?? -1)")
        }
        proxy.set(\.first, to: 2)
        calls.loop.drain()
        #expect(seen == ["1 2"])
        proxy.set(\.point, to: Point(x: 3))
        calls.loop.drain()
        #expect(seen == ["1 2", "0 3"])
    }

    @Test func KP_17_optional_values_before_a_change_are_handed_over() {
        let plate = Plate()
        let proxy = ObservableProxy.of(plate)
        var seen: [String] = []
        let token = proxy.changes(of: \.length).on(calls.loop).onChange { change in
            seen.append("\(change.old ?? -1) \(change.new ?? -1)")
        }
        proxy.set(\.length, to: 3)
        calls.loop.drain()
        proxy.set(\.length, to: 3)
        calls.loop.drain()
        proxy.set(\.length, to: nil)
        calls.loop.drain()
        proxy.set(\.length, to: nil)
        calls.loop.drain()
        plate.length = 4
        proxy.didChange(\.length, old: nil)
        calls.loop.drain()
        proxy.didChange(\.length, old: 4)
        calls.loop.drain()
        #expect(seen == ["-1 3", "3 -1", "-1 4"])
        withExtendedLifetime(token) {}
    }

    // MARK: - Generic classes

    @Test func KP_17_a_key_path_of_a_final_generic_class_tells_its_property() {
        let slab = Slab("a")
        let proxy = ObservableProxy.of(slab)
        proxy.tell(calls.observer, when: \.[text: "value"], on: calls.loop) { [calls] _, _ in
            calls.call("text")
        }
        proxy.tell(calls.observer, when: \.value, on: calls.loop) { [calls] _, _ in
            calls.call("typed")
        }
        #expect(proxy.allObservedProperties == ["value"])
        proxy.set(\.value, to: "b")
        #expect(calls.new == ["text": 1, "typed": 1])
        proxy.tell(calls.observer, when: \.[text: "origin"], on: calls.loop) { [calls] _, _ in
            calls.call("origin")
        }
        proxy.set(\.origin.x, to: 1)
        #expect(calls.new == ["origin": 1])
        let nested = ObservableProxy.of(Slab<Slab<[Int]>?>(slab.origin.x == 0 ? nil : Slab([])))
        nested.tell(calls.observer, when: \.[text: "value"], on: calls.loop) { _, _ in }
        #expect(nested.numberOfObservers(of: "value") == 1)
    }

    /// Where the type is not known to be optional, its key path is the same property all the same.
    @Test func KP_17_a_generic_function_changes_an_optional_property() async {
        await #expect(processExitsWith: .success) {
            let calls = Heard()
            let slab = Slab<Int?>(nil)
            let proxy = ObservableProxy.of(slab)
            proxy.changes(of: \.value).on(calls.loop).tell(calls.observer) { _, change in
                calls.call("\(change.old ?? -1) \(change.new ?? -1)")
            }
            exchange(slab, 3)
            #expect(calls.new == ["-1 3": 1])
            exchange(slab, nil)
            #expect(calls.new == ["3 -1": 1])
        }
    }

    // MARK: - Threads

    @Test func KP_17_TH_1_names_are_given_by_several_threads_at_once() {
        let types: [Any.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
            UInt16.self, UInt32.self, UInt64.self, Float.self, Double.self, String.self, Bool.self,
            Character.self, Point.self, Opaque.self, Pane.self, Plate.self, Observer.self,
        ]
        for first in types {
            for second in types {
                func open<First>(_ first: First.Type) {
                    func open<Second>(_ second: Second.Type) {
                        listAtOnce(ManyProperties<(First, Second)>.self)
                    }
                    _openExistential(second, do: open)
                }
                _openExistential(first, do: open)
            }
        }
    }

    /// Of each class once.
    private func listAtOnce<Mark>(_ type: ManyProperties<Mark>.Type) {
        typealias Many = ManyProperties<Mark>
        let ready = Shared(0)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            let until = DispatchTime.now() + 1
            ready.change { $0 += 1 }
            while ready.value < 2, .now() < until {}
            switch thread {
            case 0: ObservableProxy<Many>.list("a", \.a)
            default: ObservableProxy<Many>.list("b", \.b)
            }
        }
        let object = Many()
        let proxy = ObservableProxy.of(object)
        proxy.tell(calls.observer, when: \.a, on: calls.loop) { [calls] _, _ in calls.call("a") }
        proxy.tell(calls.observer, when: \.[text: "b"], on: calls.loop) { [calls] _, _ in
            calls.call("b")
        }
        #expect(Set(proxy.allObservedProperties) == ["a", "b"])
        proxy.didChange(\.a, old: -1)
        #expect(calls.new == ["a": 1])
        proxy.didChange(\.b, old: -1)
        #expect(calls.new == ["b": 1])
        proxy.stopTelling(calls.observer)
    }

    // MARK: - Every proxy of a class

    @Test func OS_3_every_proxy_of_a_class_is_observed() {
        final class Sheet {
            var title = "a"
            var width = 1
            var origin = Point()
        }
        var seen: [String] = []
        typealias Proxy = ObservableProxy<Sheet>
        Proxy.allInstances.instances(when: \.title).on(calls.loop).tell(calls.observer) {
            _, proxy in
            seen.append(proxy?.object?.title ?? "-")
        }
        let sheet = Sheet()
        let proxy = Proxy.of(sheet)
        proxy.set(\.width, to: 2)
        proxy.set(\.title, to: "a")
        calls.loop.drain()
        #expect(seen == [])
        proxy.set(\.title, to: "b")
        calls.loop.drain()
        #expect(seen == ["b"])
        sheet.title = "c"
        proxy.didChange(\.title)
        calls.loop.drain()
        #expect(seen == ["b", "c"])
        let other = Proxy.of(Sheet())
        #expect(other.object == nil)
        let third = Sheet()
        third.title = "d"
        Proxy.of(third).didChange(\.title, old: "d")
        calls.loop.drain()
        #expect(seen == ["b", "c"])
        let kept = Proxy.of(third)
        kept.didChange(\.title, old: "a")
        calls.loop.drain()
        #expect(seen == ["b", "c", "d"])
        let fourth = Sheet()
        let last = Proxy.of(fourth)
        last.changing(\.title) { fourth.title = "e" }
        calls.loop.drain()
        #expect(seen == ["b", "c", "d", "e"])
        let fifth = Sheet()
        let all = Proxy.of(fifth)
        fifth.title = "f"
        all.didChange()
        calls.loop.drain()
        #expect(seen == ["b", "c", "d", "e", "f"])
        Proxy.allInstances.stopTelling(calls.observer)
        proxy.set(\.title, to: "g")
        #expect(calls.loop.drain() == 0)
    }

    @Test func OS_3_the_first_change_of_a_proxy_has_its_value_before() {
        final class Sheet {
            var title = "a"
            var origin = Point()
        }
        var seen: [String] = []
        typealias Proxy = ObservableProxy<Sheet>
        Proxy.allInstances.changes(of: \.title).on(calls.loop).tell(calls.observer) { _, change in
            seen.append("\(change?.old ?? "-") \(change?.new ?? "-")")
        }
        Proxy.allInstances.changes(of: \.origin?.x).on(calls.loop).tell(calls.observer) {
            _, change in
            seen.append("x \(change?.old ?? -1) \(change?.new ?? -1)")
        }
        let sheet = Sheet()
        let proxy = Proxy.of(sheet)
        proxy.set(\.title, to: "b")
        calls.loop.drain()
        #expect(seen == ["a b"])
        proxy.set(\.origin.y, to: 7)
        calls.loop.drain()
        #expect(seen == ["a b"])
        proxy.set(\.origin.x, to: 7)
        calls.loop.drain()
        #expect(seen == ["a b", "x 0 7"])
        Proxy.allInstances.stopTelling(calls.observer)
    }
}

private final class ManyProperties<Mark> {
    var a: Int { 1 }
    var b: Int { 2 }
}
