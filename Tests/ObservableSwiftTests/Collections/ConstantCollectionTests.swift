// SPDX-License-Identifier: Apache-2.0
//
// The language's own collections in text paths (IC-1, IC-2). What paths into arrays mean is proved by
// the scenario scripts; here is what only Swift has: all three of them, nested, edited in place.

import ObservableSwift
import Testing

/// What is in the collections.
private final class Answer: ObservableModel {
    @Observed var votes = 0
}

private final class Poll: ObservableModel {
    @Observed var answers: [Answer] = []
    @Observed var byName: [String: Answer]?
    @Observed var byNumber: [Int: Answer] = [:]
    @Observed var all: Set<Answer> = []
    @Observed var numbers: [Int] = []
    @Observed var cells: [Cell] = []
    @Observed var optional: [Answer?] = []
    @Observed var grid: [[Answer]] = []
    @Observed var lists: [String: [Answer]] = [:]
    @Observed var tags: Set<String> = []
    @Observed var anything: Any?
    @Observed var next: Poll?

    /// Not comparable.
    struct Cell {
        var x = 0
    }
}

extension Answer: Hashable {
    nonisolated static func == (a: Answer, b: Answer) -> Bool { a === b }
    nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@Suite struct ConstantCollectionTests {
    private let poll = Poll()
    private let a = Answer()
    private let b = Answer()

    /// As often as it was called since the last look.
    private func calls(_ path: TextPath) -> Calls { Calls(poll, path) }

    @Test func IC_1_elements_of_an_array() {
        let (first, any) = (calls("answers.#0.votes"), calls("answers.*.votes"))
        let (all, count) = (calls("answers"), calls("answers.count"))
        poll.answers.append(a)
        #expect((first.new, any.new, all.new, count.new) == (1, 1, 1, 1))
        poll.answers.append(b)
        #expect((first.new, any.new, all.new, count.new) == (0, 1, 1, 1))
        b.votes += 1
        #expect((first.new, any.new, all.new, count.new) == (0, 1, 0, 0))
        poll.answers.swapAt(0, 1)
        #expect((first.new, any.new, all.new, count.new) == (1, 0, 1, 0))
        poll.answers[0].votes += 1
        #expect((first.new, any.new, count.new) == (1, 1, 0))
        poll.answers = []
        #expect((first.new, any.new, all.new, count.new) == (1, 1, 1, 1))
    }

    /// Collections in collections, which nobody keeps but the library.
    @Test func IC_1_each_of_each() {
        let rows: ObservableArray<[Answer]> = [[a], [a, b]]
        let named: ObservableDictionary<String, [Answer]> = ["x": [a]]
        poll.grid = [[a], [b]]
        poll.lists = ["x": [a], "y": []]
        let (grid, lists) = (calls("grid.*.*.votes"), calls("lists.*.*.votes"))
        let (ofRows, ofNamed) = (Calls(rows, "*.*.votes"), Calls(named, "*.*.votes"))
        a.votes += 1
        #expect((grid.new, lists.new, ofRows.new, ofNamed.new) == (1, 1, 1, 1))
        b.votes += 1
        #expect((grid.new, lists.new, ofRows.new, ofNamed.new) == (1, 0, 1, 0))
        poll.lists["y"] = [b]
        poll.grid.append([])
        rows[1] = []
        named["x"] = [b]
        named["y"] = [a, a]
        #expect((lists.new, ofRows.new, ofNamed.new) == (1, 1, 1))
        _ = grid.new
        b.votes += 1
        #expect((grid.new, lists.new, ofRows.new, ofNamed.new) == (1, 1, 0, 1))
        rows.append([b])
        rows.swapAt(0, 2)
        named["x"] = nil
        poll.lists = [:]
        poll.grid = [[a]]
        _ = (grid.new, lists.new, ofRows.new, ofNamed.new)
        b.votes += 1
        #expect((grid.new, lists.new, ofRows.new, ofNamed.new) == (0, 0, 1, 0))
        a.votes += 1
        #expect((grid.new, lists.new, ofRows.new, ofNamed.new) == (1, 0, 1, 1))
        rows.removeAll()
        named.removeAll()
        poll.grid = []
        _ = (grid.new, lists.new, ofRows.new, ofNamed.new)
        a.votes += 1
        #expect((grid.new, lists.new, ofRows.new, ofNamed.new) == (0, 0, 0, 0))
    }

    @Test func IC_1_elements_in_typed_paths() {
        let loop = DeliveryLoop()
        var calls = [0, 0, 0, 0, 0, 0]
        func count(_ index: Int) -> (Poll) -> Void {
            { _ in calls[index] += 1 }
        }
        poll.answers = [a, b]
        poll.optional = [nil, a]
        poll.all = [a]
        poll.byNumber = [1: a]
        poll.lists = ["x": [b]]
        let tokens = [
            poll.onChange(of: \.answers[following: 1].votes, on: loop, perform: count(0)),
            poll.onChange(of: \.answers.each.votes, on: loop, perform: count(1)),
            poll.onChange(of: \.optional.each?.votes, on: loop, perform: count(2)),
            poll.onChange(of: \.all.each.votes, on: loop, perform: count(3)),
            poll.onChange(of: \.all[member: b], on: loop, perform: count(4)),
            poll.onChange(of: \.byNumber.each.votes, on: loop, perform: count(5)),
            poll.onChange(of: \.lists.each.each.votes, on: loop, perform: count(5)),
        ]
        func drained() -> [Int] {
            loop.drain()
            defer { calls = [0, 0, 0, 0, 0, 0] }
            return calls
        }
        #expect(tokens.allSatisfy { $0.failure == nil })
        a.votes += 1
        #expect(drained() == [0, 1, 1, 1, 0, 1])
        b.votes += 1
        #expect(drained() == [1, 1, 0, 0, 0, 1])
        poll.answers.insert(a, at: 0)  // another stands at 1: what was followed has left
        poll.all.insert(b)
        #expect(drained() == [1, 0, 0, 1, 1, 0])
        b.votes += 1
        #expect(drained() == [0, 1, 0, 1, 0, 1])
        #expect(poll.allObservedProperties.contains("answers"))
        tokens.forEach { $0.cancel() }
    }

    @Test func IC_1_values_of_a_dictionary() {
        let (text, number) = (calls("byName.x.votes"), calls("byNumber.*.votes"))
        let (count, escaped) = (calls("byName.count"), calls(#"byName.\count.votes"#))
        poll.byName = ["x": a]
        #expect((text.new, count.new, escaped.new) == (1, 1, 0))
        poll.byName!["count"] = b
        #expect((text.new, count.new, escaped.new) == (0, 1, 1))
        a.votes += 1
        poll.byNumber[7] = b
        #expect((text.new, number.new) == (1, 1))
        poll.byName!["x"] = nil
        b.votes += 1
        #expect((text.new, count.new, escaped.new, number.new) == (1, 1, 1, 1))
        poll.byName = nil
        #expect((text.new, count.new, escaped.new) == (0, 1, 1))
    }

    @Test func IC_1_members_of_a_set() throws {
        let swift = try TextPath(parsing: "tags." + ObservableSet<String>.key(for: "swift"))
        let (tag, any) = (calls(swift), calls("all.*.votes"))
        poll.tags.insert("other")
        #expect(tag.new == 0)
        poll.tags.insert("swift")
        #expect(tag.new == 1)
        poll.tags = ["swift"]
        #expect(tag.new == 0)
        poll.tags = []
        #expect(tag.new == 1)
        poll.all = [a, b]
        #expect(any.new == 1)
        b.votes += 1
        #expect(any.new == 1)
        poll.all.remove(b)
        b.votes += 1
        #expect(any.new == 1)
    }

    @Test func IC_1_nested_and_optional_and_in_an_existential() {
        poll.grid = [[a], [b]]
        poll.lists = ["x": [a]]
        poll.optional = [nil]
        let (inner, followed) = (calls("grid.#1.#0.votes"), calls("grid.0.0.votes"))
        let (list, optional) = (calls("lists.x.*.votes"), calls("optional.#0.votes"))
        let any = calls("anything.#0.votes")
        a.votes += 1
        #expect((inner.new, followed.new, list.new, optional.new, any.new) == (0, 1, 1, 0, 0))
        poll.grid[1].insert(a, at: 0)
        poll.lists["x"]!.append(b)
        poll.optional[0] = b
        poll.anything = [b]
        #expect((inner.new, followed.new, list.new, optional.new, any.new) == (1, 0, 1, 1, 1))
        b.votes += 1
        #expect((inner.new, followed.new, list.new, optional.new, any.new) == (0, 0, 1, 1, 1))
        poll.grid[0][0] = b
        poll.anything = 3
        #expect((inner.new, followed.new, any.new) == (0, 1, 1))
        a.votes += 1
        #expect((inner.new, followed.new, list.new) == (1, 0, 1))
    }

    @Test func IC_1_values_are_compared_by_their_position() {
        poll.numbers = [1, 2, 3]
        let (first, second) = (calls("numbers.#0"), calls("numbers.1"))
        poll.numbers.append(4)
        poll.numbers[0] = 1
        #expect((first.new, second.new) == (0, 0))
        poll.numbers[0] = 9
        #expect((first.new, second.new) == (1, 0))
        poll.numbers[1] = 9
        #expect((first.new, second.new) == (0, 1))
        poll.numbers[1] = 2
        #expect((first.new, second.new) == (0, 0))
    }

    /// What cannot be compared is followed as long as the array is the same one.
    @Test func IC_2_whoever_observes_next_ends_nothing() {
        poll.cells = [Poll.Cell()]
        let cell = calls("cells.0")
        let others = (0..<3).map { _ in calls("cells.#0") }
        let copy = Poll()
        copy.cells = poll.cells
        let elsewhere = Calls(copy, "cells.0")
        #expect(cell.new == 0 && others.allSatisfy { $0.new == 0 } && elsewhere.new == 0)
        poll.cells[0].x = 1
        #expect(cell.new == 1 && others.allSatisfy { $0.new == 1 } && elsewhere.new == 0)
    }

    @Test func IC_2_a_new_parent_with_the_same_keeps_it() {
        let (one, other) = (Poll(), Poll())
        one.numbers = [1, 2]
        other.numbers = [1, 3]
        poll.next = one
        let (same, another) = (calls("next.numbers.0"), calls("next.numbers.1"))
        poll.next = other
        #expect((same.new, another.new) == (0, 1))
        other.numbers[0] = 4
        #expect(same.new == 1)
    }

    @Test func LT_1_nothing_is_held_that_is_not_followed() {
        weak var first: Answer?
        weak var second: Answer?
        do {
            let (one, two) = (Answer(), Answer())
            (first, second) = (one, two)
            poll.answers = [one]
            poll.byName = ["x": two]
        }
        let paths: [TextPath] = ["answers.#0.votes", "answers.0.votes", "answers.*.votes"]
        var observed = paths.map(calls)
        let named = calls("byName.x.votes")
        #expect(first != nil && second != nil)
        poll.answers = [a]
        #expect(first == nil)
        observed.removeAll()
        named.observation.stop()
        poll.byName = nil
        #expect(second == nil)
    }

    @Test func KP_20_what_a_collection_cannot_have_is_refused() {
        poll.byName = [:]
        for path: TextPath in [
            "answers.votes", "answers.&3", "byName.#0", "byName.0", "tags.swift", "tags.#0",
        ] {
            #expect(calls(path).observation.failure?.kind == .unsupportedElement)
        }
    }

    /// Two objects, each of a thread of its own, with one value.
    @Test func TH_1_threads_share_a_value() {
        let numbers = Array(0..<8)
        onThreads(2) { number in
            let poll = Poll()
            for round in 0..<200 {
                poll.numbers = round % 2 == 0 ? numbers : []
                let calls = (Calls(poll, "numbers.#0"), Calls(poll, "numbers.*"))
                let followed = round % 2 == 0 ? Calls(poll, "numbers.3") : nil
                poll.numbers = round % 2 == 0 ? [] : numbers
                #expect((calls.0.new, calls.1.new) == (1, 1))
                #expect(followed.map { $0.new } ?? 1 == 1)
            }
        }
    }
}
