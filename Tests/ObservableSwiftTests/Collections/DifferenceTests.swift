// SPDX-License-Identifier: Apache-2.0
//
// Recorded edits: applied to the old content they make the new one, whatever has happened.

import ObservableSwift
import Testing

@Suite struct DifferenceTests {
    @Test(arguments: 1...20)
    func AR_9_a_difference_makes_the_new_content_of_the_old(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let numbers = ObservableArray(0..<10)
        let loop = DeliveryLoop()
        var content = Array(numbers)
        var next = 100
        let token = numbers.differences().on(loop).onChange { difference in
            let array = numbers
            let applied = content.applying(difference)
            #expect(applied == Array(array))
            // One after the other as well.
            var steps = content
            for change in difference {
                switch change {
                case .remove(let offset, let element, _):
                    #expect(steps.remove(at: offset) == element)
                case .insert(let offset, let element, _):
                    steps.insert(element, at: offset)
                }
            }
            #expect(steps == Array(array))
            content = Array(array)
        }
        for _ in 0..<60 {
            for _ in 0...Int.random(in: 0..<6, using: &generator) {
                edit(numbers, &next, &generator)
            }
            loop.drain()
            #expect(content == Array(numbers))
        }
        token.cancel()
    }

    private func edit(
        _ numbers: ObservableArray<Int>, _ next: inout Int, _ generator: inout SeededGenerator
    ) {
        let count = numbers.count
        let from = Int.random(in: 0...count, using: &generator)
        let to = Int.random(in: from...count, using: &generator)
        next += 1
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: numbers.append(next)
        case 1: numbers.insert(contentsOf: [next, -next], at: from)
        case 2: numbers.removeSubrange(from..<Swift.min(to, from + 3))
        case 3 where from < count: numbers[from] = next
        case 4 where from < to: numbers.swapAt(from, to - 1)
        case 5 where from < to: numbers.move(from: from, to: to - 1)
        case 6 where from < to: numbers.move(from: to - 1, to: from)
        case 7: numbers.shuffle(using: &generator)
        case 8: numbers.sort()
        case 9: numbers.removeAll { $0 % 7 == 3 }
        case 10: numbers.replaceSubrange(from..<to, with: [next, next + 1000])
        default: numbers.reverse()
        }
    }

    @Test func AR_9_what_has_moved_says_where_it_is() {
        let numbers: ObservableArray = [1, 2, 3, 4]
        let loop = DeliveryLoop()
        var moves: [(from: Int, to: Int)] = []
        var count = 0
        let token = numbers.differences().on(loop).onChange { difference in
            count = difference.count
            for case .insert(let to, _, let from?) in difference { moves.append((from, to)) }
        }
        numbers.move(from: 0, to: 2)
        loop.drain()
        #expect(count == 2 && moves.map(\.from) == [0] && moves.map(\.to) == [2])
        token.cancel()
    }

    @Test func AR_9_there_and_back_is_an_empty_difference() {
        let numbers: ObservableArray = [1, 2]
        let words: ObservableDictionary = ["a": 1]
        let tags: ObservableSet = ["t"]
        let loop = DeliveryLoop()
        var empty = 0
        let tokens = [
            numbers.differences().on(loop).onChange { empty += $0.isEmpty ? 1 : 0 },
            words.differences().on(loop).onChange { empty += $0.isEmpty ? 1 : 0 },
            tags.differences().on(loop).onChange {
                empty += $0.insertions.isEmpty && $0.removals.isEmpty ? 1 : 0
            },
        ]
        numbers.append(3)
        numbers.removeLast()
        words["b"] = 2
        words["b"] = nil
        tags.insert("u")
        tags.remove("u")
        #expect(loop.drain() == 3 && empty == 3)
        tokens.forEach { $0.cancel() }
    }

    @Test(arguments: 1...8)
    func AR_9_keys_and_members(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let words = ObservableDictionary<Int, Int>()
        let tags = ObservableSet<Int>()
        let loop = DeliveryLoop()
        var content: [Int: Int] = [:]
        var members: Set<Int> = []
        let tokens = [
            words.differences().on(loop).onChange { difference in
                for (key, change) in difference {
                    #expect(content[key] == change.old)
                    content[key] = change.new
                }
            },
            tags.differences().on(loop).onChange { difference in
                #expect(difference.removals.isSubset(of: members))
                #expect(difference.insertions.isDisjoint(with: members))
                members.subtract(difference.removals)
                members.formUnion(difference.insertions)
            },
        ]
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1..<5, using: &generator) {
                let key = Int.random(in: 0..<6, using: &generator)
                words[key] = Bool.random(using: &generator) ? key * 2 : nil
                words.merge([(key + 1, 5)]) { $0 + $1 }
                if Bool.random(using: &generator) { tags.insert(key) } else { tags.remove(key) }
                tags.formSymmetricDifference([key, 3])
            }
            loop.drain()
            #expect(content == words.content && members == Set(tags))
        }
        tokens.forEach { $0.cancel() }
    }

    @Test func AR_9_an_observer_is_handed_it_and_ends_with_it() {
        final class View {
            var rows: [Int] = []
        }
        let numbers: ObservableArray = [1]
        let loop = DeliveryLoop()
        var view: View? = View()
        view?.rows = [1]
        numbers.differences().on(loop).tell(view!) { view, difference in
            view.rows = view.rows.applying(difference)!
        }
        numbers.append(2)
        loop.drain()
        #expect(view?.rows == [1, 2])
        view = nil
        numbers.append(3)
        #expect(loop.drain() == 0)
    }

    /// An immediate call is handed the one edit.
    @Test func AR_9_immediate() {
        let numbers: ObservableArray = [1, 2, 3]
        var counts: [Int] = []
        let token = numbers.differences().options(.immediate).onChange { counts.append($0.count) }
        numbers.removeFirst()
        numbers.append(contentsOf: [4, 5])
        #expect(counts == [1, 2])
        token.cancel()
    }

    /// Who is told of it puts something in.
    @Test func AR_5_all_are_removed_and_one_comes() {
        let words: ObservableDictionary = ["a": 1]
        let tags: ObservableSet = ["a"]
        let tokens = [
            words.onChange(of: \.[text: "*"], on: .main, options: .immediate) { words in
                if words.isEmpty { words["b"] = 2 }
            },
            tags.onChange(of: \.[text: "*"], on: .main, options: .immediate) { tags in
                if tags.isEmpty { tags.insert("b") }
            },
        ]
        words.removeAll()
        tags.removeAll()
        #expect(words.content == ["b": 2] && Set(tags) == ["b"])
        words["c"] = 3
        tags.insert("c")
        #expect(words.count == 2 && tags.contains("c"))
        tokens.forEach { $0.cancel() }
    }

    // MARK: - Behind a path

    private final class Item: ObservableModel {}

    private final class Shelf: ObservableModel {
        @Observed var rows: ObservableArray<Item>? = []
        @Observed var inner: Shelf?
        @Observed var names: ObservableDictionary<String, Int> = [:]
    }

    @Test func AR_9_AR_6_a_difference_follows_the_array_that_stands_there() {
        let shelf = Shelf(), loop = DeliveryLoop()
        let (a, b, c) = (Item(), Item(), Item())
        var content: [ObjectIdentifier] = []
        let token = shelf.differences(of: \.inner?.rows).on(loop).onChange { difference in
            for change in difference {
                switch change {
                case .remove(let at, let item, _):
                    #expect(content.remove(at: at) == ObjectIdentifier(item))
                case .insert(let at, let item, _):
                    content.insert(ObjectIdentifier(item), at: at)
                }
            }
        }
        func drained(_ items: Item...) -> Bool {
            loop.drain()
            return content == items.map { ObjectIdentifier($0) }
        }
        let inner = Shelf()
        inner.rows = [a, b]
        shelf.inner = inner
        #expect(drained(a, b))
        inner.rows?.append(c)
        inner.rows?.swapAt(0, 1)
        #expect(drained(b, a, c))
        inner.rows?.removeFirst()
        inner.rows = [c, b]
        inner.rows?.append(a)
        #expect(drained(c, b, a))
        inner.rows = nil
        #expect(drained())
        shelf.inner = Shelf()
        #expect(drained())
        inner.rows = [a]
        shelf.inner = inner
        #expect(drained(a))
        token.cancel()
    }

    @Test func AR_9_what_has_gone_is_kept_until_the_call() {
        let shelf = Shelf(), loop = DeliveryLoop()
        var item: Item? = Item()
        weak let gone = item
        shelf.rows = [item!]
        weak let rows = shelf.rows
        var removed = 0
        let token = shelf.differences(of: \.rows).on(loop).onChange { removed += $0.removals.count }
        item = nil
        shelf.rows = []
        #expect(gone != nil && rows != nil)
        loop.drain()
        #expect(removed == 1 && gone == nil && rows == nil)
        token.cancel()
    }

    @Test func AR_9_an_observer_is_handed_what_stands_behind_a_path() {
        final class View {
            var total = 0
        }
        let shelf = Shelf(), loop = DeliveryLoop()
        var view: View? = View()
        shelf.differences(of: \.names).on(loop).tell(view!) { [unowned shelf] view, difference in
            view.total = shelf.names.values.reduce(0, +)
            #expect(difference.keys.sorted() == ["a", "b"])
        }
        shelf.names["a"] = 1
        shelf.names = ["a": 1, "b": 2]
        loop.drain()
        #expect(view?.total == 3)
        view = nil
        shelf.names["c"] = 3
        #expect(loop.drain() == 0)
    }

    @Test func AR_9_behind_an_element_that_is_followed_it_is_refused() {
        final class Rack: ObservableModel {
            @Observed var shelves: ObservableArray<ObservableArray<Int>> = [[1]]
        }
        let rack = Rack(), loop = DeliveryLoop()
        let token = rack.differences(of: \.shelves[following: 0]).on(loop).onChange { _ in }
        #expect(token.failure?.kind == .unsupportedElement)
        var inserted = 0
        let position = rack.differences(of: \.shelves[0]).on(loop).onChange { inserted += $0.count }
        rack.shelves[0].append(2)
        loop.drain()
        #expect(position.failure == nil && inserted == 1)
    }
}
