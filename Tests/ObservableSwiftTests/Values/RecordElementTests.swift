// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private final class Melody: ObservableModel {
    @Observed var title = ""
    @Observed var cover: Melody?

    init(_ title: String) { self.title = title }
}

private final class MelodyStore: ObservableModel {
    @Observed var songs: ObservableArray<Melody> = []
    @Observed var values: [Melody] = []
    @Observed var byName: ObservableDictionary<String, Melody> = [:]
    @Observed var byNumber: [Int: Melody] = [:]
    @Observed var lists: ObservableArray<ObservableArray<Melody>> = []
    @Observed var rows: [String: [Melody]] = [:]
    @Observed var one: Melody?
}

/// By the last call.
private final class ToldEntries {
    var entries: [ObservationRecordEntry] = []
}

@Suite struct RecordElementTests {
    private let loop = DeliveryLoop()
    private let library = MelodyStore()
    private let a = Melody("a"), b = Melody("b")
    private let told = ToldEntries()

    private func observe(_ path: TypedPath<MelodyStore>) -> ObservationToken {
        library.record(of: path).on(loop).onChange { [told] in told.entries = $0.entries }
    }

    private func drained() -> [ObservationRecordEntry] {
        told.entries = []
        loop.drain()
        return told.entries
    }

    @Test func DR_13_WC_2_an_entry_of_an_array_has_the_object() throws {
        library.songs = [a, b]
        library.values = [a, b]
        for path: TypedPath<MelodyStore> in [\.songs.each.title, \.values.each.title] {
            let token = observe(path)
            b.title += "!"
            a.title += "!"
            let told = drained()
            try #require(told.map(\.elements.count) == [1, 1])
            #expect(told[0].elements[0] as? Melody === b && told[1].elements[0] as? Melody === a)
            #expect(told[0].newValue as? String == b.title)
            token.cancel()
        }
    }

    @Test func DR_13_WC_2_an_entry_of_a_dictionary_has_the_key_and_its_path() throws {
        library.byName = ["x.y": a]
        library.byNumber = [7: b]
        let tokens = [observe(\.byName.each.title), observe(\.byNumber.each.title)]
        a.title = "c"
        let named = try #require(drained().first)
        #expect(named.elements as? [String] == ["x.y"] && named.path == #"byName.x\.y.title"#)
        b.title = "d"
        let numbered = try #require(drained().first)
        #expect(numbered.elements as? [Int] == [7] && numbered.path == #"byNumber.\7.title"#)
        library.byNumber[7] = nil
        let left = try #require(drained().first)
        #expect(left.elements as? [Int] == [7] && left.oldValue as? String == "d")
        withExtendedLifetime(tokens) {}
    }

    @Test func DR_13_WC_2_each_star_has_its_element() throws {
        library.lists = [[a], [b]]
        library.rows = ["x": [a]]
        let lists = observe(\.lists.each.each.title)
        b.title = "c"
        let first = try #require(drained().first)
        try #require(first.elements.count == 2)
        #expect(first.elements[0] as? ObservableArray<Melody> === library.lists[1])
        #expect(first.elements[1] as? Melody === b)
        lists.cancel()
        let rows = observe(\.rows.each.each.title)
        a.title = "d"
        let second = try #require(drained().first)
        #expect(second.path == "rows.x.*.title" && second.elements.count == 2)
        #expect(second.elements.first as? String == "x" && second.elements.last as? Melody === a)
        rows.cancel()
        let properties = observe(\.[text: "*.title"])
        library.one = a
        let third = try #require(drained().first)
        #expect(third.elements as? [String] == ["one"] && third.path == "one.title")
        properties.cancel()
    }

    @Test func DR_13_WC_2_an_element_that_is_replaced_and_the_other_are_two_entries() throws {
        library.songs = [a]
        let token = observe(\.songs.each.title)
        library.songs[0] = b
        let told = drained()
        try #require(told.count == 2)
        let left = try #require(told.first { !$0.isReachable })
        let come = try #require(told.first { $0.isReachable })
        #expect(left.elements.first as? Melody === a && left.oldValue as? String == "a")
        #expect(come.elements.first as? Melody === b && come.newValue as? String == "b")
        withExtendedLifetime(token) {}
    }

    /// Also if nobody else has it any more; and it goes with the record.
    @Test func DR_13_LT_2_an_element_that_is_removed_before_the_drain_is_kept_for_the_call() {
        weak var gone: Melody?
        for path: TypedPath<MelodyStore> in [\.songs.each.title, \.songs.each.cover?.title] {
            let token = observe(path)
            inScope {
                let song = Melody("c")
                song.cover = Melody("d")
                gone = song
                library.songs = [song]
                loop.drain()
                song.title = "e"
                song.cover?.title = "f"
                library.songs = []
            }
            #expect(gone != nil)
            #expect(drained().last?.elements.last as? Melody === gone)
            told.entries = []
            loop.drain()
            #expect(gone == nil)
            token.cancel()
        }
    }

    @Test func DR_13_WC_3_an_object_that_has_entered_twice_is_one_element() throws {
        library.songs = [a, a]
        let token = observe(\.songs.each.title)
        a.title = "c"
        let told = drained()
        #expect(told.count == 1 && told.first?.elements.first as? Melody === a)
        library.songs.removeLast()
        #expect(drained().isEmpty)
        library.songs.removeLast()
        #expect(drained().first?.elements.first as? Melody === a)
        withExtendedLifetime(token) {}
    }

    /// A collection that is a value is nobody: its place is nil.
    @Test func DR_13_an_array_of_arrays_has_no_object_between() throws {
        let grid = MelodyGrid()
        grid.rows = [[a], [b]]
        let token = grid.record(of: \.rows.each.each.title).on(loop).onChange { [told] in
            told.entries = $0.entries
        }
        b.title = "c"
        let told = try #require(drained().first)
        try #require(told.elements.count == 2)
        #expect(told.elements[0] == nil && told.elements[1] as? Melody === b)
        withExtendedLifetime(token) {}
    }
}

private final class MelodyGrid: ObservableModel {
    @Observed var rows: [[Melody]] = []
}

/// Objects that are made inside are nobody's after it.
private func inScope(_ body: () -> Void) { body() }
