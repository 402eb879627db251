// SPDX-License-Identifier: Apache-2.0
//
// Derived arrays beside what they say of their source, over random edits of every kind; and as their
// observers see them.

import ObservableSwift
import Testing

private final class Track: ObservableModel {
    @Observed var rating: Int
    let name: String

    init(_ rating: Int, _ name: String = "") {
        (self.rating, self.name) = (rating, name)
        super.init()
    }
}

/// Every kind of edit.
func editInAnyWay<Element>(
    _ array: ObservableArray<Element>, _ make: (inout SeededGenerator) -> Element,
    _ generator: inout SeededGenerator
) {
    let count = array.count
    let at = count == 0 ? 0 : Int.random(in: 0..<count, using: &generator)
    let end = Int.random(in: at...count, using: &generator)
    let some = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in make(&generator) }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1, 2: array.append(make(&generator))
    case 3: array.insert(contentsOf: some, at: at)
    case 4: if count > 0 { array[at] = make(&generator) }
    case 5: if count > 0 { array.remove(at: at) }
    case 6: array.replaceSubrange(at..<end, with: some)
    case 7:
        if count > 1 { array.move(from: at, to: Int.random(in: 0..<count, using: &generator)) }
    case 8: if count > 1 { array.swapAt(at, count - 1 - at) }
    case 9: array.shuffle(using: &generator)
    case 10: array.removeAll { _ in Bool.random(using: &generator) && some.count == 1 }
    default: if some.count == 3 { array.assign(some) } else { array.reverse() }
    }
}

@Suite struct DerivedArrayTests {
    @Test(arguments: 1...12)
    func AR_10_filtered_mapped_and_sorted_over_random_edits(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let numbers = ObservableArray([5, 2, 8, 1])
        let even = numbers.filtering { $0 % 2 == 0 }
        let texts = numbers.mapping { "\($0)" }
        let halves = numbers.compactMapping { $0 % 2 == 0 ? $0 / 2 : nil }
        let sorted = numbers.sorting()
        let chained = even.sorting(by: >).mapping { -$0 }
        let content = DerivedContent(even)
        for _ in 0..<300 {
            editInAnyWay(numbers, { Int.random(in: 0..<20, using: &$0) }, &generator)
            #expect(Array(even) == numbers.filter { $0 % 2 == 0 })
            #expect(Array(texts) == numbers.map { "\($0)" })
            #expect(Array(halves) == numbers.compactMap { $0 % 2 == 0 ? $0 / 2 : nil })
            #expect(Array(sorted) == numbers.sorted())
            #expect(Array(chained) == even.sorted(by: >).map { -$0 })
            content.check()
        }
    }

    @Test(arguments: 1...12)
    func AR_10_properties_of_elements_are_followed(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let tracks = ObservableArray((0..<6).map { Track($0) })
        let good = tracks.refreshing(when: \.rating).filtering { $0.rating > 4 }
        let ratings = tracks.refreshing(when: \.rating).mapping { $0.rating }
        let best = tracks.refreshing(when: \.rating).sorting { $0.rating > $1.rating }
        let shared = Track(3)
        for round in 0..<300 {
            if let track = tracks.randomElement(using: &generator), round % 2 == 0 {
                track.rating = Int.random(in: 0..<10, using: &generator)
            } else {
                editInAnyWay(
                    tracks,
                    {
                        Bool.random(using: &$0) ? shared : Track(Int.random(in: 0..<10, using: &$0))
                    },
                    &generator)
            }
            #expect(good.elementsEqual(tracks.filter { $0.rating > 4 }, by: ===))
            #expect(Array(ratings) == tracks.map(\.rating))
            #expect(best.map(\.rating) == tracks.map(\.rating).sorted(by: >))
            #expect(Set(best.map(ObjectIdentifier.init)) == Set(tracks.map(ObjectIdentifier.init)))
        }
    }

    @Test func AR_10_each_edit_of_the_source_is_one() {
        let numbers = ObservableArray([1, 2, 3, 4])
        let (even, sorted) = (numbers.filtering { $0 % 2 == 0 }, numbers.sorting(by: >))
        var calls = [0, 0]
        let tokens = [
            even.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in calls[0] += 1 },
            sorted.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in calls[1] += 1
            },
        ]
        numbers.append(contentsOf: [5, 6, 8])
        #expect(calls == [1, 1])
        numbers.removeAll { $0 < 5 }
        #expect(calls == [2, 2])
        numbers.append(7)
        #expect(calls == [2, 3])
        numbers.reverse()
        #expect(calls == [3, 3])
        withExtendedLifetime((tokens, even, sorted)) {}
    }

    /// Sorting, filtering and what moves keep who is followed.
    @Test func AR_1_followed_elements_move() {
        let tracks = ObservableArray([Track(1), Track(2), Track(3)])
        let best = tracks.refreshing(when: \.rating).sorting { $0.rating > $1.rating }
        let good = tracks.refreshing(when: \.rating).filtering { $0.rating > 0 }
        let calls = (Calls(best, "2.rating"), Calls(good, "0.rating"), Calls(best, "#0"))
        let first = tracks[0]
        tracks.reverse()
        tracks.insert(Track(2), at: 1)
        #expect((calls.0.new, calls.1.new, calls.2.new) == (0, 0, 0))
        first.rating = 9
        #expect((calls.0.new, calls.1.new, calls.2.new) == (1, 1, 1))
        #expect(best[0] === first)
        first.rating = 0
        #expect((calls.0.new, calls.1.new, calls.2.new) == (1, 1, 1))
        #expect(!good.contains { $0 === first })
        first.rating = 5
        #expect((calls.0.new, calls.1.new, calls.2.new) == (1, 0, 1))
        tracks.removeAll { $0 === first }
        #expect((calls.0.new, calls.1.new, calls.2.new) == (1, 0, 1))
    }

    /// A block that edits the source while the derived array is told.
    @Test func AR_10_the_source_may_be_edited_meanwhile() {
        let numbers = ObservableArray([1, 2, 3])
        var seen: [[Int]] = []
        let before = numbers.onChange(of: \.[text: "count"], on: .main, options: .immediate) {
            if $0.count == 4, $0[0] != 10 { $0.insert(10, at: 0) }
        }
        let even = numbers.filtering { $0 % 2 == 0 }
        let after = even.onChange(of: \.[text: "*"], on: .main, options: .immediate) { even in
            seen.append(Array(even))
            if even.count == 3 { numbers.removeLast(2) }
        }
        numbers.append(4)
        #expect(Array(numbers) == [10, 1, 2] && Array(even) == [10, 2])
        #expect(seen.last == [10, 2])
        withExtendedLifetime((before, after)) {}
    }

    @Test func LT_1_it_holds_its_source_and_ends_with_who_holds_it() {
        weak var source: ObservableArray<Track>?
        weak var derived: DerivedArray<Track>?
        let track = Track(5)
        var held: DerivedArray<Track>?
        do {
            let tracks = ObservableArray([track])
            source = tracks
            held = tracks.refreshing(when: \.rating).filtering { $0.rating > 4 }.sorting {
                $0.rating < $1.rating
            }
            derived = held
        }
        #expect(source != nil && derived != nil)
        track.rating = 1
        #expect(held!.isEmpty)
        source!.append(Track(7))
        #expect(held!.count == 1)
        held = nil
        #expect(source == nil && derived == nil)
        #expect(track.numberOfObservers(of: "rating") == 0)
    }

    @Test func AR_10_it_stands_in_paths_and_tells_differences() {
        final class Shelf: ObservableModel {
            @Observed var rows: DerivedArray<Track>

            init(_ rows: DerivedArray<Track>) {
                self.rows = rows
                super.init()
            }
        }
        let tracks = ObservableArray([Track(1, "a"), Track(5, "b")])
        let shelf = Shelf(tracks.filtering { $0.rating > 2 })
        let calls = (
            Calls(shelf, \.rows[0].rating), Calls(shelf, "rows.#1"), Calls(shelf, \.rows.count)
        )
        var names: [String] = []
        let token = shelf.rows.differences().on(.main).options(.immediate).onChange { difference in
            names += difference.insertions.map {
                if case .insert(let offset, let element, _) = $0 {
                    "\(element.name)\(offset)"
                } else {
                    ""
                }
            }
        }
        tracks[1].rating = 6
        tracks.append(Track(9, "c"))
        #expect((calls.0.new, calls.1.new, calls.2.new) == (1, 1, 1))
        #expect(names == ["c1"])
        withExtendedLifetime(token) {}
    }
}

/// What an observer of differences makes of a derived array.
private final class DerivedContent<Element: Equatable> {
    private let array: DerivedArray<Element>
    private var content: [Element]
    private var token: ObservationToken?

    init(_ array: DerivedArray<Element>) {
        self.array = array
        content = Array(array)
        token = array.differences().on(.main).options(.immediate).onChange {
            [unowned self] difference in
            content = content.applying(difference)!
        }
    }

    func check() {
        #expect(content == Array(array))
    }
}
