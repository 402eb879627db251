// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift
import Testing

@Suite struct ComputedLoaderTests {
    @Test func LL_15_values_live_in_a_dictionary() throws {
        let station = Station()
        #expect(station.name == "" && station.height == nil && station.sensors == 1)
        station.answer = try decoded(#"{"name": "Nord", "height": 12.5, "sensors": 3}"#)
        #expect(station.name == "Nord" && station.height == 12.5 && station.sensors == 3)
        #expect(station.title == "Nord (3)")
        station.answer["name"] = "Ost"
        #expect(station.title == "Ost (3)")
    }

    @Test func LL_15_they_are_loaded_at_their_first_use_alone() {
        let station = Station()
        #expect(station.asked == [])
        _ = station.name
        _ = station.name
        #expect(station.asked == ["name"])
        #expect(station.computedProperties.valid == ["name"])
    }

    @Test func LL_15_they_are_observed_as_any_other() {
        let station = Station()
        let name = BothSpellings(station, "name", \.name)
        let height = BothSpellings(station, "height", \.height)
        station.answer = ["name": "Nord"]
        #expect(name.new == 1 && height.new == 0)
        station.answer = ["name": "Nord", "height": 1.0]
        #expect(name.new == 0 && height.new == 1)
        station.answer["sensors"] = 4
        #expect(name.new == 0 && height.new == 0)
    }

    @Test func LL_4_LL_15_one_is_set_until_it_is_invalid() {
        let station = Station()
        station.answer = ["name": "Nord"]
        station.height = 3
        #expect(station.height == 3 && station.asked == [])
        station.computedProperties.invalidate(\.height)
        #expect(station.height == nil && station.asked == ["height"])
    }

    @Test func LL_6_a_lazy_loader_is_asked_again_by_hand() {
        let station = Station()
        station.answer = ["notes": "a"]
        #expect(station.notes == "a")
        station.answer = ["notes": "b"]
        #expect(station.notes == "a")
        station.computedProperties.invalidate()
        #expect(station.notes == "b")
        #expect(station.asked == ["notes", "notes"])
    }

    @Test func LL_6_a_loader_that_reads_what_it_loads_is_told_of() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let station = Recursive()
            #expect(station.count == 7)
            #expect(reports.value.map(\.kind) == [.cycle])
            #expect(reports.value.first?.path == "count")
            #expect(station.other == 7)
            station.count = 20
            #expect(station.count == 20)
        }
    }

    @Test func LL_6_a_loader_may_read_the_same_property_of_another_object() {
        let (station, beyond) = (Following(), Following())
        station.next = beyond
        beyond.own = 3
        #expect(station.count == 4)
        beyond.own = 5
        #expect(station.count == 6)
    }

    @Test func LL_15_a_value_of_another_type_is_told_and_is_none() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let station = Station()
            station.answer = ["name": 7]
            #expect(station.name == "" && station.name == "")
            #expect(reports.value.count == 1)
            #expect(reports.value.first?.kind == .refused)
            #expect(reports.value.first?.path == "name")
            #expect(reports.value.first?.error?.kind == .unsupportedElement)
            #expect(
                reports.value.first?.text == "the loader of Station returns Int, not String")
        }
    }

    @Test func LL_13_a_subclass_loads_by_the_same_method() {
        let station = Tower()
        station.answer = ["name": "Nord", "floors": 4]
        #expect(station.name == "Nord" && station.floors == 4)
        #expect(station.asked == ["name", "floors"])
    }

    private func decoded(_ text: String) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as! [String: Any]
    }
}

private class Station: ObservableModel {
    @Observed var answer: [String: Any] = [:]
    @Computed(loader: Station.load) var name = ""
    @Computed(loader: Station.load) var height: Double? = nil
    @Computed(loader: Station.load) var sensors = 1
    @Lazy(loader: Station.load) var notes = ""
    @Computed(Station.makeTitle) var title: String
    var asked: [String] = []

    fileprivate func load(_ property: String) -> Any? {
        asked.append(property)
        return answer[property]
    }

    private func makeTitle() -> String { "\(name) (\(sensors))" }
}

private final class Tower: Station {
    @Computed(loader: Station.load) var floors = 0
}

private final class Following: ObservableModel {
    @Observed var own = 0
    @Observed var next: Following?
    @Computed(loader: Following.load) var count = 0

    private func load(_ property: String) -> Any? { (next?.count).map { $0 + 1 } ?? own }
}

/// Its loader reads the property that it loads.
private final class Recursive: ObservableModel {
    @Computed(loader: Recursive.load) var count = 7
    @Computed(loader: Recursive.load) var other = 7

    private func load(_ property: String) -> Any? { count + 1 }
}
