// SPDX-License-Identifier: Apache-2.0
//
// Elements of Swift's collections in typed paths: a missing one is out of reach (EQ-10).

import ObservableSwift
import Testing

private struct Item: Equatable {
    var name = ""
    var note: String?
    var parts: [Int] = []
}

private final class Shelf: ObservableModel {
    @Observed var items: [Item] = []
    @Observed var maybe: [Item?] = []
    @Observed var table: [String: Item] = [:]
    @Observed var numbers: [Int] = []
    @Observed var text = ""
    @Observed var list: [Item]?
    @Observed var shelves: [Shelf] = []
    @Observed var maybeShelves: [Shelf?] = []
    @Observed var next: Shelf?
    @Observed var name = ""
}

/// Its indices begin at 1.
private struct FromOne: RandomAccessCollection, Equatable {
    var values: [Int] = []
    var startIndex: Int { 1 }
    var endIndex: Int { values.count + 1 }
    subscript(index: Int) -> Int { values[index - 1] }
}

private final class Own: ObservableModel {
    @Observed var values = FromOne()
}

@Suite struct ElementPathTests {
    @Test func EQ_10_an_element_comes_and_goes() {
        let shelf = Shelf()
        let name = Calls(shelf, \.items[1].name)
        let item = Calls(shelf, \.items[1])
        #expect(name.observation.failure == nil)
        #expect(name.observation.unresolvedPaths == [])
        shelf.items = [Item(name: "a")]
        #expect(name.new == 0 && item.new == 0)
        shelf.items.append(Item(name: "b"))
        #expect(name.new == 1 && item.new == 1)
        shelf.items[0].name = "c"
        #expect(name.new == 0 && item.new == 0)
        shelf.items[1].note = "n"
        #expect(name.new == 0 && item.new == 1)
        shelf.items[1].name = "d"
        #expect(name.new == 1 && item.new == 1)
        shelf.items.removeLast()
        #expect(name.new == 1 && item.new == 1)
        shelf.items = []
        #expect(name.new == 0 && item.new == 0)
        shelf.items = [Item(), Item()]
        #expect(name.new == 1 && item.new == 1)
    }

    /// Missing and nil differ at the end of an object (EQ-3); in a value they are one (KP-18).
    @Test func EQ_10_KP_18_optional_elements_and_fields() {
        let shelf = Shelf()
        let name = Calls(shelf, \.maybe[1]?.name)
        let item = Calls(shelf, \.maybe[1])
        let note = Calls(shelf, \.items[1].note)
        shelf.maybe = [nil, nil]
        shelf.items = [Item(), Item()]
        #expect(name.new == 0 && item.new == 0 && note.new == 0)
        shelf.maybe[1] = Item()
        shelf.items[1].note = "n"
        #expect(name.new == 1 && item.new == 1 && note.new == 1)
        shelf.maybe = []
        shelf.items = []
        #expect(name.new == 1 && item.new == 1 && note.new == 1)
    }

    @Test func EQ_10_optional_collections_nested_ones_and_negative_indices() {
        let shelf = Shelf()
        let name = Calls(shelf, \.list?[0].name)
        let part = Calls(shelf, \.items[0].parts[2])
        let never = Calls(shelf, \.numbers[-1])
        shelf.list = []
        #expect(name.new == 0)
        shelf.list = [Item()]
        #expect(name.new == 1)
        shelf.list = nil
        #expect(name.new == 1)
        shelf.items = [Item(parts: [1, 2])]
        #expect(part.new == 0)
        shelf.items[0].parts.append(3)
        #expect(part.new == 1)
        shelf.items = []
        #expect(part.new == 1)
        shelf.numbers = [1, 2, 3]
        #expect(never.new == 0)
    }

    @Test func EQ_10_ranges() {
        let shelf = Shelf()
        let half = Calls(shelf, \.numbers[1..<3])
        let closed = Calls(shelf, \.numbers[1...2])
        let none = Calls(shelf, \.numbers[3..<3].count)
        let first = Calls(shelf, \.numbers[1...2].first)
        shelf.numbers = [0, 1]
        #expect(half.new == 0 && closed.new == 0 && none.new == 0 && first.new == 0)
        shelf.numbers = [0, 1, 2]
        #expect(half.new == 1 && closed.new == 1 && none.new == 1 && first.new == 1)
        shelf.numbers[2] = 5
        #expect(half.new == 1 && closed.new == 1 && none.new == 0 && first.new == 0)
        shelf.numbers[0] = 5
        #expect(half.new == 0 && closed.new == 0 && none.new == 0 && first.new == 0)
        shelf.numbers = []
        #expect(half.new == 1 && closed.new == 1 && none.new == 1 && first.new == 1)
    }

    @Test func EQ_10_first_last_and_keys_are_optional_by_themselves() {
        let shelf = Shelf()
        let first = Calls(shelf, \.items.first?.name)
        let last = Calls(shelf, \.items.last?.name)
        let key = Calls(shelf, \.table["a"]?.name)
        shelf.items = [Item()]
        shelf.table = ["a": Item()]
        #expect(first.new == 1 && last.new == 1 && key.new == 1)
        shelf.items.append(Item(name: "b"))
        #expect(first.new == 0 && last.new == 1)
        shelf.items = []
        shelf.table = [:]
        #expect(first.new == 1 && last.new == 1 && key.new == 1)
    }

    @Test func EQ_10_collections_with_other_indices() {
        let shelf = Shelf()
        let text = "abc"
        let last = text.index(before: text.endIndex)
        let letter = Calls(shelf, \.text[last])
        shelf.text = "a"
        #expect(letter.new == 0)
        shelf.text = "abd"
        #expect(letter.new == 1)
        shelf.text = ""
        #expect(letter.new == 1)
        let own = Own()
        let (zero, one) = (Calls(own, \.values[0]), Calls(own, \.values[1]))
        own.values.values = [7]
        #expect(zero.new == 0 && one.new == 1)
        own.values.values = []
        #expect(zero.new == 0 && one.new == 1)
    }

    /// Models in an array are followed.
    @Test func EQ_10_EQ_2_models_as_elements() {
        let (root, first, second) = (Shelf(), Shelf(), Shelf())
        let name = Calls(root, \.shelves[0].name)
        let maybe = Calls(root, \.maybeShelves[0]?.name)
        let deep = Calls(root, \.shelves[0].shelves[1].items[0].name)
        root.shelves = [first]
        root.maybeShelves = [first]
        #expect(name.new == 1 && maybe.new == 1 && deep.new == 0)
        first.name = "a"
        #expect(name.new == 1 && maybe.new == 1)
        second.name = "a"
        root.shelves = [second]
        #expect(name.new == 0)
        first.name = "b"
        #expect(name.new == 0 && maybe.new == 1)
        second.shelves = [Shelf(), first]
        #expect(deep.new == 0)
        first.items = [Item()]
        #expect(deep.new == 1)
        first.items = []
        #expect(deep.new == 1)
        root.shelves = []
        root.maybeShelves = []
        #expect(name.new == 1 && maybe.new == 1 && deep.new == 0)
        #expect(second.allObservedProperties == [])
    }

    @Test func EQ_10_EQ_2_across_replacement_of_the_object() {
        let (root, first, second) = (Shelf(), Shelf(), Shelf())
        let name = Calls(root, \.next?.items[0].name)
        root.next = first
        #expect(name.new == 0)
        second.items = [Item(name: "a")]
        root.next = second
        #expect(name.new == 1)
        first.items = [Item(name: "a")]
        root.next = first
        #expect(name.new == 0)
        root.next = nil
        #expect(name.new == 1)
    }

    @Test func EQ_10_EQ_9_immediate_blocks() {
        let shelf = Shelf()
        let name = Calls(shelf, \.items[0].name, options: .immediate)
        shelf.items = []
        shelf.items = [Item(name: "a")]
        shelf.items.removeAll()
        #expect(name.new == 2)
    }

    @Test func EQ_10_KP_19_equal_indices_are_one_element() {
        let shelf = Shelf()
        let observer = PlainObserver()
        let loop = DeliveryLoop()
        for index in 0..<3 {
            shelf.tell(observer, when: \.numbers[index], on: loop) { observer, _ in
                observer.seen.append(index)
            }
        }
        #expect(shelf.numberOfObservers(of: "numbers") == 3)
        #expect(shelf.allObservedProperties == ["numbers"])
        let index = 1
        shelf.stopTelling(observer, about: \.numbers[index])
        #expect(shelf.numberOfObservers(of: "numbers") == 2)
        shelf.numbers = [1, 1, 1]
        loop.drain()
        #expect(observer.seen == [0, 2])
        shelf.stopTelling(observer, about: \.numbers[0], \.numbers[2])
        #expect(shelf.allObservedProperties == [])
    }
}
