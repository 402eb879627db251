// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private protocol Shape {
    var area: Double { get }
}

private protocol Part: AnyObject {}

private struct Square: Shape {
    var area: Double
}

private final class Disc: Shape, Part {
    var area = 1.0
}

private enum State: Equatable {
    case idle
    case busy(Int)
    case failed(String, [Int])
}

/// Has no `==`.
private enum Answer {
    case none
    case text(String)
    case action(() -> Int)
}

private struct Pair: Equatable {
    var number = 0
    var text = ""
}

private struct Empty: Equatable {}

/// Has no `==`, and nothing to differ in.
private struct Nothing {}

private final class Node: ObservableModel {}

private final class Key: Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: Key, b: Key) -> Bool { a.number == b.number }
}

/// One property of each kind.
private final class Kinds: ObservableModel {
    @Observed var flag = false
    @Observed var byte: UInt8 = 0
    @Observed var number = 0
    @Observed var fraction = 0.0
    @Observed var text = ""
    @Observed var list: [Int] = []
    @Observed var table: [String: [Int]] = [:]
    @Observed var pair = Pair()
    @Observed var tuple = (1, "")
    @Observed var state = State.idle
    @Observed var answer = Answer.none
    @Observed var maybeText: String?
    @Observed var twice: Int??
    @Observed var shape: any Shape = Square(area: 1)
    @Observed var maybeShape: (any Shape)?
    @Observed var part: any Part = Disc()
    @Observed var maybePart: (any Part)?
    @Observed var anything: Any = 0
    @Observed var anyObject: AnyObject?
    @Observed var metatype: Any.Type = Int.self
    @Observed var action: () -> Int = { 0 }
    @Observed var maybeAction: (() -> Int)?
    @Observed var node = Node()
    @Observed var maybeNode: Node?
    @Observed var key = Key(0)
    @Observed var maybeKey: Key?
    @Observed var unsafe: UnsafeRawPointer?
    @ObservedWeak var weak: Node?
    @ObservedAtomic var atomic = 0
    @ObservedAtomic var atomicText = ""
    @ObservedAs<AlwaysDifferent<Int>> var chosen = 0
    @Observed var empty = Empty()
    @Observed var nothing = Nothing()
    @ObservedAs<AlwaysDifferent<Empty>> var alwaysEmpty = Empty()
    @Observed var afterEmpty = 0
}

/// Sets `first`, then observes by text, typed, by `*` and immediately, then sets `equal`, which
/// calls `callsOfEqual` times, and `second`, which calls once.
private func follow<Value>(
    _ text: TextPath, _ typed: TypedPath<Kinds>,
    _ property: ReferenceWritableKeyPath<Kinds, Value>,
    from first: Value, equal: Value, to second: Value, callsOfEqual: Int = 0,
    location: SourceLocation = #_sourceLocation
) {
    let kinds = Kinds()
    kinds[keyPath: property] = first
    let both = BothSpellings(kinds, text, typed)
    let all = Calls(kinds, "*")
    let immediate = Calls(kinds, typed, options: .immediate)
    let other = Calls(kinds, text == "number" ? "flag" : "number")
    #expect(both.text.observation.unresolvedPaths == [], sourceLocation: location)
    #expect(both.typed.observation.unresolvedPaths == [], sourceLocation: location)
    #expect(kinds.numberOfObservers(of: text.description) == 4, sourceLocation: location)
    kinds[keyPath: property] = equal
    #expect(both.new == callsOfEqual, sourceLocation: location)
    #expect(immediate.new == callsOfEqual, sourceLocation: location)
    #expect(all.new == callsOfEqual, sourceLocation: location)
    kinds[keyPath: property] = second
    #expect(both.new == 1, sourceLocation: location)
    #expect(immediate.new == 1, sourceLocation: location)
    #expect(all.new == 1, sourceLocation: location)
    #expect(other.new == 0, sourceLocation: location)
}

@Suite struct PropertyKindTests {
    @Test func PK_1_EQ_1_values() {
        follow("flag", \.flag, \.flag, from: true, equal: true, to: false)
        follow("byte", \.byte, \.byte, from: 255, equal: 255, to: 254)
        follow("number", \.number, \.number, from: 1, equal: 1, to: 2)
        follow("fraction", \.fraction, \.fraction, from: 1, equal: 1, to: 2)
        follow("text", \.text, \.text, from: "a", equal: "a", to: "b")
        follow("list", \.list, \.list, from: [1], equal: [1], to: [2])
        follow(
            "table", \.table, \.table, from: ["a": [1]], equal: ["a": [1]], to: [:])
        follow(
            "pair", \.pair, \.pair, from: Pair(number: 1), equal: Pair(number: 1),
            to: Pair(number: 1, text: "x"))
    }

    @Test func PK_1_EQ_1_enums_with_payload() {
        follow("state", \.state, \.state, from: .busy(1), equal: .busy(1), to: .busy(2))
        follow(
            "state", \.state, \.state, from: .failed("a", [1]),
            equal: .failed("a", [1]), to: .failed("a", []))
        follow("state", \.state, \.state, from: .idle, equal: .idle, to: .busy(0))
    }

    /// What has no `==` differs always.
    @Test func PK_1_EQ_1_values_that_cannot_be_compared() {
        follow(
            "answer", \.answer, \.answer, from: .text("a"), equal: .text("a"),
            to: .action { 1 }, callsOfEqual: 1)
        follow(
            "tuple", \.tuple, \.tuple, from: (1, "a"), equal: (1, "a"), to: (2, "a"),
            callsOfEqual: 1)
        follow(
            "anything", \.anything, \.anything, from: 1, equal: 1, to: "",
            callsOfEqual: 1)
        follow(
            "metatype", \.metatype, \.metatype, from: Int.self, equal: Int.self,
            to: String.self, callsOfEqual: 1)
        follow(
            "shape", \.shape, \.shape, from: Square(area: 1), equal: Square(area: 1),
            to: Square(area: 2), callsOfEqual: 1)
        follow(
            "maybeShape", \.maybeShape, \.maybeShape, from: nil, equal: nil,
            to: Square(area: 2), callsOfEqual: 1)
    }

    @Test func PK_1_EQ_1_optionals() {
        follow(
            "maybeText", \.maybeText, \.maybeText, from: nil, equal: nil, to: "")
        follow(
            "maybeText", \.maybeText, \.maybeText, from: "a", equal: "a", to: nil)
        follow(
            "twice", \.twice, \.twice, from: .some(nil), equal: .some(nil), to: nil)
        follow("twice", \.twice, \.twice, from: 1, equal: 1, to: .some(nil))
        follow(
            "unsafe", \.unsafe, \.unsafe, from: nil, equal: nil,
            to: UnsafeRawPointer(bitPattern: 8))
    }

    @Test func PK_1_EQ_1_existentials_bound_to_classes_by_identity() {
        let (first, second) = (Disc(), Disc())
        follow("part", \.part, \.part, from: first, equal: first, to: second)
        follow(
            "maybePart", \.maybePart, \.maybePart, from: first, equal: first,
            to: second)
        follow("maybePart", \.maybePart, \.maybePart, from: nil, equal: nil, to: first)
        follow(
            "maybePart", \.maybePart, \.maybePart, from: first, equal: first, to: nil)
        follow(
            "anyObject", \.anyObject, \.anyObject, from: first, equal: first,
            to: second)
        // An object in an existential of any type is a value there.
        follow(
            "shape", \.shape, \.shape, from: first, equal: first, to: second,
            callsOfEqual: 1)
    }

    @Test func PK_1_EQ_1_closures() {
        follow(
            "action", \.action, \.action, from: { 1 }, equal: { 1 }, to: { 2 },
            callsOfEqual: 1)
        follow(
            "maybeAction", \.maybeAction, \.maybeAction, from: nil, equal: nil,
            to: { 2 }, callsOfEqual: 1)
        let kinds = Kinds()
        let calls = Calls(kinds, "action")
        kinds.action = { 7 }
        #expect(kinds.action() == 7 && calls.new == 1)
    }

    @Test func PK_1_EQ_1_references_by_identity() {
        let (first, second) = (Node(), Node())
        follow("node", \.node, \.node, from: first, equal: first, to: second)
        follow(
            "maybeNode", \.maybeNode, \.maybeNode, from: first, equal: first, to: nil)
        follow(
            "maybeNode", \.maybeNode, \.maybeNode, from: nil, equal: nil, to: second)
    }

    /// An equal object is another one.
    @Test func PK_1_EQ_1_EQ_11_Equatable_classes_by_identity() {
        let (first, second) = (Key(1), Key(1))
        follow("key", \.key, \.key, from: first, equal: first, to: second)
        follow("maybeKey", \.maybeKey, \.maybeKey, from: first, equal: first, to: second)
        follow("maybeKey", \.maybeKey, \.maybeKey, from: first, equal: first, to: nil)
    }

    @Test func PK_1_weak_properties_by_a_wrapper_of_their_own() {
        var node: Node? = Node()
        let other = Node()
        follow("weak", \.weak, \.weak, from: node, equal: node, to: other)
        follow("weak", \.weak, \.weak, from: node, equal: node, to: nil)
        follow("weak", \.weak, \.weak, from: nil, equal: nil, to: node)
        let kinds = Kinds()
        kinds.weak = node
        #expect(kinds.weak === node)
        node = nil
        #expect(kinds.weak == nil)
    }

    @Test func PK_1_properties_that_any_thread_may_set() {
        follow("atomic", \.atomic, \.atomic, from: 1, equal: 1, to: 2)
        follow("atomicText", \.atomicText, \.atomicText, from: "a", equal: "a", to: "")
        let kinds = Kinds()
        let calls = BothSpellings(kinds, "atomic", \.atomic)
        kinds.atomic += 1
        #expect(calls.new == 1)
        #expect(kinds.$atomic.update { $0 += 2 } == 3)
        #expect(calls.new == 1)
        #expect(kinds.$atomic.exchange(3) == 3 && calls.new == 0)
    }

    /// A value of no bytes has no place of its own, so it cannot be told apart by text; nor can
    /// it ever differ. The property behind it is not taken for it.
    @Test func PK_1_values_of_no_bytes() {
        let kinds = Kinds()
        let all = Calls(kinds, "*")
        let after = BothSpellings(kinds, "afterEmpty", \.afterEmpty)
        func change<Value>(_ value: inout Value) {}
        kinds.empty = Empty()
        kinds.nothing = Nothing()
        kinds.alwaysEmpty = Empty()
        change(&kinds.empty)
        change(&kinds.nothing)
        change(&kinds.alwaysEmpty)
        #expect(all.new == 0 && after.new == 0)
        kinds.afterEmpty = 1
        #expect(all.new == 1 && after.new == 1)
        let (text, typed) = (Calls(kinds, "empty"), Calls(kinds, \.empty))
        #expect(text.observation.unresolvedPaths == ["empty"])
        #expect(typed.observation.unresolvedPaths.count == 1)
        kinds.empty = Empty()
        kinds.afterEmpty = 2
        #expect(text.new == 0 && typed.new == 0)
        #expect(kinds.numberOfObservers(of: "afterEmpty") == 3)
    }
}
