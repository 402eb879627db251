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
}

private final class Shelf: ObservableModel {
    let words = ObservableDictionary<String, String>()
    let tags = ObservableSet<String>()
    @Observed var key = "k"
    var evaluations = 0
    var looks = 0
    @Computed(Shelf.findWord) var word: String
    @Computed(Shelf.lookForTag) var isTagged: Bool

    private func findWord() -> String {
        evaluations += 1
        return words[key] ?? ""
    }

    private func lookForTag() -> Bool {
        looks += 1
        return tags.contains("k")
    }
}
