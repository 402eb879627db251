// SPDX-License-Identifier: Apache-2.0
//
// ObservableArray as a collection of the language, and each mutation as its observers see it. What
// paths into it mean is proved by the scenario scripts.

import ObservableSwift
import Testing

/// What every mutation of an array may do, each on an observable one and on a plain one.
private struct Mutation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let observed: @Sendable (ObservableArray<Int>) -> Void
    let plain: @Sendable (inout [Int]) -> Void

    init(
        _ name: String, _ observed: @escaping @Sendable (ObservableArray<Int>) -> Void,
        _ plain: @escaping @Sendable (inout [Int]) -> Void
    ) {
        testDescription = name
        self.observed = observed
        self.plain = plain
    }
}

private let mutations = [
    Mutation("subscript", { $0[1] = 9 }, { $0[1] = 9 }),
    Mutation("subscript, an equal one", { $0[1] = 2 }, { $0[1] = 2 }),
    Mutation("in place", { $0[2] += 5 }, { $0[2] += 5 }),
    Mutation("a range", { $0[1..<3] = [7, 8, 9] }, { $0[1..<3] = [7, 8, 9] }),
    Mutation("swapAt", { $0.swapAt(0, 3) }, { $0.swapAt(0, 3) }),
    Mutation("swapAt, neighbours", { $0.swapAt(2, 1) }, { $0.swapAt(2, 1) }),
    Mutation("swapAt, itself", { $0.swapAt(1, 1) }, { $0.swapAt(1, 1) }),
    Mutation("move", { $0.move(from: 0, to: 2) }, { $0.insert($0.remove(at: 0), at: 2) }),
    Mutation("sort", { $0.sort() }, { $0.sort() }),
    Mutation("sort by", { $0.sort(by: >) }, { $0.sort(by: >) }),
    Mutation("reverse", { $0.reverse() }, { $0.reverse() }),
    Mutation(
        "shuffle",
        {
            var generator = SeededGenerator(state: 5)
            $0.shuffle(using: &generator)
        },
        {
            var generator = SeededGenerator(state: 5)
            $0 = Array($0.indices).shuffled(using: &generator).map { [array = $0] in array[$0] }
        }),
    Mutation(
        "partition", { $0.partition { $0 > 2 } },
        { array in
            var order = Array(array.indices)
            _ = order.partition { array[$0] > 2 }
            array = order.map { array[$0] }
        }),
    Mutation("append", { $0.append(6) }, { $0.append(6) }),
    Mutation("append several", { $0.append(contentsOf: [6, 7]) }, { $0 += [6, 7] }),
    Mutation("append itself", { $0.append(contentsOf: $0) }, { $0 += $0 }),
    Mutation("+=", { $0 += [6] }, { $0 += [6] }),
    Mutation("append none", { $0.append(contentsOf: []) }, { _ in }),
    Mutation("insert", { $0.insert(0, at: 0) }, { $0.insert(0, at: 0) }),
    Mutation(
        "insert several", { $0.insert(contentsOf: [8, 9], at: 2) },
        { $0.insert(contentsOf: [8, 9], at: 2) }),
    Mutation("remove", { $0.remove(at: 1) }, { $0.remove(at: 1) }),
    Mutation("removeFirst", { $0.removeFirst() }, { $0.removeFirst() }),
    Mutation("removeFirst several", { $0.removeFirst(2) }, { $0.removeFirst(2) }),
    Mutation("removeLast", { $0.removeLast() }, { $0.removeLast() }),
    Mutation("removeLast several", { $0.removeLast(2) }, { $0.removeLast(2) }),
    Mutation("popFirst", { _ = $0.popFirst() }, { $0.removeFirst() }),
    Mutation("popLast", { _ = $0.popLast() }, { _ = $0.popLast() }),
    Mutation("removeSubrange", { $0.removeSubrange(1...2) }, { $0.removeSubrange(1...2) }),
    Mutation(
        "replaceSubrange", { $0.replaceSubrange(..<2, with: [5]) },
        { $0.replaceSubrange(..<2, with: [5]) }),
    Mutation("removeAll", { $0.removeAll() }, { $0.removeAll() }),
    Mutation("removeAll, keeping", { $0.removeAll(keepingCapacity: true) }, { $0.removeAll() }),
    Mutation(
        "removeAll where", { $0.removeAll { $0 % 2 == 0 } }, { $0.removeAll { $0 % 2 == 0 } }),
    Mutation("removeAll where none", { $0.removeAll { $0 > 99 } }, { _ in }),
    Mutation("assign", { $0.assign([4, 2]) }, { $0 = [4, 2] }),
    Mutation("assign the same", { $0.assign([4, 2, 3, 1]) }, { _ in }),
    Mutation("reserveCapacity", { $0.reserveCapacity(100) }, { _ in }),
]

@Suite struct ArrayTests {
    @Test(arguments: mutations)
    fileprivate func AR_5_every_mutation_is_one_event(_ mutation: Mutation) {
        let library = Library()
        library.numbers = [4, 2, 3, 1]
        var plain = [4, 2, 3, 1]
        let before = plain
        mutation.plain(&plain)
        let paths: [TextPath] = ["numbers.count", "numbers.*", "numbers.#0", "numbers.#3"]
        let observed = paths.map { Calls(library, $0) }
        mutation.observed(library.numbers)
        #expect(Array(library.numbers) == plain)
        #expect(observed[0].new == (before.count == plain.count ? 0 : 1))
        #expect(observed[1].new == (before == plain ? 0 : 1))
        for (index, position) in [0, 3].enumerated() {
            let was = position < before.count ? before[position] : nil
            let now = position < plain.count ? plain[position] : nil
            #expect(observed[2 + index].new == (was == now ? 0 : 1))
        }
    }

    /// What an immediate block is told, done again on a copy: the elements that have come are read
    /// when all of it has been done.
    @Test(arguments: mutations)
    fileprivate func AR_9_an_immediate_block_asks_which_edits_it_is_called_for(_ mutation: Mutation)
    {
        let numbers: ObservableArray<Int> = [4, 2, 3, 1]
        var copy: [Int?] = [4, 2, 3, 1]
        let token = numbers.onChange(of: \.[text: "*"], options: .immediate) { numbers in
            numbers.forEachEdit { $0.apply(to: &copy) }
        }
        mutation.observed(numbers)
        #expect(copy.count == numbers.count)
        #expect(zip(copy, numbers).allSatisfy { $0 == nil || $0 == $1 })
        numbers.forEachEdit { _ in Issue.record("nothing is told") }
        withExtendedLifetime(token) {}
    }

    @Test func AR_9_an_edit_inside_a_block_is_told_inside() {
        let numbers: ObservableArray<Int> = [1]
        var seen: [[CollectionEdit]] = []
        let token = numbers.onChange(of: \.[text: "*"], options: .immediate) { numbers in
            if numbers.count == 2 { numbers.append(3) }
            var edits: [CollectionEdit] = []
            numbers.forEachEdit { edits.append($0) }
            seen.append(edits)
        }
        let later = numbers.onChange(of: \.[text: "*"], on: DeliveryLoop()) { numbers in
            numbers.forEachEdit { _ in Issue.record("a delayed block is told of none") }
        }
        numbers.append(2)
        #expect(
            seen == [[.replaced(2..<2, inserted: 1)], [.replaced(1..<1, inserted: 1)]])
        withExtendedLifetime((token, later)) {}
    }

    @Test(arguments: mutations)
    fileprivate func CO_4_who_is_not_observed_does_the_same(_ mutation: Mutation) {
        let array: ObservableArray<Int> = [4, 2, 3, 1]
        var plain = [4, 2, 3, 1]
        mutation.observed(array)
        mutation.plain(&plain)
        #expect(Array(array) == plain)
    }

    /// Against a naive model: songs that are unique, of which each is followed from some moment on.
    @Test(arguments: 1...8)
    func AR_1_AR_5_random_mutations(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let library = Library()
        let songs = ObservableArray((0..<12).map { Song("\($0)") })
        library.songs = songs
        var followed: [(song: Song, calls: Calls)] = []
        let count = Calls(library, "songs.count")
        let first = Calls(library, \.songs?[0])
        for step in 0..<120 {
            if !songs.isEmpty, step % 5 == 0 {
                let at = Int.random(in: 0..<songs.count, using: &generator)
                followed.append(
                    (songs[at], Calls(library, \.songs?[following: at].title)))
            }
            let before = Array(songs)
            edit(songs, &generator)
            let now = Array(songs)
            #expect(count.new == (before.count == now.count ? 0 : 1))
            #expect(first.new == (before.first === now.first ? 0 : 1))
            if let first = now.first {
                #expect(library.value(at: \.songs?[0]).value === first)
            }
            let stays = followed.map { follower in now.contains { $0 === follower.song } }
            #expect(followed.map(\.calls.new) == stays.map { $0 ? 0 : 1 })
            for song in before { song.title += "+" }
            #expect(followed.map(\.calls.new) == stays.map { $0 ? 1 : 0 })
            followed = zip(followed, stays).filter(\.1).map(\.0)
        }
    }

    private func edit(
        _ songs: ObservableArray<Song>, _ generator: inout SeededGenerator
    ) {
        let count = songs.count
        let from = Int.random(in: 0...count, using: &generator)
        let to = Int.random(in: from...count, using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: songs.append(Song("a"))
        case 1: songs.insert(contentsOf: [Song("b"), Song("c")], at: from)
        case 2: songs.removeSubrange(from..<to)
        case 3 where from < count: songs.remove(at: from)
        case 4 where from < to: songs.swapAt(from, to - 1)
        case 5 where from < to: songs.move(from: from, to: to - 1)
        case 6: songs.shuffle(using: &generator)
        case 7: songs.assign(songs.enumerated().map { $0 % 3 == 0 ? Song("d") : $1 })
        default: songs.removeAll { $0.title.count % 3 == 2 }
        }
    }

    // MARK: - A collection of the language

    @Test func CP_2_it_is_a_proper_collection() throws {
        let array: ObservableArray = [3, 1, 2]
        #expect(isRandomAccess(array) && array.count == 3 && array.first == 3 && array.last == 2)
        #expect(array.map { $0 * 2 } == [6, 2, 4] && array.sorted() == [1, 2, 3])
        #expect(Array(array[1...]) == [1, 2] && array.firstIndex(of: 2) == 2)
        #expect(array == [3, 1, 2] && array != [3, 1] && array == array.copy())
        #expect("\(array)" == "[3, 1, 2]" && Array(Mirror(reflecting: array).children).count == 3)
        #expect(array.withContiguousStorageIfAvailable { $0.count } == 3)
        #expect(ObservableArray(repeating: 1, count: 2) == [1, 1])
        let joined = array + [9]
        #expect(joined == [3, 1, 2, 9] && array + joined == [3, 1, 2, 3, 1, 2, 9])
        #expect(AnySequence([0]) + array == [0, 3, 1, 2] && array.count == 3)
    }

    private func isRandomAccess(
        _ collection: some RandomAccessCollection & RangeReplaceableCollection & MutableCollection
    ) -> Bool { !collection.isEmpty }

    @Test func CP_2_an_iteration_goes_on_over_what_was_there() {
        let library = Library()
        library.numbers = [1, 2, 3]
        let star = Calls(library, "numbers.*")
        var met: [Int] = []
        for number in library.numbers {
            met.append(number)
            library.numbers.insert(0, at: 0)
        }
        #expect(met == [1, 2, 3] && library.numbers.count == 6 && star.new == 1)
    }

    @Test func CP_1_CP_3_a_copy_is_not_observed() {
        let library = Library()
        library.numbers = [1]
        let count = Calls(library, "numbers.count")
        let copy = library.numbers.copy()
        copy.append(2)
        #expect(copy == [1, 2] && library.numbers == [1] && count.new == 0)
    }

    @Test func AR_5_what_throws_does_nothing() {
        struct Failure: Error {}
        let library = Library()
        library.numbers = [3, 1, 2]
        let star = Calls(library, "numbers.*")
        #expect(throws: Failure.self) {
            try library.numbers.sort { _, _ in throw Failure() }
        }
        #expect(throws: Failure.self) {
            try library.numbers.removeAll { if $0 == 2 { throw Failure() } else { true } }
        }
        #expect(library.numbers == [3, 1, 2] && star.new == 0)
    }

    /// What ends inside an edit finds the array as the edit has made it.
    @Test func RE_1_a_deinit_inside_an_edit_may_edit() {
        final class Item: ObservableModel {
            var onEnd: (() -> Void)?
            deinit { onEnd?() }
        }
        for isObserved in [false, true] {
            let array = ObservableArray<Item>()
            let loop = DeliveryLoop()
            let token = isObserved ? array.onChange(of: \.[text: "count"], on: loop) { _ in } : nil
            let item = Item()
            item.onEnd = { [unowned array] in array.append(Item()) }
            array.append(item)
            _ = consume item
            array.removeAll()
            #expect(array.count == 1)
            array[0].onEnd = { [unowned array] in array.append(Item()) }
            array[0] = Item()
            #expect(array.count == 2)
            loop.drain()
            token?.cancel()
        }
    }

    @Test func KP_18_a_path_ends_at_an_element_that_is_a_value() {
        let library = Library()
        library.cells = [GridCell()]
        #expect(Calls(library, \.cells[0].x).observation.failure?.kind == .unsupportedElement)
        let pair = Calls(library, \.cells[0])
        library.cells[0].x = 1
        #expect(pair.new == 1 && library.value(at: \.cells[0]).value?.x == 1)
    }

    @Test func KP_19_typed_and_text_are_one_path() {
        let library = Library()
        library.songs = [Song("a"), Song("b")]
        library.words = ["k": Song("w")]
        library.tags = ["t"]
        library.grid = [[1], [2]]
        let typed = [
            Calls(library, \.songs?[0].title), Calls(library, \.songs?.count),
            Calls(library, \.songs?.each.title),
            Calls(library, \.songs?[following: 1].title),
            Calls(library, \.words["k"]?.title),
            Calls(library, \.tags[member: "t"]),
            Calls(library, \.grid[1][0]), Calls(library, \.words.each),
        ]
        let key = ObservableSet.key(for: "t")
        let texts = [
            "songs.#0.title", "songs.count", "songs.*.title", "songs.1.title", "words.k.title",
            "tags.\(key)", "grid.#1.#0", "words.*",
        ]
        let written = texts.map { Calls(library, try! TextPath(parsing: $0)) }
        #expect(typed.allSatisfy { $0.observation.failure == nil })
        // `*` counts too (WC-7).
        #expect(library.songs!.numberOfObservers(of: "#0") == 4)
        #expect(library.words.numberOfObservers(of: "k") == 4)
        #expect(library.words.allObservedProperties.sorted() == ["*", "k"])
        let edits: [() -> Void] = [
            { library.songs![0].title = "x" }, { library.songs!.swapAt(0, 1) },
            { library.songs!.append(Song("c")) }, { library.words["k"] = nil },
            { library.tags.removeAll() }, { library.grid[1][0] = 5 },
            { library.words["k"] = Song("new") }, { library.songs!.removeAll() },
        ]
        for edit in edits {
            edit()
            #expect(typed.map(\.new) == written.map(\.new))
        }
    }
}

/// What a path into a collection cannot have.
@Suite struct RefusedMembersTests {
    @Test func KP_12_other_members_of_a_collection_are_refused() {
        let library = Library()
        library.songs = [Song("a")]
        library.numbers = [1, 2, 3]
        for calls in [
            Calls(library, \.songs?.first?.title), Calls(library, \.songs?.isEmpty),
            Calls(library, \.numbers[0..<2]), Calls(library, \.numbers[0...1]),
            Calls(library, \.words.keys), Calls(library, \.numbers.first),
            Calls(library, \.songs?[-1].title),
        ] {
            #expect(calls.observation.failure != nil)
        }
        #expect(library.value(at: \.numbers[0..<2]).isReachable == false)
    }

    @Test func AR_3_optional_elements() {
        final class Shelf: ObservableModel {
            @Observed var maybe: ObservableArray<Song?> = [nil]
        }
        let shelf = Shelf()
        let whole = Calls(shelf, \.maybe[0])
        let title = Calls(shelf, \.maybe[0]?.title)
        let any = Calls(shelf, \.maybe.each?.title)
        let song = Song("a")
        shelf.maybe[0] = song
        #expect(whole.new == 1 && title.new == 1 && any.new == 1)
        song.title = "b"
        #expect(whole.new == 0 && title.new == 1 && any.new == 1)
        shelf.maybe = []
        #expect(whole.new == 1 && title.new == 1 && any.new == 1)
    }

    @Test func OS_3_collections_are_observed_one_by_one() {
        let loop = DeliveryLoop()
        let token = ObservableArray<Int>.allInstances.instances(when: \.count).on(loop).onChange {
            _ in
        }
        #expect(token.failure?.kind == .unsupportedElement)
    }

    @Test func CP_2_slices_have_the_indices_of_the_array() {
        let array: ObservableArray = [1, 2, 3, 4]
        #expect(array[2...].startIndex == 2 && array[1...].firstIndex(of: 3) == 2)
        array[1..<3].sort(by: >)
        #expect(array == [1, 3, 2, 4])
    }
}

extension CollectionEdit {
    /// Who has come is nil.
    fileprivate func apply(to array: inout [Int?]) {
        switch self {
        case .replaced(let range, let inserted):
            array.replaceSubrange(range, with: repeatElement(nil, count: inserted))
        case .moved(let range, let to):
            let moved = array[range]
            array.removeSubrange(range)
            array.insert(contentsOf: moved, at: to)
        case .reordered(let range, let order):
            let old = array
            for (index, place) in order.enumerated() {
                array[range.lowerBound + place] = old[range.lowerBound + index]
            }
        }
    }
}
