// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// What a computed property reads of a collection by a key or by a member.
@Suite struct ElementReadTests {
    @Test func LL_2_a_read_by_key_depends_on_that_element_alone() {
        let shelf = Shelf()
        #expect(shelf.word == "")
        #expect(shelf.evaluations == 1)
        shelf.words["b"] = "x"
        #expect(shelf.word == "")
        #expect(shelf.evaluations == 1)
        shelf.words["k"] = "y"
        #expect(shelf.word == "y")
        #expect(shelf.evaluations == 2)
        shelf.words["k"] = "y"
        shelf.words["b"] = nil
        #expect(shelf.word == "y")
        #expect(shelf.evaluations == 2)
        shelf.key = "b"
        #expect(shelf.word == "")
        shelf.words["k"] = nil
        #expect(shelf.word == "")
        #expect(shelf.evaluations == 3)
    }

    @Test func LL_2_a_member_that_is_looked_for_is_all_that_is_depended_on() {
        let shelf = Shelf()
        #expect(!shelf.isTagged)
        shelf.tags.insert("red")
        #expect(!shelf.isTagged)
        #expect(shelf.looks == 1)
        shelf.tags.insert("k")
        #expect(shelf.isTagged)
        shelf.tags.remove("red")
        #expect(shelf.isTagged)
        #expect(shelf.looks == 2)
        shelf.tags.removeAll()
        #expect(!shelf.isTagged)
        #expect(shelf.looks == 3)
    }

    @Test func LL_2_LL_5_an_observer_of_what_reads_by_key_is_called_for_that_alone() {
        let loop = DeliveryLoop()
        let shelf = Shelf()
        var seen: [String] = []
        let token = shelf.changes(of: \.word).map { $0.new }.on(loop).onChange {
            seen.append($0 ?? "")
        }
        for (key, value) in [("a", "1"), ("k", "2"), ("c", "3"), ("k", "2"), ("k", "4")] {
            shelf.words[key] = value
            loop.drain()
        }
        #expect(seen == ["2", "4"])
        withExtendedLifetime(token) {}
    }

    @Test func LL_2_an_element_that_is_read_by_path_is_depended_on_there_or_not() {
        let shelf = Shelf(), first = Shelf(), second = Shelf()
        first.key = "1"
        second.key = "2"
        #expect(shelf.read == [nil, nil, nil, nil])
        shelf.shelves.append(first)
        #expect(shelf.read == ["1", nil, nil, nil])
        shelf.words["k"] = "word"
        shelf.byName["k"] = first
        shelf.fixed = [second]
        #expect(shelf.read == ["1", "word", "1", "2"])
        shelf.shelves.insert(second, at: 0)
        #expect(shelf.read == ["2", "word", "1", "2"])
        second.key = "3"
        #expect(shelf.read == ["3", "word", "1", "3"])
        let reads = shelf.reads
        #expect(shelf.read == ["3", "word", "1", "3"])
        #expect(shelf.reads == reads)
        shelf.shelves.removeAll()
        shelf.byName["k"] = nil
        shelf.fixed = []
        #expect(shelf.read == [nil, "word", nil, nil])
    }
}

private final class Shelf: ObservableModel {
    let shelves: ObservableArray<Shelf> = []
    let byName: ObservableDictionary<String, Shelf> = [:]
    @Observed var fixed: [Shelf] = []
    var reads = 0
    @Computed(Shelf.readByPath) var read: [String?]

    let words = ObservableDictionary<String, String>()
    let tags = ObservableSet<String>()
    @Observed var key = "k"
    var evaluations = 0
    var looks = 0
    @Computed(Shelf.findWord) var word: String
    @Computed(Shelf.lookForTag) var isTagged: Bool

    private func readByPath() -> [String?] {
        reads += 1
        return [
            value(at: \.shelves[0].key).value, value(at: \.words["k"]).value,
            value(at: \.byName["k"]?.key).value, value(at: \.fixed[0].key).value,
        ]
    }

    private func findWord() -> String {
        evaluations += 1
        return words[key] ?? ""
    }

    private func lookForTag() -> Bool {
        looks += 1
        return tags.contains("k")
    }
}
