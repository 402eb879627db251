// SPDX-License-Identifier: Apache-2.0
//
// Groups beside what they say of their source, over random edits of every kind; and as their observers
// see them.

import ObservableSwift
import Testing

private final class Track: ObservableModel {
    @Observed var genre: Int

    init(_ genre: Int) {
        self.genre = genre
        super.init()
    }
}

private final class Shelves: ObservableModel {
    @Observed var byGenre: DerivedDictionary<Int, DerivedArray<Track>>?
}

/// The content of groups, as somebody has it who is told of edits alone.
private final class Told<Element> {
    private(set) var groups: [Int: [Element]] = [:]
    private var tokens: [ObservationToken] = []
    private var ofGroups: [Int: ObservationToken] = [:]

    init(_ groups: DerivedDictionary<Int, DerivedArray<Element>>) {
        for (key, group) in groups { follow(key, group) }
        tokens.append(
            groups.differences().on(.main).options(.immediate).onChange {
                [unowned self] difference in
                for (key, change) in difference {
                    #expect(change.new == nil || change.old == nil)
                    self.groups[key] = nil
                    ofGroups[key] = nil
                    if let group = change.new { follow(key, group) }
                }
            })
    }

    private func follow(_ key: Int, _ group: DerivedArray<Element>) {
        groups[key] = Array(group)
        ofGroups[key] = group.differences().on(.main).options(.immediate).onChange {
            [unowned self] difference in
            groups[key] = groups[key]!.applying(difference)!
        }
    }
}

@Suite struct GroupingTests {
    @Test(arguments: 1...12)
    func AR_10_groups_over_random_edits(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let numbers = ObservableArray([5, 2, 8, 1])
        let groups = numbers.grouping { $0 % 3 }
        let told = Told(groups)
        for _ in 0..<300 {
            editInAnyWay(numbers, { Int.random(in: 0..<20, using: &$0) }, &generator)
            let content = Dictionary(grouping: numbers) { $0 % 3 }
            #expect(groups.content.mapValues(Array.init) == content)
            #expect(told.groups == content)
        }
    }

    @Test(arguments: 1...12)
    func AR_10_elements_change_their_groups(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let tracks = ObservableArray((0..<6).map { Track($0 % 3) })
        let groups = tracks.refreshing(when: \.genre).grouping { $0.genre }
        let shared = Track(0)
        for round in 0..<300 {
            if let track = tracks.randomElement(using: &generator), round % 2 == 0 {
                track.genre = Int.random(in: 0..<4, using: &generator)
            } else {
                editInAnyWay(
                    tracks,
                    {
                        Bool.random(using: &$0) ? shared : Track(Int.random(in: 0..<4, using: &$0))
                    },
                    &generator)
            }
            let content = Dictionary(grouping: tracks) { $0.genre }
            #expect(groups.count == content.count)
            for (genre, group) in groups {
                #expect(group.elementsEqual(content[genre] ?? [], by: ===))
            }
        }
    }

    @Test func AR_10_groups_stand_in_paths() {
        let tracks = ObservableArray([Track(1), Track(2)])
        let library = Shelves(), loop = DeliveryLoop()
        library.byGenre = tracks.refreshing(when: \.genre).grouping { $0.genre }
        var counts: [Int?] = [], calls = 0
        let tokens = [
            library.changes(of: \.byGenre?[3]?.count).map { $0.new }.on(loop).onChange {
                counts.append($0)
            },
            library.onChange(of: \.byGenre?[3]?.each, on: loop) { _ in calls += 1 },
        ]
        tracks.append(Track(2))
        #expect(loop.drain() == 0)
        tracks[0].genre = 3
        loop.drain()
        tracks.append(Track(3))
        loop.drain()
        tracks.removeAll { $0.genre == 3 }
        loop.drain()
        #expect(counts == [1, 2, nil] && calls == 3)
        #expect(library.byGenre?.keys.sorted() == [2])
        tokens.forEach { $0.cancel() }
    }

    @Test func AR_10_an_edit_of_the_source_is_one_of_each_group() {
        let numbers = ObservableArray([1, 2, 3, 4])
        let groups = numbers.grouping { $0 % 2 }
        var calls = 0, edits = 0
        let tokens = [
            groups[0]!.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in calls += 1
            },
            groups.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in edits += 1 },
        ]
        numbers.append(contentsOf: [6, 7, 8])
        #expect(calls == 1)
        numbers.shuffle()
        numbers.removeAll { $0 % 2 == 0 }
        #expect(edits == 1 && groups.count == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test func AR_10_nothing_of_a_group_stays_behind() {
        var tracks: ObservableArray? = ObservableArray([Track(1)])
        weak let track = tracks![0]
        var groups: DerivedDictionary? = tracks!.refreshing(when: \.genre).grouping { $0.genre }
        weak let (source, group) = (tracks, groups![1])
        tracks = nil
        #expect(source != nil && group != nil)
        groups = nil
        #expect(source == nil && group == nil && track == nil)
    }

    // MARK: - Code of the program in between

    /// A group's observer moves an element of another group on.
    @Test func AR_10_an_observer_of_a_group_changes_an_element() {
        let (x, y, z) = (Track(2), Track(1), Track(1))
        let tracks = ObservableArray([x, y, z, Track(2)])
        let groups = tracks.refreshing(when: \.genre).grouping { $0.genre }
        let token = groups[2]!.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in
            y.genre = 3
        }
        x.genre = 1
        #expect(groups[1]!.elementsEqual([x, z], by: ===))
        #expect(groups[3]!.elementsEqual([y], by: ===))
        token.cancel()
    }

    @Test func AR_10_an_observer_of_a_group_edits_the_source() {
        let (x, y) = (Track(2), Track(1))
        let tracks = ObservableArray([x, y, Track(2)])
        let groups = tracks.refreshing(when: \.genre).grouping { $0.genre }
        let token = groups[2]!.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in
            tracks.removeAll { $0 === y }
        }
        x.genre = 1
        #expect(groups[1]!.elementsEqual([x], by: ===) && groups.count == 2)
        token.cancel()
    }

    @Test func AR_10_an_element_leaves_while_it_is_shown_anew() {
        let x = Track(1)
        let tracks = ObservableArray([x, x, x])
        let shown = tracks.refreshing(when: \.genre).filtering { $0.genre > 0 }
        let token = shown.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in
            if tracks.count == 3 { tracks.removeAll() }
        }
        x.genre = 0
        #expect(shown.isEmpty)
        token.cancel()
    }

    @Test func AR_10_the_groups_are_let_go_of_in_a_block() {
        let tracks = ObservableArray([Track(1), Track(2)])
        var groups: DerivedDictionary? = tracks.refreshing(when: \.genre).grouping { $0.genre }
        let group = groups![1]!
        let token = group.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in
            groups = nil
        }
        tracks.append(contentsOf: [Track(1), Track(2)])
        #expect(groups == nil && group.count == 2)
        token.cancel()
    }

    @Test func CP_2_an_iteration_goes_on_over_what_was_there() {
        let numbers = ObservableArray([1, 2, 3, 4])
        let groups = numbers.grouping { $0 % 2 }
        var keys: Set<Int> = []
        for (key, _) in groups {
            keys.insert(key)
            numbers.removeAll { $0 % 2 == key }
        }
        #expect(keys == [0, 1] && groups.isEmpty)
    }

    @Test func AR_10_keys_that_are_not_equal_to_themselves_stop_nobody() {
        let numbers = ObservableArray([1, Double.nan])
        let groups = numbers.grouping { $0 }
        numbers.removeAll()
        #expect(groups[1] == nil)
        let values: ObservableDictionary<Double, Int> = [:]
        let token = values.onChange(of: \.[text: "count"], on: .main, options: .immediate) { _ in }
        values[.nan] = 1
        #expect(values.count == 1)
        token.cancel()
    }
}
