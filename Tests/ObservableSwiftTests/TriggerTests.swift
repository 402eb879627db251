// SPDX-License-Identifier: Apache-2.0
//
// Manual triggers (MT) and writes past the setter, where a script cannot say it.

import Foundation
import ObservableSwift
import Testing

/// A value whose comparisons are counted.
private struct Counted: Equatable {
    nonisolated(unsafe) static var comparisons = 0
    var number = 0

    static func == (a: Counted, b: Counted) -> Bool {
        comparisons += 1
        return a.number == b.number
    }
}

private struct Size: Equatable {
    var width = 0
    var height = 0
}

private enum Percent: ObservationPolicy {
    static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
    static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
}

private enum Modulo: ObservationPolicy {
    static func areEqual(_ a: Int, _ b: Int) -> Bool { a % 10 == b % 10 }
}

private protocol Named: AnyObject {}

private final class Tag: Named, Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: Tag, b: Tag) -> Bool { a.number == b.number }
}

private class Node: ObservableModel, Named {
    @Observed var age = 0
    @Observed var name: String?
    @Observed var level: Double?
    @Observed var next: Node?
    @Observed var named: (any Named)?
    @Observed var tag: Tag?
    @Observed var size = Size()
    @Observed var tags: [String] = []
    @Observed var counted = Counted()
    @ObservedAs<Percent> var percent = 0
    @ObservedAs<ByEquality<Tag?>> var equalTag: Tag?
    @ObservedAs<AlwaysDifferent<Int>> var every = 0
    @ObservedWeak var parent: Node?
    @ObservedAtomic var score = 0
    let constant = 1
    private(set) var evaluations = 0

    var summary: String {
        evaluations += 1
        return "\(age) \(name ?? "")"
    }

    /// Writes into the wrappers themselves. Not inlined: the compiler of Swift 6.3 fails at that.
    @inline(never)
    func past(_ change: (borrowing Past) -> Void) {
        change(Past(node: self))
    }

    struct Past: ~Copyable {
        let node: Node

        var age: Int {
            get { node._age.unobserved }
            nonmutating set { node._age.unobserved = newValue }
        }
        var name: String? {
            get { node._name.unobserved }
            nonmutating set { node._name.unobserved = newValue }
        }
        var next: Node? {
            get { node._next.unobserved }
            nonmutating set { node._next.unobserved = newValue }
        }
        var named: (any Named)? {
            get { node._named.unobserved }
            nonmutating set { node._named.unobserved = newValue }
        }
        var tag: Tag? {
            get { node._tag.unobserved }
            nonmutating set { node._tag.unobserved = newValue }
        }
        var equalTag: Tag? {
            get { node._equalTag.unobserved }
            nonmutating set { node._equalTag.unobserved = newValue }
        }
        var size: Size {
            get { node._size.unobserved }
            nonmutating set { node._size.unobserved = newValue }
        }
        var counted: Counted {
            get { node._counted.unobserved }
            nonmutating set { node._counted.unobserved = newValue }
        }
        var percent: Int {
            get { node._percent.unobserved }
            nonmutating set { node._percent.unobserved = newValue }
        }
        var parent: Node? {
            get { node._parent.unobserved }
            nonmutating set { node._parent.unobserved = newValue }
        }
        var score: Int {
            get { node._score.unobserved }
            nonmutating set { node._score.unobserved = newValue }
        }
    }

    /// Often, and told once.
    func grow(_ times: Int) {
        let old = _age.unobserved
        for _ in 0..<times {
            _age.unobserved += 1
        }
        trigger(\.age, old: old)
    }

    func appendTags(_ count: Int) {
        let old = _tags.unobserved.count
        for number in 0..<count {
            _tags.unobserved.append("\(number)")
        }
        if _tags.unobserved.count != old {
            trigger(\.[text: "tags"], old: [String]())
        }
    }
}

private final class SubNode: Node {
    @Observed var more = 0

    func setMore(_ value: Int) {
        let old = _more.unobserved
        _more.unobserved = value
        trigger(\.more, old: old)
    }
}

/// Properties that trigger where they are set.
private final class Accessors: ObservableModel {
    @Observed private var stored = 0
    private(set) var sets = 0

    /// By hand, over the storage of an observed one.
    var byHand: Int {
        get { stored }
        set {
            let old = _stored.unobserved
            sets += 1
            _stored.unobserved = max(newValue, 0)
            trigger(\.byHand, old: old)
        }
    }

    /// The same by the storage itself.
    var byStorage: Int {
        get { stored }
        set {
            let old = _stored.unobserved
            _stored.unobserved = max(newValue, 0)
            trigger(\._stored, old: old)
        }
    }

    @ObservedAs<Modulo> private var remainder = 0
    @Observed private var child: Accessors?

    var byPolicy: Int {
        get { remainder }
        set {
            let old = _remainder.unobserved
            _remainder.unobserved = newValue
            trigger(\._remainder, old: old)
        }
    }

    var anyChild: Accessors? {
        get { child }
        set {
            let old = _child.unobserved
            _child.unobserved = newValue
            trigger(\._child, old: old)
        }
    }

    @Observed var observed = 0 {
        willSet { sets += 1 }
        didSet { sets += 1 }
    }
}

/// Of another superclass.
private final class Row: NSObject, ObservableHost {
    let observation = ObservationHeader()
    @Observed var title = ""

    func rename(_ title: String) {
        let old = _title.unobserved
        _title.unobserved = title
        trigger(\.title, old: old, new: title)
    }
}

@MainActor
private final class Screen: ObservableModel, Sendable {
    @Observed var width = 0

    func resize(_ value: Int) {
        let old = _width.unobserved
        _width.unobserved = value
        trigger(\.width, old: old)
    }
}

/// What diagnostics are told in a process of its own.
private func reports(
    of body: () -> Void
) -> [ObservationDiagnostics.Report] {
    let reports = Shared<[ObservationDiagnostics.Report]>([])
    ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
    body()
    ObservationDiagnostics.setHandler(nil)
    return reports.value
}

@Suite struct TriggerTests {
    // MARK: - Past the setter

    @Test func MT_1_many_writes_past_the_setter_and_one_trigger() {
        let node = Node()
        let calls = BothSpellings(node, "age", \.age)
        var seen: [Int] = []
        let token = node.onChange(of: \.age, options: .immediate) { seen.append($0.age) }
        node.grow(1_000)
        #expect(seen == [1_000])
        #expect(calls.new == 1)
        node.grow(0)
        #expect(seen == [1_000])
        #expect(calls.new == 0)
        node.appendTags(3)
        #expect(node.tags == ["0", "1", "2"])
        token.cancel()
    }

    @Test func MT_1_each_spelling_triggers() {
        let node = Node()
        let (age, name) = (Calls(node, "age"), Calls(node, "name"))
        node.past { $0.age = 1 }
        node.trigger(\.age, old: 0)
        #expect(age.new == 1)
        node.trigger(\.age, old: 0, new: 1)
        #expect(age.new == 1)
        node.trigger(\.[text: "age"], old: 0)
        #expect(age.new == 1)
        node.trigger(\.[text: "age"], old: 0, new: 1)
        #expect(age.new == 1)
        node.trigger(\.[text: "age"], old: 1)
        #expect(age.new == 0)
        node.past { $0.name = "x" }
        node.trigger(\.name, old: nil)
        #expect(name.new == 1)
        node.trigger(\.name, old: "x")
        #expect(name.new == 0)
        node.trigger(\.name, old: nil, new: "x")
        #expect(name.new == 1)
        node.trigger(\.[text: "name"], old: String?.none as Any)
        #expect(name.new == 1)
        node.trigger(\.[text: "name"], old: "x")
        #expect(name.new == 0)
        node.trigger(\.[text: "name"], old: Optional("x") as Any)
        #expect(name.new == 0)
        node.trigger(\.[text: "name"], old: "y", new: "x")
        #expect(name.new == 1)
        node.past { $0.name = nil }
        node.trigger(\.[text: "name"], old: String?.none as Any, new: String?.none as Any)
        #expect(name.new == 0)
        node.trigger(\.[text: "name"], old: "x", new: String?.none as Any)
        #expect(name.new == 1)
        node.trigger(\.name, old: "x", new: nil)
        #expect(name.new == 1)
    }

    @Test func MT_1_the_comparison_is_the_propertys() {
        let node = Node()
        let (tag, same) = (Tag(1), Tag(1))
        let identity = Calls(node, "tag")
        let equality = Calls(node, "equalTag")
        let every = Calls(node, "every")
        let named = Calls(node, "named")
        let level = Calls(node, "level")
        node.past {
            $0.tag = tag
            $0.equalTag = tag
            $0.named = tag
        }
        node.trigger(\.tag, old: tag)
        node.trigger(\.equalTag, old: same)
        node.trigger(\.named, old: tag)
        #expect(identity.new == 0 && equality.new == 0 && named.new == 0)
        node.trigger(\.tag, old: same)
        node.trigger(\.equalTag, old: Tag(2))
        node.trigger(\.named, old: same)
        #expect(identity.new == 1 && equality.new == 1 && named.new == 1)
        node.trigger(\.every, old: node.every)
        #expect(every.new == 1)
        node.level = .nan
        #expect(level.new == 1)
        node.trigger(\.level, old: .nan)
        #expect(level.new == 0)
    }

    @Test func MT_1_a_policy_corrects_nothing_past_the_setter() {
        let node = Node()
        let calls = Calls(node, "percent")
        node.past { $0.percent = 300 }
        node.trigger(\.percent, old: 0)
        #expect(calls.new == 1)
        #expect(node.percent == 300)
        node.percent = 200
        #expect(node.percent == 100)
    }

    @Test func MT_1_what_was_wired_is_let_go() {
        let (node, first, second, third) = (Node(), Node(), Node(), Node())
        first.age = 1
        second.age = 2
        third.age = 2
        node.next = first
        let calls = BothSpellings(node, "next.age", \.next?.age)
        node.past { $0.next = second }
        node.trigger(\.next, old: third)
        #expect(calls.new == 1)
        #expect(first.numberOfObservers(of: "age") == 0)
        #expect(second.numberOfObservers(of: "age") == 2)
        node.past { $0.next = third }
        node.trigger(\.next, old: first)
        #expect(calls.new == 0)
        #expect(second.allObservedProperties == [])
        third.age = 3
        #expect(calls.new == 1)
    }

    @Test func MT_1_an_existential_leads_on() {
        let (node, first, second) = (Node(), Node(), Node())
        second.age = 2
        node.named = first
        let calls = Calls(node, "named.age")
        node.past { $0.named = second }
        node.trigger(\.named, old: first)
        #expect(calls.new == 1)
        node.past { $0.named = Tag(1) }
        node.trigger(\.named, old: second)
        #expect(calls.new == 1)
        #expect(second.allObservedProperties == [])
    }

    @Test func MT_1_a_field_is_compared_with_the_old_value() {
        let node = Node()
        let width = Calls(node, \.size.width)
        let size = Calls(node, "size")
        node.past { $0.size.height = 1 }
        node.trigger(\.size, old: Size())
        #expect(width.new == 0 && size.new == 1)
        node.past { $0.size.width = 1 }
        node.trigger(\.[text: "size"], old: Size())
        #expect(width.new == 1 && size.new == 1)
    }

    @Test func MT_1_a_weak_property_is_triggered() {
        let (node, parent) = (Node(), Node())
        var other: Node? = Node()
        node.parent = parent
        let calls = Calls(node, \.parent?.age)
        let ends = Calls(node, "parent")
        node.past { $0.parent = other }
        node.trigger(\.parent, old: other)
        #expect(ends.new == 0)
        other?.age = 3
        node.trigger(\.parent, old: parent)
        #expect(calls.new == 1 && ends.new == 1)
        #expect(parent.allObservedProperties == [])
        other = nil
        #expect(calls.new == 1)
        node.trigger(\.parent, old: nil)
        #expect(calls.new == 0)
    }

    /// What is replaced is kept until the trigger has returned, and ends then.
    @Test func MT_1_the_replaced_object_ends_after_the_trigger() {
        let node = Node()
        node.next = Node()
        weak let first = node.next
        var seen: [Int?] = []
        let token = node.onChange(of: \.next?.age, options: .immediate) {
            #expect(first != nil)
            seen.append($0.next?.age)
        }
        do {
            let old = node.next
            node.past { $0.next = Node() }
            node.next?.age = 3
            #expect(seen == [])
            node.trigger(\.next, old: old)
        }
        #expect(seen == [3])
        #expect(first == nil)
        token.cancel()
    }

    @Test func MT_1_a_property_of_any_thread_is_triggered() {
        let node = Node()
        let calls = BothSpellings(node, "score", \.score)
        node.past { $0.score = 3 }
        #expect(node.score == 3)
        #expect(calls.new == 0)
        node.trigger(\.score, old: 0)
        #expect(calls.new == 1)
        node.trigger(\.[text: "score"], old: 3)
        #expect(calls.new == 0)
    }

    @Test func MT_1_where_nobody_observes_nothing_is_read() {
        let (node, other) = (Node(), Node())
        Counted.comparisons = 0
        node.past { $0.counted = Counted(number: 1) }
        node.trigger(\.counted, old: Counted())
        node.trigger(\.[text: "counted"], old: Counted())
        node.trigger(\.counted, old: Counted(), new: Counted())
        node.next = other
        let calls = Calls(node, "age")
        let below = Calls(node, "next.age")
        node.trigger(\.counted, old: Counted())
        node.trigger(\.[text: "counted"], old: Counted(), new: Counted())
        node.trigger(\.[text: "next.counted"], old: Counted(number: 3))
        #expect(Counted.comparisons == 0)
        #expect(calls.new == 0 && below.new == 0)
        let observed = Calls(node, "counted")
        node.trigger(\.counted, old: Counted())
        #expect(observed.new == 1)
        #expect(Counted.comparisons > 0)
        let unmet = Node()
        unmet.trigger(\.summary, old: "")
        #expect(unmet.evaluations == 0)
    }

    @Test func MT_1_in_classes_of_all_kinds() async {
        let sub = SubNode()
        let more = BothSpellings(sub, "more", \.more)
        sub.setMore(3)
        sub.grow(2)
        #expect(more.new == 1)
        #expect(sub.age == 2)
        let row = Row()
        let title = BothSpellings(row, "title", \.title)
        row.rename("x")
        #expect(title.new == 1)
        await resizeScreen()
    }

    @MainActor private func resizeScreen() {
        let screen = Screen()
        let calls = Calls(screen, "width")
        screen.resize(3)
        #expect(calls.new == 1)
    }

    @Test func MT_1_a_different_new_value_is_reported() async {
        await #expect(processExitsWith: .success) {
            let node = Node()
            let next = Node()
            node.next = next
            node.past { $0.age = 3 }
            let unobserved = reports { node.trigger(\.age, old: 0, new: 9) }
            precondition(unobserved.isEmpty)
            let calls = Calls(node, "age", "next.age")
            let told = reports {
                node.trigger(\.age, old: 0, new: 3)
                node.trigger(\.age, old: 0, new: 9)
                node.trigger(\.[text: "next.age"], old: 0, new: 7)
            }
            precondition(told.map(\.kind) == [.trigger, .trigger])
            precondition(told.map(\.path) == ["age", "age"])
            precondition(told.allSatisfy { $0.error == nil })
            precondition(calls.new == 1)
            precondition(node.age == 3)
        }
    }

    // MARK: - By path

    @Test func MT_2_a_path_leads_to_another_object() {
        let (node, next, last) = (Node(), Node(), Node())
        node.next = next
        next.next = last
        let calls = BothSpellings(last, "age", \.age)
        last.past { $0.age = 1 }
        node.trigger(\.next?.next?.age, old: 0)
        #expect(calls.new == 1)
        node.trigger(\.next?.next?.age, old: 0, new: 1)
        #expect(calls.new == 1)
        node.trigger(\.[text: "next.next.age"], old: 0)
        #expect(calls.new == 1)
        next.next = nil
        node.trigger(\.next?.next?.age, old: 0)
        node.trigger(\.[text: "next.next.age"], old: 0)
        #expect(calls.new == 0)
    }

    /// A class that the library has not met is described on the way.
    @Test func MT_2_a_class_is_met_on_the_way() async {
        await #expect(processExitsWith: .success) {
            let (node, sub) = (Node(), SubNode())
            node.next = sub
            let told = reports {
                node.trigger(\.[text: "age"], old: 1)
                node.trigger(\.[text: "next.more"], old: 1)
                node.trigger(\.[text: "next.less"], old: 1)
            }
            precondition(told.map(\.path) == ["next.less"], "\(told)")
        }
    }

    @Test func MT_2_what_is_refused_is_reported() async {
        await #expect(processExitsWith: .success) {
            let (node, next) = (Node(), Node())
            node.next = next
            let calls = Calls(node, "*")
            let told = reports {
                node.trigger(\.[text: "*"], old: 0)
                node.trigger(\.[text: "next.*"], old: String?.none as Any)
                node.trigger(\.[text: "#0"], old: 0)
                node.trigger(\.[text: "nobody"], old: 0)
                node.trigger(\.[text: "next.nobody"], old: 0)
                node.trigger(\.[text: "age.next"], old: 0)
                node.trigger(\.[text: "age"], old: "text")
                node.trigger(\.[text: "age"], old: String?.none as Any)
                node.trigger(\.[text: "age"], old: 1, new: "text")
                node.trigger(\.[text: "tag"], old: node)
            }
            precondition(told.allSatisfy { $0.kind == .refused })
            precondition(
                told.map(\.error?.kind) == [
                    .unsupportedElement, .unsupportedElement, .unsupportedElement, .unknown,
                    .unknown, .unknown, .argument, .argument,
                    .argument, .argument,
                ], "\(told)")
            precondition(
                told.map(\.path) == [
                    "*", "next.*", "#0", "nobody", "next.nobody", "age.next", "age", "age", "age",
                    "tag",
                ])
            precondition(told[6].text.contains("Int"))
            precondition(calls.new == 0)
        }
    }

    @Test func MT_2_what_a_typed_path_cannot_mean_is_reported() async {
        await #expect(processExitsWith: .success) {
            let (node, next) = (Node(), Node())
            node.next = next
            let calls = Calls(node, "*")
            let told = reports {
                node.trigger(\.size.width, old: 1)
                node.trigger(\.summary, old: "")
                node.trigger(\.next?.allProperties, old: nil)
                node.trigger(\.next?.age, old: nil)
                node.trigger(\.evaluations, old: -1)
            }
            precondition(told.allSatisfy { $0.kind == .refused })
            precondition(
                told.map(\.error?.kind) == [
                    .unsupportedElement, .unsupportedElement, .unsupportedElement, .argument,
                    .unknown,
                ], "\(told)")
            precondition(calls.new == 0)
        }
    }

    // MARK: - Properties that trigger by themselves

    @Test func MT_3_accessors_by_hand_trigger() {
        let accessors = Accessors()
        let calls = Calls(accessors, \.byHand)
        let text = Calls(accessors, "stored")
        var seen: [Int] = []
        let token = accessors.onChange(of: \.byHand, options: .immediate) {
            seen.append($0.byHand)
        }
        accessors.byHand = 3
        accessors.byHand = -3
        accessors.byHand = -4
        #expect(seen == [3, 0])
        #expect(accessors.sets == 3)
        #expect(calls.new == 1 && text.new == 1)
        token.cancel()
    }

    @Test func MT_3_accessors_by_hand_trigger_by_their_storage() {
        let accessors = Accessors()
        accessors.byStorage = 1
        let calls = BothSpellings(accessors, "stored", \.byStorage)
        var seen: [Int] = []
        let token = accessors.onChange(of: \.byStorage, options: .immediate) {
            seen.append($0.byStorage)
        }
        accessors.byStorage = 1
        #expect(seen == [])
        accessors.byStorage = 3
        accessors.byStorage = -3
        accessors.byStorage = -4
        #expect(seen == [3, 0])
        #expect(calls.new == 1)
        token.cancel()
    }

    @Test func MT_1_EQ_11_a_trigger_by_the_storage_compares_by_its_policy() {
        let accessors = Accessors()
        let calls = Calls(accessors, "remainder")
        accessors.byPolicy = 20
        #expect(calls.new == 0)
        #expect(accessors.byPolicy == 20)
        accessors.byPolicy = 21
        #expect(calls.new == 1)
    }

    @Test func MT_1_a_trigger_by_the_storage_rewires() {
        let (accessors, first, second) = (Accessors(), Accessors(), Accessors())
        accessors.anyChild = first
        let calls = Calls(accessors, "child.stored")
        second.byStorage = 3
        accessors.anyChild = second
        #expect(calls.new == 1)
        #expect(first.allObservedProperties == [])
        accessors.anyChild = first
        accessors.anyChild = nil
        #expect(calls.new == 1)
        #expect(second.allObservedProperties == [])
        second.byStorage = 4
        #expect(calls.new == 0)
    }

    @Test func MT_3_willSet_and_didSet_need_no_trigger() {
        let accessors = Accessors()
        var seen: [Int] = []
        let token = accessors.onChange(of: \.observed, options: .immediate) {
            seen.append($0.observed)
        }
        accessors.observed = 3
        #expect(seen == [3])
        #expect(accessors.sets == 2)
        token.cancel()
    }

    // MARK: - Threads

    /// Whoever observes at the end has seen the last value, when beginning or by a call.
    @Test func MT_1_triggers_on_any_thread_lose_nothing() {
        let gauge = PokedGauge()
        let loop = DeliveryLoop()
        let last = 20_000
        let writer = Handed(gauge)
        let thread = DispatchQueue(label: "writer")
        thread.async {
            for level in 1...last {
                writer.value.poke(level)
            }
        }
        var seen = 0
        var token: ObservationToken?
        for _ in 0..<200 {
            token = gauge.onChange(of: \.[text: "level"], on: loop) { seen = $0.level }
            seen = gauge.level
            loop.drain()
        }
        thread.sync {}
        loop.drain()
        #expect(seen == last)
        token?.cancel()
    }
}

private final class PokedGauge: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0

    func poke(_ value: Int) {
        let old = _level.unobserved
        _level.unobserved = value
        trigger(\.level, old: old)
    }
}
