// SPDX-License-Identifier: Apache-2.0
//
// What is derived beside what is made anew from the source, where elements follow paths, where closures
// are exchanged, and what is left behind.

import ObservableSwift
import Testing

private final class Disc: ObservableModel {
    @Observed var year: Int

    init(_ year: Int) {
        self.year = year
        super.init()
    }
}

private final class Tune: ObservableModel {
    @Observed var album: Disc
    @Observed var title: String

    init(_ album: Disc, _ title: String) {
        (self.album, self.title) = (album, title)
        super.init()
    }
}

private final class TuneRow {
    let song: Tune
    init(_ song: Tune) { self.song = song }
}

private final class SearchedList: ObservableModel {
    @Observed var text = ""
}

private final class SelectedRow: ObservableModel {
    let songs: ObservableArray<Tune>
    let rows: DerivedArray<Tune>
    let selected: Tune
    @Computed({ (view: SelectedRow) in view.rows.index(showing: view.selected) }) var row: Int?

    override init() {
        songs = ObservableArray(["a", "b", "c"].map { Tune(Disc(1), $0) })
        rows = songs.refreshing(when: \.title).sorting { $0.title < $1.title }
        selected = songs[1]
        super.init()
    }
}

/// A stable sort.
private func sorted<Element>(
    _ elements: some Sequence<Element>, _ areInOrder: (Element, Element) -> Bool
) -> [Element] {
    elements.enumerated().sorted {
        areInOrder($0.element, $1.element)
            || (!areInOrder($1.element, $0.element) && $0.offset < $1.offset)
    }.map(\.element)
}

@Suite struct DerivingTests {
    @Test(arguments: 1...12)
    func AR_10_one_set_changes_the_rank_of_several(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let albums = (0..<4).map { Disc($0) }
        let songs = ObservableArray((0..<20).map { Tune(albums[$0 % 4], "\($0)") })
        let byYear = songs.refreshing(when: \.album.year).sorting { $0.album.year < $1.album.year }
        let recent = byYear.refreshing(when: \.album.year).filtering { $0.album.year > 3 }
        let decades = songs.refreshing(when: \.album.year).grouping { $0.album.year / 3 }
        for _ in 0..<200 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                songs.randomElement(using: &generator)?.album =
                    albums.randomElement(using: &generator)!
            case 1:
                editInAnyWay(
                    songs, { Tune(albums.randomElement(using: &$0)!, "new") }, &generator)
            default:
                albums.randomElement(using: &generator)!.year = Int.random(
                    in: 0..<9, using: &generator)
            }
            let anew = sorted(songs) { $0.album.year < $1.album.year }
            #expect(byYear.elementsEqual(anew, by: ===))
            #expect(recent.elementsEqual(anew.filter { $0.album.year > 3 }, by: ===))
            let groups = Dictionary(grouping: songs) { $0.album.year / 3 }
            #expect(Set(decades.keys) == Set(groups.keys))
            for (key, group) in groups {
                #expect(decades[key]!.elementsEqual(group, by: ===))
            }
        }
    }

    @Test func AR_10_what_is_let_go_of_leaves_no_observation() {
        let songs = ObservableArray((0..<100).map { Tune(Disc($0), "\($0)") })
        for _ in 0..<100 {
            let recent = songs.refreshing(when: \.album.year).filtering { $0.album.year > 50 }
            #expect(recent.count == 49)
        }
        #expect(songs.numberOfObservers(of: "count") == 0)
        for song in songs {
            #expect(song.numberOfObservers(of: "album") == 0)
            #expect(song.album.numberOfObservers(of: "year") == 0)
        }
    }

    @Test func AR_10_without_when_no_element_is_observed() {
        let songs = ObservableArray([Tune(Disc(1), "a")])
        let rows = (
            songs.filtering { $0.title == "a" }, songs.mapping { $0.title },
            songs.sorting { $0.title < $1.title }, songs.grouping { $0.title }
        )
        #expect(songs[0].numberOfObservers(of: "title") == 0)
        #expect(songs[0].numberOfObservers(of: "album") == 0)
        withExtendedLifetime(rows) {}
    }

    @Test func AR_10_an_element_that_is_there_again_has_not_left() {
        let songs = ObservableArray((0..<5).map { Tune(Disc(1), "\($0)") })
        let good = songs.filtering { $0.title != "9" }
        let ranked = songs.refreshing(when: \.album.year).sorting { $0.album.year < $1.album.year }
        let rows = songs.mapping { TuneRow($0) }
        let made = rows.map(ObjectIdentifier.init)
        let calls = (
            Calls(good, \.[following: 2].title), Calls(ranked, "#1"),
            Calls(rows, "*")
        )
        songs[2] = songs[2]
        songs.assign(Array(songs))
        songs.assign(Array(songs))
        #expect((calls.0.new, calls.1.new, calls.2.new) == (0, 0, 0))
        #expect(rows.map(ObjectIdentifier.init) == made)
        songs.reverse()
        #expect(rows.map(ObjectIdentifier.init) == made.reversed())
        songs[2].title = "other"
        #expect(calls.0.new == 1)
    }

    @Test func AR_10_closures_are_exchanged() {
        var asked = 0
        let numbers = ObservableArray(0..<10)
        let some = numbers.filtering { $0 % 2 == 0 }
        let texts = numbers.mapping { "\($0)" }
        let ranked = numbers.sorting(by: <)
        var calls = 0
        let token = some.differences().on(.main).options(.immediate).onChange { difference in
            calls += 1
            #expect(difference.count == 3)
        }
        some.replaceCondition { (number: Int) in
            asked += 1
            return number % 2 == 0 || number > 4
        }
        #expect(Array(some) == [0, 2, 4, 5, 6, 7, 8, 9] && asked == 10 && calls == 1)
        some.refresh()
        #expect(asked == 20 && calls == 1)
        texts.replaceTransform { (number: Int) in "<\(number)>" }
        #expect(texts[3] == "<3>")
        ranked.replaceOrder(by: >)
        #expect(Array(ranked) == (0..<10).reversed())
        #expect(ranked.index(showing: 7) == 2)
        withExtendedLifetime(token) {}
    }

    @Test func AR_10_a_step_is_told_which_element_has_left() {
        let numbers = ObservableArray([1, 2, 3])
        var gone: [String] = []
        var rows: DerivedArray? = numbers.mapping {
            "\($0)"
        } left: {
            gone.append($0)
        }
        numbers.remove(at: 1)
        numbers.append(4)
        #expect(gone == ["2"] && Array(rows!) == ["1", "3", "4"])
        rows = nil
        #expect(gone == ["2", "1", "3", "4"])
    }

    @Test func AR_10_several_keys_and_distinct_elements_follow_paths() {
        let albums = (0..<3).map { Disc($0) }
        let songs = ObservableArray((0..<9).map { Tune(albums[$0 % 3], "\($0 / 3)") })
        let ranked = songs.refreshing(when: \.album.year, \.title).sorting(
            by: .init(\.title), .init(\.album.year, descending: true))
        let years = songs.refreshing(when: \.album.year).uniquing { $0.album.year }
        for step in 0..<20 {
            albums[step % 3].year = step * 7 % 5
            songs[step % 9].title = "\(step * 3 % 4)"
            let anew = sorted(songs) {
                ($0.title, -$0.album.year) < ($1.title, -$1.album.year)
            }
            #expect(ranked.elementsEqual(anew, by: ===))
            var seen: Set<Int> = []
            #expect(
                years.elementsEqual(
                    songs.filter { seen.insert($0.album.year).inserted }, by: ===))
        }
    }

    /// A selected row, which moves and leaves.
    @Test func AR_10_where_an_element_stands_is_observed() {
        let view = SelectedRow()
        var seen: [Int?] = []
        let token = view.onChange(of: \.row, on: .main, options: .immediate) { _ in
            seen.append(view.row)
        }
        #expect(view.row == 1)
        view.songs[0].title = "d"
        view.songs.remove(at: 1)
        #expect(seen == [0, nil])
        withExtendedLifetime(token) {}
    }

    @Test func AR_10_groups_are_asked_again_and_stand_in_an_order() {
        var limit = 3
        let numbers = ObservableArray(0..<9)
        let groups = numbers.sorting(by: >).grouping { $0 / limit }
        let keys = groups.listing { key, group in (key: key, group: group) }
            .sorting { $0.key > $1.key }
        #expect(keys.map(\.key) == [2, 1, 0] && Array(keys[0].group) == [8, 7, 6])
        limit = 5
        groups.refresh()
        #expect(keys.map(\.key) == [1, 0] && Array(keys[1].group) == [4, 3, 2, 1, 0])
    }

    @Test func AR_10_a_group_says_where_an_element_stands_and_its_keys_are_exchanged() {
        let numbers = ObservableArray(0..<6)
        var groups: DerivedDictionary? = numbers.sorting(by: >).grouping { $0 / 3 }
        let low = groups![0]!
        #expect(
            low.index(showing: 2) == 0 && low.index(showing: 0) == 2 && low.index(showing: 5) == nil
        )
        #expect(groups![1]!.index(showing: 5) == 0)
        var edits = 0
        let token = low.onChange(of: \.each, on: .main, options: .immediate) { _ in edits += 1 }
        low.refresh(1)
        low.refresh()
        #expect(edits == 0)
        groups!.replaceKey { $0 < 2 ? 0 : 7 }
        #expect(edits == 1)
        #expect(Array(low) == [1, 0] && Array(groups![7]!) == [5, 4, 3, 2] && groups!.count == 2)
        weak let weakLow = low
        groups = nil
        #expect(weakLow!.index(showing: 1) == nil)
        low.refresh()
        low.refresh(1)
        withExtendedLifetime((token, low)) {}
    }

    @Test func AR_10_groups_that_nobody_holds_are_gone() {
        let numbers = ObservableArray(0..<6)
        var groups: DerivedDictionary? = numbers.grouping { $0 / 3 }
        weak let (group, dictionary) = (groups![0], groups)
        numbers.removeFirst()
        #expect(group != nil)
        groups = nil
        #expect(group == nil && dictionary == nil)
    }

    @Test func AR_10_a_condition_with_another_objects_property() {
        let list = SearchedList()
        let songs = ObservableArray(["Rain", "Dawn", "Bridge"].map { Tune(Disc(1), $0) })
        var found: DerivedArray<Tune>? = songs.refreshing(when: \.title).filtering(
            with: list, when: \.text
        ) { song, list in
            song.title.hasPrefix(list.text)
        }
        #expect(found!.count == 3)
        list.text = "R"
        #expect(found!.map(\.title) == ["Rain"])
        songs[1].title = "Rise"
        #expect(found!.map(\.title) == ["Rain", "Rise"])
        found = nil
        #expect(list.numberOfObservers(of: "text") == 0)
        #expect(songs[0].numberOfObservers(of: "title") == 0)
    }

    @Test func AR_10_another_objects_property_and_none_of_the_elements() {
        let list = SearchedList()
        let words = ObservableArray(["Rain", "Dawn", "Rise"])
        let found = words.filtering(with: list, when: \.text) { $0.hasPrefix($1.text) }
        list.text = "R"
        #expect(Array(found) == ["Rain", "Rise"])
        let songs = ObservableArray(words.map { Tune(Disc(1), $0) })
        let titles = songs.filtering(with: list, when: \.text) { $0.title.hasPrefix($1.text) }
        #expect(titles.map(\.title) == ["Rain", "Rise"])
        #expect(songs[0].numberOfObservers(of: "title") == 0)
        words.append("Rust")
        list.text = "Ri"
        #expect(Array(found) == ["Rise"] && titles.count == 1)
        withExtendedLifetime(list) {}
    }

    @Test(arguments: 1...12)
    func AR_10_parts_distinct_elements_and_several_keys(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let numbers = ObservableArray((0..<8).map { $0 })
        let page = numbers.taking(3, from: 2)
        let first = numbers.sorting().taking(2)
        let distinct = numbers.uniquing { $0 % 5 }
        let ranked = numbers.sorting(by: .init { $0 % 3 }, .init({ $0 }, descending: true))
        for round in 0..<300 {
            editInAnyWay(numbers, { Int.random(in: 0..<20, using: &$0) }, &generator)
            if round % 50 == 0 { page.show(1 + round / 50, from: 2) }
            #expect(Array(page) == Array(numbers.dropFirst(2).prefix(1 + round / 50)))
            #expect(Array(first) == Array(numbers.sorted().prefix(2)))
            var seen: Set<Int> = []
            #expect(Array(distinct) == numbers.filter { seen.insert($0 % 5).inserted })
            #expect(
                Array(ranked)
                    == numbers.sorted { ($0 % 3, -$0) < ($1 % 3, -$1) })
        }
    }

    @Test(arguments: 1...12)
    func AR_10_several_arrays_are_one(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let all = (0..<4).map { ObservableArray([$0]) }
        let outer = ObservableArray(all)
        let flat = outer.flattening { $0 }
        let even = flat.filtering { $0 % 2 == 0 }.sorting()
        for round in 0..<300 {
            if round % 4 == 0 {
                editInAnyWay(outer, { all.randomElement(using: &$0)! }, &generator)
            } else {
                editInAnyWay(
                    all.randomElement(using: &generator)!,
                    { Int.random(in: 0..<20, using: &$0) }, &generator)
            }
            #expect(Array(flat) == outer.flatMap { Array($0) })
            #expect(Array(even) == flat.filter { $0 % 2 == 0 }.sorted())
        }
    }

    @Test func AR_10_objects_of_a_protocols_type_are_there_again() {
        let tunes = ObservableArray<any ObservableHost>((0..<3).map { Disc($0) })
        var asked = 0
        let rows = tunes.mapping { _ in
            asked += 1
            return asked
        }
        tunes[1] = tunes[1]
        tunes.assign(Array(tunes))
        #expect(Array(rows) == [1, 2, 3] && asked == 3)
    }

    @Test func AR_10_arrays_that_are_made_to_be_flattened() {
        let lists = ObservableArray([[1, 2], [3]])
        let flat = lists.flattening { ObservableArray($0) }
        lists.append([4, 5])
        #expect(Array(flat) == [1, 2, 3, 4, 5])
        lists.removeFirst()
        #expect(Array(flat) == [3, 4, 5])
    }

    @Test func AR_10_an_order_that_contradicts_itself() {
        let numbers = ObservableArray([3, .nan, 1, .nan, 2])
        let ranked = numbers.sorting(by: <)
        for number in [5, Double.nan, 0, .nan] {
            numbers.insert(number, at: 1)
            numbers.remove(at: 3)
            #expect(ranked.count == numbers.count)
            #expect(ranked.count(where: \.isNaN) == numbers.count(where: \.isNaN))
        }
    }

    @Test func AR_10_a_transform_that_answers_one_object_twice() {
        let (one, numbers) = (Disc(1), ObservableArray([1, 2, 3]))
        let rows = numbers.mapping { _ in one }
        numbers.remove(at: 1)
        numbers.append(4)
        rows.refresh()
        #expect(rows.count == 3 && rows.allSatisfy { $0 === one })
    }

    @Test func AR_10_a_condition_edits_its_own_source() {
        let numbers = ObservableArray([1, 2, 3])
        var isEditing = true
        let even = numbers.filtering { number in
            if isEditing {
                isEditing = false
                numbers.append(8)
            }
            return number % 2 == 0
        }
        #expect(Array(even) == [2, 8])
        isEditing = true
        numbers.append(4)
        #expect(Array(even) == [2, 8, 4, 8])
    }

    @Test func AR_10_it_follows_by_a_loop() {
        let loop = DeliveryLoop()
        let tunes = ObservableArray((0..<5).map { Tune(Disc($0), "\($0)") })
        let ranked = tunes.refreshing(when: \.album.year).sorting(on: loop) {
            $0.album.year > $1.album.year
        }
        let recent = tunes.filtering(on: loop) { $0.album.year > 2 }
        var calls = 0
        let token = ranked.onChange(of: \.[text: "*"], on: .main, options: .immediate) { _ in
            calls += 1
        }
        for tune in tunes { tune.album.year = 9 - tune.album.year }
        tunes.append(Tune(Disc(3), "new"))
        #expect(calls == 0 && ranked.count == 5 && recent.count == 2)
        loop.drain()
        #expect(ranked.map(\.album.year) == [9, 8, 7, 6, 5, 3])
        #expect(recent.map(\.title) == ["3", "4", "new"])
        withExtendedLifetime(token) {}
    }
}
