// SPDX-License-Identifier: Apache-2.0
//
// ObservableDictionary and ObservableSet as collections of the language, and random edits of them as
// their observers see them. What paths into them mean is proved by the scenario scripts.

import ObservableSwift
import Testing

/// A key of the program's own.
private struct Place: Hashable {
    let x: Int
    let y: Int
}

private final class Atlas: ObservableModel {
    @Observed var sites: ObservableDictionary<Place, Song> = [:]
}

@Suite struct DictionaryTests {
    /// Against a plain dictionary: what is observed of each key, of the count and of all.
    @Test(arguments: 1...8)
    func DI_1_DI_2_random_edits(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let words = ObservableDictionary<String, Int>()
        let keys = ["a", "b", "c", "d", "count"]
        let observed = keys.map { Calls(words, \.[$0]) }
        let count = Calls(words, \.count)
        let all = Calls(words, \.each)
        for _ in 0..<200 {
            let before = words.content
            edit(words, keys, &generator)
            let now = words.content
            #expect(now.count == words.count && now.allSatisfy { words[$0.key] == $0.value })
            for (key, calls) in zip(keys, observed) {
                #expect(calls.new == (before[key] == now[key] ? 0 : 1))
            }
            #expect(count.new == (before.count == now.count ? 0 : 1))
            #expect(all.new == (before == now ? 0 : 1))
        }
    }

    private func edit(
        _ words: ObservableDictionary<String, Int>, _ keys: [String],
        _ generator: inout SeededGenerator
    ) {
        let key = keys.randomElement(using: &generator)!
        let value = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: words[key] = value
        case 3: words[key] = nil
        case 4: words[key, default: 7] += 1
        case 5: words.merge([(key, value), ("a", 1)]) { $0 + $1 }
        case 6: words.assign([key: value])
        case 7: words.removeAll { $0.value == value }
        case 8: _ = words.popFirst()
        default: if value == 0 { words.removeAll() } else { words.updateValue(value, forKey: key) }
        }
    }

    @Test func CP_2_it_is_a_proper_collection() {
        let words: ObservableDictionary = ["a": 1, "b": 2]
        #expect(words.count == 2 && Set(words.keys) == ["a", "b"] && words["c"] == nil)
        #expect(words == ["b": 2, "a": 1])
        #expect(words.filter { $0.value > 1 } == ["b": 2])
        #expect(words.sorted { $0.key < $1.key }.map(\.value) == [1, 2])
        #expect(words[words.index(forKey: "b")!].value == 2 && words == words.copy())
        #expect(Mirror(reflecting: words).displayStyle == .dictionary)
        #expect(words.content.mapValues { $0 * 2 } == ["a": 2, "b": 4])
        let grouped = ObservableDictionary(Dictionary(grouping: [1, 2, 3]) { $0 % 2 })
        #expect(grouped == [0: [2], 1: [1, 3]] && grouped != [0: [2]])
    }

    @Test func CP_2_collections_are_shown_as_those_of_the_language() {
        let words: ObservableDictionary<String, Int?> = ["a": nil]
        #expect("\(words)" == "[\"a\": nil]" && "\(ObservableDictionary<Int, Int>())" == "[:]")
        let names = ObservableArray(["b", "a"])
        let sorted = names.sorting()
        let set = ObservableSet(["b", "a"])
        #expect("\(names) \(sorted) \(set)" == #"["b", "a"] ["a", "b"] ["b", "a"]"#)
        #expect(
            ([names, sorted, set, words] as [Any]).map { String(reflecting: $0) } == [
                #"ObservableArray(["b", "a"])"#, #"DerivedArray(["a", "b"])"#,
                #"ObservableSet(["b", "a"])"#, #"ObservableDictionary(["a": nil])"#,
            ])
        #expect(Mirror(reflecting: sorted).displayStyle == .collection)
    }

    @Test func CP_1_CP_3_a_copy_is_not_observed() {
        let library = Library()
        let calls = Calls(library, "words.k")
        let copy = library.words.copy()
        copy["k"] = Song("x")
        #expect(calls.new == 0 && library.words.isEmpty)
    }

    @Test func DI_1_equal_objects_do_not_call_but_deeper_paths_follow() {
        final class Word: ObservableModel, Equatable {
            @Observed var text = ""
            static func == (a: Word, b: Word) -> Bool { a.text == b.text }
        }
        let words = ObservableDictionary<String, Word>()
        let (first, second) = (Word(), Word())
        let whole = Calls(words, \.["k"])
        let deep = Calls(words, \.["k"]?.text)
        words["k"] = first
        #expect(whole.new == 1 && deep.new == 1)
        words["k"] = second
        #expect(whole.new == 0 && deep.new == 0)
        second.text = "x"
        #expect(deep.new == 1)
        first.text = "y"
        #expect(deep.new == 0)
    }

    @Test func DI_3_keys_of_other_types_are_counted_and_compared() {
        let library = Library()
        let count = Calls(library, "ages.count")
        let all = Calls(library, "ages.*")
        library.ages[7] = "seven"
        #expect(count.new == 1 && all.new == 1)
        library.ages[7] = "seven"
        #expect(count.new == 0 && all.new == 0)
        #expect(Calls(library, "ages.seven").observation.failure?.kind == .unsupportedElement)
    }

    @Test func DI_3_any_key_in_a_typed_path() {
        let library = Library()
        let (seven, eight) = (Calls(library, \.ages[7]), Calls(library, \.ages[8]))
        library.ages[7] = "seven"
        #expect(seven.new == 1 && eight.new == 0)
        library.ages[7] = "seven"
        library.ages[8] = "eight"
        #expect(seven.new == 0 && eight.new == 1)
        library.ages = [8: "eight", 9: "nine"]
        #expect(seven.new == 1 && eight.new == 0)
        #expect(library.value(at: \.ages[8]).value == "eight")
        #expect(library.value(at: \.ages[7]).isReachable == false)
        library.stopTelling(eight, about: \.ages[8])
        library.ages[8] = nil
        #expect(eight.new == 0)
    }

    @Test func DI_3_keys_of_the_program_lead_on() {
        let atlas = Atlas()
        let (here, there) = (Place(x: 1, y: 2), Place(x: 3, y: 4))
        let name = Calls(atlas, \.sites[here]?.title)
        let other = Calls(atlas, \.sites[there]?.title)
        #expect(name.observation.failure == nil)
        atlas.sites[here] = Song("a")
        #expect(name.new == 1 && other.new == 0)
        atlas.sites[here]!.title = "b"
        #expect(name.new == 1 && other.new == 0)
    }

    @Test func DI_3_a_key_may_be_any_hashable_thing() {
        let things: ObservableDictionary<AnyHashable, Int> = [:]
        let (text, number) = (Calls(things, \.["a"]), Calls(things, \.[1]))
        things["a"] = 1
        #expect(text.new == 1 && number.new == 0)
        things[1] = 1
        #expect(text.new == 0 && number.new == 1)
    }

    @Test func DI_1_texts_that_are_equal_are_one_key() {
        let words = ObservableDictionary<String, Int>()
        let calls = Calls(words, \.["\u{E9}"])
        words["e\u{301}"] = 1
        #expect(calls.new == 1)
    }
}

/// What reads a dictionary and a set, and how often.
private final class Shelf: ObservableModel {
    @Observed var words: ObservableDictionary<String, Int> = ["a": 1, "b": 2]
    @Observed var tags: ObservableSet<String> = ["a", "b"]
    @Observed var list: ObservableArray<Int> = [1, 2]
    var evaluations = 0

    @Computed({ (shelf: Shelf) in
        shelf.evaluations += 1
        return shelf.words.count + shelf.tags.reduce(0) { $0 + $1.count } + shelf.words["a"]!
            + shelf.list.reduce(0, +)
    }) var sum: Int
}

@Suite struct EqualElementTests {
    /// EQ-1 of elements: what has read them stays valid, whoever observes.
    @Test(arguments: [[], ["words.a", "words.*", "tags.*", "list.0", "list.#1"]])
    func EQ_1_LL_2_equal_elements_change_nothing(_ observed: [String]) {
        let shelf = Shelf()
        let paths = observed.map { Calls(shelf, try! TextPath(parsing: $0)) }
        let sum = shelf.sum
        let edits: [(String, () -> Void)] = [
            ("put", { shelf.words["a"] = 1 }),
            ("assign", { shelf.words.assign(["a": 1, "b": 2]) }),
            ("merge", { shelf.words.merge(["a": 1]) { $1 } }),
            ("in place", { shelf.words["a", default: 0] += 0 }),
            ("updateValue", { shelf.words.updateValue(2, forKey: "b") }),
            ("insert", { shelf.tags.insert("a") }),
            ("update", { shelf.tags.update(with: "a") }),
            ("formUnion", { shelf.tags.formUnion(["a", "b"]) }),
            ("assign a set", { shelf.tags.assign(["a", "b"]) }),
            ("subscript", { shelf.list[0] = 1 }),
            ("in place in an array", { shelf.list[1] += 0 }),
            ("a range", { shelf.list[0..<2] = [1, 2] }),
            ("replaceSubrange", { shelf.list.replaceSubrange(0..<1, with: [1]) }),
            ("assign an array", { shelf.list.assign([1, 2]) }),
            ("sort", { shelf.list.sort() }),
            ("swapAt", { shelf.list.swapAt(1, 1) }),
        ]
        for (name, edit) in edits {
            edit()
            #expect(shelf.sum == sum && shelf.evaluations == 1, "\(name)")
            shelf.evaluations = 1
        }
        #expect(paths.allSatisfy { $0.new == 0 })
        shelf.words["a"] = 2
        shelf.tags.insert("ccc")
        #expect(shelf.sum == sum + 4)
    }

    @Test func CP_2_a_collection_has_no_hash_by_its_content() {
        func isHashable(_ value: Any) -> Bool { value is any Hashable }
        #expect(!isHashable(ObservableArray([1])) && !isHashable(ObservableSet([1])))
        #expect(!isHashable(ObservableDictionary([1: 1])))
        let (one, other): (ObservableArray<Int>, ObservableArray<Int>) = ([1], [1])
        var seen: Set = [ObjectIdentifier(one)]
        one.append(2)
        #expect(!seen.insert(ObjectIdentifier(one)).inserted)
        #expect(seen.insert(ObjectIdentifier(other)).inserted)
    }
}

@Suite struct SetTests {
    /// Against a plain set.
    @Test(arguments: 1...8)
    func SE_2_SE_3_random_edits(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let tags = ObservableSet<Int>()
        let observed = (0..<6).map { Calls(tags, \.[member: $0]) }
        let count = Calls(tags, \.count)
        let all = Calls(tags, \.each)
        for _ in 0..<200 {
            let before = Set(tags)
            edit(tags, &generator)
            let now = Set(tags)
            #expect(tags.count == now.count && now.allSatisfy(tags.contains))
            for (member, calls) in observed.enumerated() {
                #expect(calls.new == (before.contains(member) == now.contains(member) ? 0 : 1))
            }
            #expect(count.new == (before.count == now.count ? 0 : 1))
            #expect(all.new == (before == now ? 0 : 1))
        }
    }

    private func edit(_ tags: ObservableSet<Int>, _ generator: inout SeededGenerator) {
        let member = Int.random(in: 0..<8, using: &generator)
        let other: Set = [member, 1, 5]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1: tags.insert(member)
        case 2: tags.remove(member)
        case 3: tags.formUnion(other)
        case 4: tags.formIntersection([0, 1, 2, member])
        case 5: tags.subtract(other)
        case 6: tags.formSymmetricDifference(other)
        case 7: tags.removeAll { $0 % 3 == member % 3 }
        case 8: tags.assign(other)
        default: _ = tags.popFirst()
        }
    }

    /// All of one hash.
    private struct Colliding: Hashable {
        var number: Int
        func hash(into hasher: inout Hasher) { hasher.combine(number / 10) }
    }

    @Test func SE_2_SE_4_members_that_collide() {
        let set = ObservableSet<Colliding>()
        let calls = Calls(set, \.[member: Colliding(number: 1)])
        let count = Calls(set, \.count)
        set.formUnion((0..<10).map { Colliding(number: $0) })
        #expect(set.count == 10 && calls.new == 1 && count.new == 1)
        let key = ObservableSet.key(for: Colliding(number: 3))
        #expect(set.members(forKey: key).count == 10 && set.member(forKey: "&0") == nil)
        for number in [0, 9, 4, 5, 1, 8] {
            #expect(set.remove(Colliding(number: number)) != nil && calls.new == 1)
            #expect(!set.contains(Colliding(number: number)))
        }
        #expect(Set(set.map(\.number)) == [2, 3, 6, 7] && set.members(forKey: key).count == 4)
        set.removeAll()
        #expect(calls.new == 1 && set.members(forKey: key).isEmpty)
    }

    @Test func SE_1_keys() {
        let set: ObservableSet = ["a", "b"]
        #expect(set.member(forKey: ObservableSet.key(for: "a")) == "a")
        #expect(
            set.member(forKey: ObservableSet.key(for: "c")) == nil && set.member(forKey: "a") == nil
        )
        #expect(throws: Never.self) { try TextPath(parsing: ObservableSet.key(for: "anything")) }
    }

    @Test func SE_5_a_member_whose_hash_changes() {
        final class Member: Hashable {
            var hash = 1
            static func == (a: Member, b: Member) -> Bool { a === b }
            func hash(into hasher: inout Hasher) { hasher.combine(hash) }
        }
        let set = ObservableSet<Member>()
        let member = Member()
        let calls = Calls(set, \.[member: member])
        set.insert(member)
        #expect(calls.new == 1)
        member.hash = 2
        #expect(!set.contains(member) && set.remove(member) == nil && calls.new == 0)
        set.remove(at: set.startIndex)
        #expect(set.isEmpty && calls.new == 1)
        set.insert(member)
        member.hash = 3
        set.removeAll()
        #expect(set.isEmpty)
    }

    @Test func CP_2_it_is_a_proper_collection() {
        let set: ObservableSet = [1, 2, 3]
        #expect(isAlgebra(set) && set.count == 3 && set.contains(2))
        #expect(set.union([4]) == [1, 2, 3, 4] && set.intersection([2, 9]) == [2])
        #expect(set.subtracting([1]) == [2, 3] && set.symmetricDifference([3, 4]) == [1, 2, 4])
        #expect(set.isSuperset(of: [1]) && set.isDisjoint(with: [7]) && set == [3, 2, 1])
        #expect(set.insert(1).inserted == false && set.update(with: 1) == 1 && set.count == 3)
        #expect(Mirror(reflecting: set).displayStyle == .set && set.sorted() == [1, 2, 3])
        #expect(set == set.copy() && set.filter { $0 > 2 } == [3])
    }

    private func isAlgebra(_ set: some SetAlgebra & Collection) -> Bool { !set.isEmpty }
}
