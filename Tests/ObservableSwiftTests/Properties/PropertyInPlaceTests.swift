// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// A list that copies its elements when it is written to while it is shared, and counts them.
private struct CountingList: Equatable {
    private final class Storage {
        var elements: [Int]
        init(_ elements: [Int]) { self.elements = elements }
    }

    private var storage = Storage([])
    private(set) var copied = 0

    init(count: Int) {
        storage.elements = Array(0..<count)
    }

    var count: Int { storage.elements.count }

    mutating func append(_ element: Int) {
        if !isKnownUniquelyReferenced(&storage) {
            copied += storage.elements.count
            storage = Storage(storage.elements.map { $0 })
        }
        storage.elements.append(element)
    }

    mutating func appendAndThrow(_ element: Int) throws {
        append(element)
        throw Failed()
    }

    static func == (a: CountingList, b: CountingList) -> Bool {
        a.storage.elements == b.storage.elements
    }
}

private struct Failed: Error {}

private struct Size: Equatable {
    var width = 0.0
    var height = 0.0
    var note = ""
}

/// Has no `==`, and no references.
private struct Raw {
    var width = 0
}

private final class Lists: ObservableModel {
    @Observed var list = CountingList(count: 1000)
    @ObservedAs<AlwaysDifferent<CountingList>> var chosen = CountingList(count: 1000)
    @Observed var maybe: CountingList? = CountingList(count: 1000)
    @Observed var numbers: [Int] = []
    @Observed var words: [String: [String]] = [:]
    @Observed var size = Size()
    @Observed var maybeSize: Size?
    @Observed var raw = Raw()
    @Observed var text = ""
    @Observed var count = 0
    @Observed var child: Lists?
    @ObservedAs<AlwaysDifferent<Int>> var every = 0
    @ObservedWeak var weak: Lists?
}

@Suite struct PropertyInPlaceTests {
    private func appendMany(_ lists: Lists) {
        for number in 0..<10 {
            lists.list.append(number)
            lists.chosen.append(number)
            lists.maybe?.append(number)
        }
    }

    private func copied(_ lists: Lists) -> Int {
        lists.list.copied + lists.chosen.copied + lists.maybe!.copied
    }

    @Test func PK_3_nothing_is_copied_where_nobody_observes() {
        let lists = Lists()
        appendMany(lists)
        #expect(copied(lists) == 0 && lists.list.count == 1010)
    }

    @Test func PK_3_nothing_is_copied_where_another_property_is_observed() {
        let lists = Lists()
        let calls = BothSpellings(lists, "count", \.count)
        appendMany(lists)
        #expect(copied(lists) == 0)
        #expect(calls.new == 0)
    }

    /// Was observed, and is no more.
    @Test func PK_3_nothing_is_copied_after_observing() {
        let lists = Lists()
        let calls = Calls(lists, "list", "chosen", "maybe")
        calls.observation.stop()
        appendMany(lists)
        #expect(copied(lists) == 0)
        #expect(calls.new == 0)
    }

    @Test func PK_3_nothing_is_copied_for_delayed_observers() {
        let lists = Lists()
        let text = Calls(lists, "list", "chosen", "maybe")
        let typed = Calls(lists, \.list, \.chosen, \.maybe)
        let all = Calls(lists, "*")
        for _ in 0..<3 {
            appendMany(lists)
            #expect(text.new == 1 && typed.new == 1 && all.new == 1)
        }
        #expect(copied(lists) == 0)
    }

    @Test func PK_3_nothing_is_copied_for_immediate_observers() {
        let lists = Lists()
        let calls = Calls(lists, "list", options: .immediate)
        appendMany(lists)
        #expect(calls.new == 10)
        #expect(copied(lists) == 0)
    }

    /// A path that goes on into the value compares, so it is the one that copies.
    @Test func PK_3_a_path_into_the_value_compares() {
        let lists = Lists()
        let calls = Calls(lists, \.list.count)
        lists.list.append(1)
        #expect(calls.new == 1)
        lists.list.append(2)
        #expect(calls.new == 1)
    }

    @Test func PK_3_collections_and_values_in_place() {
        let lists = Lists()
        let numbers = BothSpellings(lists, "numbers", \.numbers)
        let words = BothSpellings(lists, "words", \.words)
        let size = BothSpellings(lists, "size", \.size)
        let text = BothSpellings(lists, "text", \.text)
        lists.numbers.append(1)
        lists.numbers[0] = 2
        lists.numbers += [3]
        #expect(numbers.new == 1 && lists.numbers == [2, 3])
        lists.words["a", default: []].append("b")
        #expect(words.new == 1 && lists.words == ["a": ["b"]])
        lists.size.width = 4
        #expect(size.new == 1 && lists.size.width == 4)
        lists.text += "x"
        #expect(text.new == 1)
        let other = Lists()
        swap(&lists.numbers, &other.numbers)
        #expect(numbers.new == 1 && lists.numbers == [] && other.numbers == [2, 3])
    }

    /// What can be compared without a copy is.
    @Test func PK_3_EQ_1_a_mutation_that_changes_nothing() {
        let lists = Lists()
        let count = BothSpellings(lists, "count", \.count)
        let raw = BothSpellings(lists, "raw", \.raw)
        let every = BothSpellings(lists, "every", \.every)
        lists.count += 0
        #expect(count.new == 0)
        lists.count += 1
        #expect(count.new == 1)
        // No `==`: always a change.
        lists.raw.width += 0
        #expect(raw.new == 1)
        lists.every += 0
        #expect(every.new == 1)
    }

    @Test func PK_3_optional_values_in_place() {
        let lists = Lists()
        let maybe = BothSpellings(lists, "maybeSize", \.maybeSize)
        lists.maybeSize = Size()
        #expect(maybe.new == 1)
        lists.maybeSize?.width = 1
        #expect(maybe.new == 1 && lists.maybeSize?.width == 1)
    }

    /// A reference that is changed as a variable: the object at its end moves.
    @Test func PK_3_references_in_place() {
        func replace(_ place: inout Lists?) { place = Lists() }
        func keep(_ place: inout Lists?) {}
        let lists = Lists()
        let calls = BothSpellings(lists, "child.count", \.child?.count)
        let weak = BothSpellings(lists, "weak", \.weak)
        replace(&lists.child)
        #expect(calls.new == 1)
        let first = lists.child
        first?.count = 1
        #expect(calls.new == 1)
        keep(&lists.child)
        #expect(calls.new == 0)
        replace(&lists.child)
        #expect(calls.new == 1)
        first?.count = 2
        #expect(calls.new == 0)
        lists.child?.count = 2
        #expect(calls.new == 1)
        let held = lists.child
        func point(_ place: inout Lists?) { place = held }
        point(&lists.weak)
        #expect(weak.new == 1 && lists.weak === held)
        point(&lists.weak)
        #expect(weak.new == 0)
    }

    @Test func PK_3_a_mutation_that_throws_is_told() {
        let lists = Lists()
        let text = Calls(lists, "list", "chosen")
        let typed = Calls(lists, \.list, \.chosen)
        #expect(throws: Failed.self) { try lists.list.appendAndThrow(1) }
        #expect(lists.list.count == 1001)
        #expect(text.new == 1 && typed.new == 1)
        #expect(throws: Failed.self) { try lists.chosen.appendAndThrow(1) }
        #expect(lists.chosen.count == 1001)
        #expect(text.new == 1 && typed.new == 1)
        func fail(_ count: inout Int) throws { count += 1; throw Failed() }
        let count = BothSpellings(lists, "count", \.count)
        #expect(throws: Failed.self) { try fail(&lists.count) }
        #expect(lists.count == 1 && count.new == 1)
    }

    @Test func PK_3_setting_through_key_paths() {
        let lists = Lists()
        let numbers = BothSpellings(lists, "numbers", \.numbers)
        let size = BothSpellings(lists, "size", \.size)
        let count = BothSpellings(lists, "count", \.count)
        let child = BothSpellings(lists, "child.count", \.child?.count)
        let path = \Lists.numbers
        lists[keyPath: path] = [1]
        #expect(numbers.new == 1)
        lists[keyPath: path] = [1]
        #expect(numbers.new == 0)
        lists[keyPath: path].append(2)
        #expect(numbers.new == 1 && lists.numbers == [1, 2])
        lists[keyPath: \.size.width] = 3
        #expect(size.new == 1 && lists.size.width == 3)
        lists[keyPath: \.count] += 1
        #expect(count.new == 1)
        lists.child = Lists()
        #expect(child.new == 1)
        lists.child![keyPath: \.count] = 7
        #expect(child.new == 1)
    }

    /// Observers that are called inside the change find the new value, and may set others.
    @Test func PK_3_immediate_observers_run_after_the_mutation() {
        let lists = Lists()
        let token = lists.onChange(of: \.[text: "numbers"], options: .immediate) { lists in
            lists.count = lists.numbers.count
        }
        let count = BothSpellings(lists, "count", \.count)
        lists.numbers.append(5)
        #expect(lists.count == 1 && count.new == 1)
        token.cancel()
    }

    #if DEBUG
        /// As with a plain stored property; in an optimised build the compiler may leave the check
        /// out, for one as for the other.
        @Test func PK_3_reading_a_property_from_inside_its_own_mutation_stops_the_program() async {
            await #expect(processExitsWith: .failure) {
                let lists = Lists()
                func change(_ numbers: inout [Int]) { numbers.append(lists.numbers.count) }
                change(&lists.numbers)
            }
            await #expect(processExitsWith: .failure) {
                let lists = Lists()
                let calls = Calls(lists, "numbers")
                func change(_ numbers: inout [Int]) { numbers.append(lists.numbers.count) }
                change(&lists.numbers)
                _ = calls.new
            }
            await #expect(processExitsWith: .failure) {
                let lists = Lists()
                let calls = Calls(lists, "numbers")
                func change(_ numbers: inout [Int]) { lists.numbers = [1] }
                change(&lists.numbers)
                _ = calls.new
            }
        }
    #endif
}
