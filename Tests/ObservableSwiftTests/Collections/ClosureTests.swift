// SPDX-License-Identifier: Apache-2.0
//
// Closures that a program hands to a collection, and that edit it: algorithms go on over the elements
// that were there when they began, and what decides on an edit is stopped.

import ObservableSwift
import Testing

// MARK: - Algorithms

/// How the closure of an algorithm edits the collection, at its first call.
private enum Edit: CaseIterable {
    case removes, adds, replaces, nothing
}

/// The algorithms of the language that are given a closure, each with what it answers, as text. The
/// closures call `met` with each element, which answers its number.
private func algorithms<Content: _ObservableCollection>(
    of _: Content.Type, _ number: @escaping (Content.Element) -> Int
) -> [(name: String, run: (Content, @escaping (Content.Element) -> Int) -> String)] {
    func texts(_ elements: some Sequence<Content.Element>) -> String {
        "\(elements.map(number))"
    }
    func place(_ index: Content.Index?, in content: Content) -> String {
        "\(index.map { content.distance(from: content.startIndex, to: $0) } ?? -1)"
    }
    return [
        (
            "forEach",
            { c, met in
                var all: [Int] = []
                c.forEach { all.append(met($0)) }
                return "\(all)"
            }
        ),
        (
            "for",
            { c, met in
                var all: [Int] = []
                for element in c { all.append(met(element)) }
                return "\(all)"
            }
        ),
        ("map", { c, met in "\(c.map { met($0) })" }),
        ("compactMap", { c, met in "\(c.compactMap { Optional(met($0)) })" }),
        ("flatMap", { c, met in "\(c.flatMap { [met($0)] })" }),
        ("reduce", { c, met in "\(c.reduce("") { $0 + "\(met($1)) " })" }),
        ("reduce into", { c, met in "\(c.reduce(into: []) { $0.append(met($1)) })" }),
        ("first", { c, met in "\(c.first { met($0) < 0 }.map(number) ?? -1)" }),
        ("last", { c, met in "\(c.last { met($0) < 0 }.map(number) ?? -1)" }),
        (
            "firstIndex",
            { c, met in
                let last = number(c.last!)
                return place(c.firstIndex { met($0) == last }, in: c)
            }
        ),
        (
            "lastIndex",
            { c, met in
                let first = number(c.first!)
                return place(c.lastIndex { met($0) == first }, in: c)
            }
        ),
        (
            "indices",
            { c, met in
                let found = c.indices { met($0) % 2 == 0 }
                return
                    "\(found.ranges.map { place($0.lowerBound, in: c) + place($0.upperBound, in: c) })"
            }
        ),
        ("contains", { c, met in "\(c.contains { met($0) < 0 })" }),
        ("allSatisfy", { c, met in "\(c.allSatisfy { met($0) < 9 })" }),
        ("count", { c, met in "\(c.count { met($0) < 9 })" }),
        ("min", { c, met in "\(number(c.min { met($0) < number($1) }!))" }),
        ("max", { c, met in "\(number(c.max { met($0) < number($1) }!))" }),
        ("sorted", { c, met in texts(c.sorted { met($0) < number($1) }) }),
        ("drop", { c, met in texts(c.drop { met($0) < 9 }) }),
        ("prefix", { c, met in texts(c.prefix { met($0) < 9 }) }),
        (
            "trimmingPrefix",
            { c, met in
                texts(c.trimmingPrefix { met($0) < 0 })
            }
        ),
        (
            "split",
            { c, met in
                "\(c.split { met($0) == 3 }.map { texts($0) })"
            }
        ),
        (
            "starts",
            { c, met in
                "\(c.starts(with: Array(c)) { met($0) == number($1) })"
            }
        ),
        (
            "elementsEqual",
            { c, met in
                "\(c.elementsEqual(Array(c)) { met($0) == number($1) })"
            }
        ),
        (
            "lexicographicallyPrecedes",
            { c, met in
                "\(c.lexicographicallyPrecedes(Array(c)) { met($0) < number($1) })"
            }
        ),
        (
            "difference",
            { c, met in
                let other = c.reversed().map { $0 }
                let found = c.difference(from: other) { met($0) == number($1) }
                return "\(found.insertions.count) \(found.removals.count)"
            }
        ),
        ("filter", { c, met in texts(c.filter { met($0) < 9 }) }),
        (
            "of a slice",
            { c, met in
                "\(c.dropFirst(1).map { met($0) })"
            }
        ),
        (
            "of a slice, by index",
            { c, met in
                let slice = c.prefix(4)
                return place(slice.firstIndex { met($0) < 0 }, in: c)
            }
        ),
        ("reversed", { c, met in "\(c.reversed().map { met($0) })" }),
        ("lazy", { c, met in "\(Array(c.lazy.map { met($0) }))" }),
        ("enumerated", { c, met in "\(c.enumerated().map { met($0.element) })" }),
        ("zip", { c, met in "\(zip(c, c).map { met($0.0) + number($0.1) })" }),
    ]
}

@Suite struct ClosureTests {
    /// Each algorithm with each edit answers what it answers without.
    private func checkAll<Content: _ObservableCollection>(
        _ make: () -> Content, _ number: @escaping (Content.Element) -> Int,
        _ edit: @escaping (Content, Edit) -> Void
    ) {
        for (name, run) in algorithms(of: Content.self, number) {
            let content = make()
            let expected = run(content, number)
            for how in Edit.allCases {
                let content = make()
                let order = content.map(number)
                var calls = 0
                let answer = run(content) {
                    calls += 1
                    if calls == 1 { edit(content, how) }
                    return number($0)
                }
                #expect(calls > 0, "\(name)")
                #expect(order == Array(make()).map(number), "the same order each time")
                #expect(answer == expected, "\(name), \(how)")
            }
        }
    }

    @Test func CP_2_algorithms_of_an_array_that_is_edited() {
        checkAll({ ObservableArray([1, 2, 3, 4, 5, 6]) }, { $0 }) { array, edit in
            switch edit {
            case .removes: array.removeAll()
            case .adds: array.insert(contentsOf: [17, 18, 19], at: 0)
            case .replaces: array.assign([11, 12, 13, 14, 15, 16])
            case .nothing: break
            }
        }
    }

    @Test func CP_2_algorithms_of_a_dictionary_that_is_edited() {
        func make() -> ObservableDictionary<Int, Int> {
            let made = ObservableDictionary<Int, Int>()
            for number in 1...6 { made[number] = number }
            return made
        }
        checkAll(make, { $0.value }) { dictionary, edit in
            switch edit {
            case .removes: dictionary.removeAll()
            case .adds: dictionary.merge([7: 17, 8: 18, 9: 19]) { $1 }
            case .replaces: for key in 1...6 { dictionary[key] = key + 10 }
            case .nothing: break
            }
        }
    }

    @Test func CP_2_algorithms_of_a_set_that_is_edited() {
        checkAll({ ObservableSet([1, 2, 3, 4, 5, 6]) }, { $0 }) { set, edit in
            switch edit {
            case .removes: set.removeAll()
            case .adds: set.formUnion([17, 18, 19])
            case .replaces: set.assign([11, 12, 13, 14, 15, 16])
            case .nothing: break
            }
        }
    }

    @Test func CP_2_algorithms_of_what_is_derived() {
        let numbers: ObservableArray = [1, 2, 3]
        let doubled = numbers.mapping { $0 * 2 }
        #expect(
            doubled.map {
                numbers.removeAll()
                return $0
            } == [2, 4, 6])
        numbers.append(contentsOf: [1, 2, 3])
        #expect(
            doubled.firstIndex {
                numbers.removeAll()
                return $0 == 6
            } == 2)
    }

    /// As a program writes them, where the compiler chooses among the language's and ours.
    @Test func CP_2_algorithms_with_their_types() {
        let array: ObservableArray = [1, 2, 3]
        #expect(
            array.map {
                array.removeAll()
                return "\($0)"
            } == ["1", "2", "3"])
        let more = array.filter { $0 > 2 }
        #expect(more == [] && array.first { $0 == 1 } == nil)
        array.assign([1, 2, 3])
        #expect(array.firstIndex { $0 == 2 } == 1 && array.lastIndex { $0 == 2 } == 1)
        #expect(array.split { $0 == 2 }.map(Array.init) == [[1], [3]])
        #expect(array.reversed() == [3, 2, 1] && array.reversed().first == 3)
        #expect(array[1...].map { $0 } == [2, 3] && array.lazy.map { $0 }.count == 3)
        let set: ObservableSet = ["a"]
        #expect(
            set.map {
                set.removeAll()
                return $0
            } == ["a"] && set.isEmpty)
        let words: ObservableDictionary = ["a": 1]
        #expect(
            words.map { key, value in
                words.removeAll()
                return key
            } == ["a"])
        words.assign(["a": 1, "b": 2])
        #expect(
            words.filter {
                words["c"] = $0.value
                return true
            } == ["a": 1, "b": 2])
        #expect(words.count == 3)
    }

    @Test func CP_2_what_throws_is_thrown_on() {
        struct Refused: Error {}
        let array: ObservableArray = [1, 2, 3]
        #expect(throws: Refused.self) {
            try array.map { _ throws(Refused) -> Int in throw Refused() }
        }
        #expect(throws: Refused.self) { try array.firstIndex { _ in throw Refused() } }
        #expect(throws: Refused.self) {
            try array.sort { _, _ in
                array.removeAll()
                throw Refused()
            }
        }
        #expect(array.isEmpty)
    }

    // MARK: - Deciding on an edit

    /// Elements that come from a sequence which edits the collection are put where they belong then.
    @Test func CP_2_a_sequence_that_edits() {
        let array: ObservableArray = [1, 2]
        array.append(
            contentsOf: [7, 8].lazy.map {
                array.insert($0 - 1, at: 0)
                return $0
            })
        #expect(array == [7, 6, 1, 2, 7, 8])
        array.assign(
            [3, 4].lazy.map {
                array.append(9)
                return $0
            })
        #expect(array == [3, 4])
    }

    @Test(arguments: deciding.indices)
    func CP_2_an_edit_that_decides_on_an_edit_is_stopped(_ index: Int) async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index] in
            deciding[index].run()
        }
        let said = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            said.contains("a collection was edited by a closure that decides on an edit of it"),
            "\(deciding[index].name)")
    }

    @Test func CP_2_what_edits_another_collection_decides() {
        let (array, other): (ObservableArray<Int>, ObservableArray<Int>) = ([3, 1, 2], [])
        array.sort {
            other.append($0)
            return $0 < $1
        }
        array.removeAll {
            other.append($0)
            return $0 == 2
        }
        #expect(array == [1, 3] && other.count > 3)
        let counts = ObservableDictionary<String, Int>()
        counts["a", default: other.removeLast()] += 1
        #expect(counts["a"] != nil)
    }
}

private struct Deciding: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private struct EditingNumbers: RandomNumberGenerator {
    let array: ObservableArray<Int>
    var seeded = SeededGenerator(state: 7)

    mutating func next() -> UInt64 {
        array[0] += 1
        return seeded.next()
    }
}

private func observed<Content: ObservableContainer>(_ content: Content) -> Content {
    content.tell(Observer.shared, when: \.[text: "*"], on: .main) { _, _ in }
    return content
}

private final class Observer: Sendable {
    static let shared = Observer()
}

/// Each edits the collection and keeps its count.
private let deciding = [
    Deciding("removeAll of an array") {
        let numbers: ObservableArray = [1, 2, 3, 4, 5, 6]
        numbers.removeAll {
            if $0 == 3 { numbers[4] = 99 }
            return $0 == 3
        }
    },
    Deciding("removeAll of an observed array, of none") {
        let numbers = observed(ObservableArray([1, 2, 3]))
        numbers.removeAll {
            if $0 == 3 { numbers[1] = 99 }
            return false
        }
    },
    Deciding("sort") {
        let numbers: ObservableArray = [3, 1, 2]
        numbers.sort {
            numbers[0] = 7
            return $0 < $1
        }
    },
    Deciding("sort that changes places") {
        let numbers = observed(ObservableArray([3, 1, 2]))
        numbers.sort {
            numbers.swapAt(0, 1)
            return $0 < $1
        }
    },
    Deciding("partition") {
        let numbers: ObservableArray = [3, 1, 2]
        _ = numbers.partition {
            numbers[0] = 7
            return $0 < 2
        }
    },
    Deciding("shuffle") {
        let numbers: ObservableArray = [3, 1, 2]
        var generator = EditingNumbers(array: numbers)
        numbers.shuffle(using: &generator)
    },
    Deciding("trimPrefix") {
        var numbers: ObservableArray = [3, 1, 2]
        let same = numbers
        numbers.trimPrefix {
            same[2] = 7
            return $0 > 2
        }
    },
    Deciding("in place, observed") {
        let lists = observed(ObservableArray([[3, 1, 2], []]))
        lists[0].sort {
            lists.swapAt(0, 1)
            return $0 < $1
        }
    },
    Deciding("removeAll of a dictionary") {
        let words: ObservableDictionary = [1: 1, 2: 2, 3: 3]
        words.removeAll {
            words[2] = 7
            return $0.value == 2
        }
    },
    Deciding("merge of pairs") {
        let words: ObservableDictionary = [1: 1, 2: 2]
        words.merge([(1, 3)]) {
            words[1] = 7
            return $0 + $1
        }
    },
    Deciding("merge of a dictionary") {
        let words = observed(ObservableDictionary([1: 1, 2: 2]))
        words.merge([1: 3]) {
            words[2] = 7
            return $0 + $1
        }
    },
    Deciding("the default of a dictionary") {
        let words: ObservableDictionary = [1: 1]
        words[
            2,
            default: {
                words[1] = 7
                return 0
            }()] += 1
    },
    Deciding("in place in a dictionary, observed") {
        let words = observed(ObservableDictionary([1: [3, 1, 2]]))
        words[1, default: []].sort {
            words[1] = []
            return $0 < $1
        }
    },
    Deciding("removeAll of a set") {
        let set: ObservableSet = [1, 2, 3]
        set.removeAll {
            if $0 == 2 {
                set.remove(1)
                set.insert(9)
            }
            return $0 == 2
        }
    },
    Deciding("update of a set") {
        let set: ObservableSet<EditingMember> = []
        let member = EditingMember(set)
        set.insert(member)
        member.edits = true
        set.update(with: member)
    },
    Deciding("subtract of a set") {
        let set: ObservableSet<EditingMember> = []
        let member = EditingMember(set)
        set.insert(member)
        set.subtract(
            [0].lazy.map { _ in
                member.edits = true
                return member
            })
    },
]

/// Whose `==` edits the set.
private final class EditingMember: Hashable {
    let set: ObservableSet<EditingMember>
    var edits = false

    init(_ set: ObservableSet<EditingMember>) { self.set = set }

    static func == (a: EditingMember, b: EditingMember) -> Bool {
        if a.edits {
            a.edits = false
            a.set.insert(EditingMember(a.set))
        }
        return a === b
    }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
