// SPDX-License-Identifier: Apache-2.0
//
// Arrays of what stands in dictionaries and sets, over random edits of every kind; and as their
// observers see them.

import ObservableSwift
import Testing

/// What an array shows, as somebody has it who is told of edits alone.
private final class Told<Element: Equatable> {
    private(set) var content: [Element]
    private(set) var calls = 0
    private var token: ObservationToken?

    init(_ array: DerivedArray<Element>) {
        content = Array(array)
        token = array.differences().on(.main).options(.immediate).onChange {
            [unowned self, unowned array] difference in
            content = content.applying(difference)!
            calls += 1
            #expect(content == Array(array))
        }
    }
}

@Suite struct ListingTests {
    /// Beside a list of keys that a naive follower keeps: those that come go to its end.
    @Test(arguments: 1...12)
    func AR_10_the_values_of_a_dictionary_as_they_came(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let words: ObservableDictionary<Int, Int> = [4: 40]
        let texts = words.listing { "\($0) \($1)" }
        let values = words.listing()
        let sorted = values.sorting()
        let told = Told(texts)
        let toldOfValues = Told(values)
        var keys = Array(words.keys)
        for _ in 0..<200 {
            let before = (words.content, toldOfValues.calls)
            editKeys(words, &generator)
            keys.removeAll { words[$0] == nil }
            #expect(Set(texts.dropFirst(keys.count)).count == words.count - keys.count)
            keys += texts.dropFirst(keys.count).map { Int($0.split(separator: " ")[0])! }
            #expect(Array(values) == keys.map { words[$0] })
            #expect(Array(texts) == keys.map { "\($0) \(words[$0]!)" })
            #expect(Array(sorted) == words.values.sorted())
            #expect(told.content == Array(texts) && toldOfValues.content == Array(values))
            // One edit there is one here.
            #expect(toldOfValues.calls - before.1 <= 1)
            #expect(words.content == before.0 || toldOfValues.calls > before.1)
        }
    }

    private func editKeys(
        _ words: ObservableDictionary<Int, Int>, _ generator: inout SeededGenerator
    ) {
        let key = Int.random(in: 0..<8, using: &generator)
        let value = Int.random(in: 0..<50, using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0...2: words[key] = value
        case 3, 4: words[key] = nil
        case 5: words.merge([(key, value), (7 - key, 1), (key, 2)]) { $0 + $1 }
        case 6: words.assign([key: value, key + 1: 5])
        case 7: words.removeAll { $0.value % 3 == value % 3 }
        default: words[key, default: 7] += 1
        }
    }

    @Test(arguments: 1...8)
    func AR_10_the_members_of_a_set_as_they_came(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let tags: ObservableSet<Int> = [3, 1]
        let list = tags.listing()
        let told = Told(list)
        var members = Array(list)
        #expect(Set(members) == [1, 3])
        for _ in 0..<200 {
            let member = Int.random(in: 0..<9, using: &generator)
            let calls = told.calls
            let before = Set(tags)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0, 1: tags.insert(member)
            case 2: tags.remove(member)
            case 3: tags.formSymmetricDifference([member, 4, 5])
            case 4: tags.assign([member, 2])
            case 5: tags.removeAll { $0 % 3 == member % 3 }
            default: tags.update(with: member)
            }
            members.removeAll { !tags.contains($0) }
            members += list.dropFirst(members.count)
            #expect(Array(list) == members && Set(members) == Set(tags))
            #expect(members.count == tags.count && told.content == members)
            #expect(told.calls - calls == (before == Set(tags) ? 0 : 1))
        }
    }

    @Test func AR_10_a_value_stands_where_the_one_before_it_stood() {
        let words = ObservableDictionary<String, Song>()
        for title in ["a", "b", "c"] { words[title] = Song(title) }
        let titles = words.listing().refreshing(when: \.title).mapping(\.title)
        words["b"] = Song("B")
        #expect(Array(titles) == ["a", "B", "c"])
        words["a"] = nil
        words["a"] = Song("A")
        #expect(Array(titles) == ["B", "c", "A"])
        words["c"]?.title = "C"
        #expect(Array(titles) == ["B", "C", "A"])
    }

    @Test func AR_10_who_follows_a_value_goes_on_when_others_go() {
        let words = ObservableDictionary<String, Song>()
        for title in ["a", "b", "c"] { words[title] = Song(title) }
        let list = words.listing()
        let second = Calls(list, \.[following: 1].title)
        words["a"] = nil
        words["d"] = Song("d")
        #expect(second.new == 0)
        words["b"]?.title = "bb"
        #expect(second.new == 1)
    }

    @Test func AR_10_groups_are_listed_as_well() {
        let numbers: ObservableArray = [1, 2, 3, 4, 5]
        let sizes = numbers.grouping { $0 % 3 }.listing { "\($0): \($1.count)" }
        #expect(Set(sizes) == ["0: 1", "1: 2", "2: 2"])
        numbers.append(10)
        #expect(Set(sizes) == ["0: 1", "1: 2", "2: 2"])
        numbers.removeAll { $0 == 3 }
        #expect(Set(sizes) == ["1: 2", "2: 2"])
    }

    /// What the closure edits is done after it, and is an edit of its own.
    @Test func AR_10_a_closure_that_edits_the_source_is_done_after_it() {
        let words: ObservableDictionary = ["a": 1]
        let list = words.listing { key, value in
            if key == "b" { words["c"] = value + 1 }
            return "\(key)\(value)"
        }
        let told = Told(list)
        words["b"] = 5
        #expect(
            Array(list) == ["a1", "b5", "c6"] && told.content == Array(list) && told.calls == 2)
    }

    @Test func AR_10_a_closure_may_edit_the_source_while_the_array_is_made() {
        let words: ObservableDictionary = ["a": 1]
        let list = words.listing { key, value in
            if key == "a" { words["b"] = value + 1 }
            return "\(key)\(value)"
        }
        #expect(Array(list) == ["a1", "b2"])
        let numbers: ObservableArray = [1, 2]
        let doubled = numbers.mapping {
            if numbers.count < 4 { numbers.insert(9, at: 0) }
            return $0 * 2
        }
        #expect(Array(doubled) == [18, 18, 2, 4])
        let sorted = numbers.sorting { a, b in
            if numbers.count < 6 { numbers.append(0) }
            return a < b
        }
        #expect(Array(sorted) == [0, 0, 1, 2, 9, 9])
    }

    @Test func AR_10_it_holds_its_source_and_ends_with_who_holds_it() {
        weak var source: ObservableSet<Int>?
        weak var ended: DerivedArray<Int>?
        do {
            var tags: ObservableSet<Int>? = [1]
            source = tags
            let list = tags!.listing()
            ended = list
            tags = nil
            #expect(source != nil && Array(list) == [1])
        }
        #expect(source == nil && ended == nil)
    }
}
