// SPDX-License-Identifier: Apache-2.0
//
// Setting by path: `set(_:at:)`.

import ObservableSwift
import Testing

private struct Frame: Equatable {
    var width = 1
    var note: String?
    let depth = 3
}

private protocol Named: AnyObject {
    var name: String { get set }
}

private final class Track: ObservableModel, Named {
    @Observed var name = "a"
}

private final class Street: ObservableModel {
    var sets: [String?] = []
    @Observed var name: String? {
        willSet { sets.append(newValue) }
        didSet { sets.append(oldValue) }
    }
    @Observed var frame = Frame()
    @Observed var box: Frame?
}

private final class Town: ObservableModel {
    @Observed var street: Street?
    @Observed var named: (any Named)?
    @Observed var count = 0
    let songs: ObservableArray<Track> = [Track(), Track()]
    let words = ObservableDictionary<String, Track>()
    let frames: ObservableArray<Frame> = [Frame()]
    let constant = 1
    var plain = 3
    var twice: Int { count * 2 }
    var half: Int {
        get { computed { count / 2 } }
        set { count = newValue * 2 }
    }
}

@Suite struct SetByPathTests {
    private let town = Town()

    // MARK: - What is set

    @Test func KP_2_a_path_is_set_through_nil_or_is_not() {
        #expect(town.set(1, at: \.count) && town.count == 1)
        #expect(!town.set("High", at: \.street?.name))
        let street = Street()
        #expect(town.set(street, at: \.street) && town.street === street)
        #expect(town.set("High", at: \.street?.name) && street.name == "High")
        #expect(town.set(nil, at: \.street?.name) && street.name == nil)
        let text: String? = "Low"
        #expect(town.set(text, at: \.street?.name) && street.name == "Low")
        // The property's own setter, with its observers.
        #expect(street.sets == ["High", nil, nil, "High", "Low", nil])
        #expect(town.set(nil, at: \.street) && town.street == nil)
    }

    @Test func KP_2_a_set_by_path_is_told_as_any() {
        let loop = DeliveryLoop()
        let street = Street()
        town.street = street
        var seen: [String?] = []
        let token = town.onChange(of: \.street?.name, \.half, on: loop) {
            seen.append($0.street?.name)
        }
        town.set("High", at: \.street?.name)
        #expect(loop.drain() == 1 && seen == ["High"])
        // An equal value is none.
        town.set("High", at: \.street?.name)
        #expect(loop.drain() == 0)
        // By the setter of a computed property.
        #expect(town.set(4, at: \.half) && town.count == 8)
        #expect(loop.drain() == 1)
        withExtendedLifetime(token) {}
    }

    @Test func KP_18_a_part_of_a_value_is_set_with_the_whole() {
        #expect(!town.set(5, at: \.street?.frame.width))
        let street = Street()
        town.street = street
        #expect(town.set(5, at: \.street?.frame.width) && street.frame.width == 5)
        #expect(town.set("n", at: \.street?.frame.note) && street.frame.note == "n")
        // Nothing wraps a value that is none.
        #expect(!town.set(6, at: \.street?.box?.width) && street.box == nil)
        street.box = Frame()
        #expect(town.set(6, at: \.street?.box?.width) && street.box?.width == 6)
    }

    @Test func KP_2_what_cannot_be_observed_is_set_all_the_same() {
        #expect(town.set(4, at: \.plain) && town.plain == 4)
        #expect(!town.set("b", at: \.named?.name))
        let song = Track()
        town.named = song
        #expect(town.set("b", at: \.named?.name) && song.name == "b")
    }

    @Test func CO_1_a_path_is_set_through_elements() {
        #expect(town.set("b", at: \.songs[1].name))
        #expect(town.songs.map(\.name) == ["a", "b"])
        #expect(town.set("c", at: \.songs[following: 0].name) && town.songs[0].name == "c")
        #expect(!town.set("d", at: \.songs[2].name))
        #expect(!town.set("d", at: \.words["k"]?.name))
        town.words["k"] = Track()
        #expect(town.set("d", at: \.words["k"]?.name) && town.words["k"]?.name == "d")
    }

    // MARK: - What is refused

    @Test func KP_2_what_has_no_setter_is_refused_and_told() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            func kinds() -> [ObservationError.Kind?] {
                let taken = reports.value
                reports.value = []
                return taken.map(\.error?.kind)
            }
            let town = Town()
            #expect(!town.set(2, at: \.constant))
            #expect(
                reports.value.last?.text
                    == "a path that is set ends at one property that has a setter")
            #expect(reports.value.last?.path == "constant")
            #expect(!town.set(2, at: \.twice))
            #expect(!town.set(2, at: \.frames.count))
            #expect(!town.set(Frame(), at: \.frames[0]))
            #expect(!town.set("b", at: \.[text: "count"]))
            #expect(kinds() == Array(repeating: .unsupportedElement, count: 5))
            #expect(!town.set(2, at: \.frames[0].width))
            #expect(!town.set("b", at: \.songs.each.name))
            #expect(kinds().count == 2)
            let street = Street()
            town.street = street
            #expect(!town.set(4, at: \.street?.frame.depth))
            #expect(kinds() == [.unsupportedElement])
            // A path that leads nowhere is no mistake.
            town.street = nil
            reports.value = []
            #expect(!town.set("b", at: \.street?.name))
            #expect(reports.value.isEmpty)
        }
    }
}
