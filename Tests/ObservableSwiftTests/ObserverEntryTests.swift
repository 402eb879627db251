// SPDX-License-Identifier: Apache-2.0
//
// Looking at what observes an object (DB-1, DB-2), with labels (DB-6).

import ObservableSwift
import Testing

private final class Leaf: ObservableModel {
    @Observed var text = ""
}

private final class Root: ObservableModel {
    @Observed var leaf: Leaf?
    @Observed var number = 0

    func slip(_ other: Leaf?) { _leaf.unobserved = other }
    func own(up old: Leaf?) { trigger(\._leaf, old: old) }
}

/// Of the next test alone: no other shows what its key paths read.
private final class House: ObservableModel {
    @Observed var roof = ""
}

private final class Town: ObservableModel {
    @Observed var house: House?
}

private final class Viewer {}

@Suite struct ObserverEntryTests {
    let loop = DeliveryLoop()

    @Test func DB_1_each_observation_of_a_property_is_told() {
        let root = Root()
        let leaf = Leaf()
        let viewer = Viewer()
        root.leaf = leaf
        #expect(ObservationInspector(root).observers.isEmpty)
        let line = #line + 1
        root.tell(viewer, when: \.leaf?.text, on: loop, label: "text") { _, _ in }
        root.tell(viewer, when: \.[text: "number"], on: loop, options: .immediate) { _, _ in }
        let token = root.changes(of: \.number).on(loop).named("token").onChange { _ in }
        root.number = 1
        let entries = ObservationInspector(root).observers
        #expect(entries.map(\.property) == ["leaf", "number", "number"])
        #expect(entries.map(\.path) == ["leaf.text", "number", "number"])
        #expect(entries.map(\.label) == ["text", nil, "token"])
        #expect(entries.map(\.isMiddle) == [true, false, false])
        #expect(entries.map(\.isImmediate) == [false, true, false])
        #expect(entries.map(\.isToken) == [false, false, true])
        #expect(entries.map(\.isPending) == [false, false, true])
        #expect(entries.map(\.observerType) == ["Viewer", "Viewer", nil])
        #expect(entries[0].observer == ObjectIdentifier(viewer))
        #expect(entries.allSatisfy { $0.rootType == "Root" && !$0.isStale && !$0.isUnresolved })
        #expect(entries[0].file?.hasSuffix("ObserverEntryTests.swift") == true)
        #expect(entries.map(\.line) == [line, line + 1, line + 2])
        // The end of a path that is rooted elsewhere.
        let below = ObservationInspector(leaf).observers
        #expect(below.map(\.property) == ["text"])
        #expect(below.map(\.path) == ["leaf.text"])
        #expect(below.map(\.rootType) == ["Root"])
        withExtendedLifetime((viewer, token)) {}
    }

    /// A typed path that hands over values, begun before there are objects.
    @Test func DB_1_a_typed_path_is_shown_by_its_names_once_its_objects_are_there() {
        let root = Town()
        let viewer = Viewer()
        let token = root.changes(of: \.house?.roof).on(loop).onChange { _ in }
        root.changes(of: \.house?.roof).on(loop).tell(viewer) { _, _ in }
        root.tell(viewer, when: \.house?.roof, on: loop) { _, _ in }
        #expect(
            ObservationInspector(root).observers.map(\.path)
                != Array(repeating: "house.roof", count: 3))
        let house = House()
        root.house = house
        let shown = Array(repeating: "house.roof" as String?, count: 3)
        #expect(ObservationInspector(root).observers.map(\.path) == shown)
        #expect(ObservationInspector(house).observers.map(\.path) == shown)
        #expect(!ObservationInspector(root).description.contains("House."))
        withExtendedLifetime((viewer, token)) {}
    }

    @Test func DB_1_the_line_is_that_of_the_call_inside_another_cause() {
        let root = Root()
        let viewer = Viewer()
        withObservationCause(file: "elsewhere", line: 1) {
            _ = root.tell(viewer, when: \.number, on: loop) { _, _ in }
        }
        #expect(ObservationInspector(root).observers.map(\.line) == [#line - 2])
        withExtendedLifetime(viewer) {}
    }

    @Test func DB_1_an_object_has_one_address() {
        let root = Root()
        let leaf = Leaf()
        let viewer = Viewer()
        root.leaf = leaf
        root.tell(viewer, when: \.leaf?.text, on: loop) { _, _ in }
        let at = Unmanaged.passUnretained(root).toOpaque()
        let address = "0x" + String(UInt(bitPattern: at), radix: 16)
        let lines = ObservationInspector(root).description.split(separator: "\n")
        #expect(lines.first == "Root \(address)")
        #expect(lines.last?.contains("from Root \(address),") == true)
        #expect(ObservationInspector(leaf).description.contains("from Root \(address),"))
        withExtendedLifetime(viewer) {}
    }

    @Test func DB_1_the_text_has_a_line_for_each_entry() {
        let root = Root()
        let viewer = Viewer()
        #expect(ObservationInspector(root).description.hasSuffix("\n  nobody observes it\n"))
        root.tell(viewer, when: \.number, on: loop, label: "cell") { _, _ in }
        root.tell(viewer, when: \.[text: "nobody"], on: loop) { _, _ in }
        root.tell(viewer, when: .any(of: [TextPath]().map { \.[text: $0] }), on: loop) { _, _ in }
        let lines = ObservationInspector(root).description.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines[0].hasPrefix("Root 0x"))
        #expect(lines[1] == "  number")
        #expect(lines[2].hasPrefix("    number from Root 0x"))
        #expect(lines[2].contains(", observer Viewer 0x"))
        #expect(lines[2].contains(" \"cell\", delayed on loop 0x"))
        #expect(lines[2].contains("ObserverEntryTests.swift:"))
        #expect(lines[3] == "  (no property)")
        #expect(lines[4].contains("nobody from Root") && lines[4].contains(", unresolved"))
        #expect(lines[5].contains("(no path)"))
        withExtendedLifetime(viewer) {}
    }

    @Test func DB_2_what_hangs_elsewhere_than_the_value_leads_is_marked() {
        let root = Root()
        let first = Leaf()
        let viewer = Viewer()
        root.leaf = first
        root.tell(viewer, when: \.leaf?.text, on: loop) { _, _ in }
        root.tell(viewer, when: \.leaf, on: loop) { _, _ in }
        #expect(ObservationInspector(root).observers.map(\.isStale) == [false, false])
        root.slip(Leaf())
        #expect(
            ObservationInspector(root).observers.map(\.isStale).sorted { $0 && !$1 } == [
                true, false,
            ])
        #expect(ObservationInspector(root).description.contains("NOT WHAT IS STORED"))
        root.own(up: first)
        #expect(ObservationInspector(root).observers.map(\.isStale) == [false, false])
        withExtendedLifetime(viewer) {}
    }

    @Test func DB_6_hostile_names_are_shown_harmlessly() throws {
        let root = Root()
        let viewer = Viewer()
        root.tell(
            viewer, when: \.[text: try TextPath(parsing: "a\u{1B}[2J\nb\u{202E}ü")], on: loop,
            label: "x\r\ny\u{7}"
        ) { _, _ in }
        let text = ObservationInspector(root).description
        #expect(text.split(separator: "\n").count == 3)
        #expect(text.contains("a\\u{1b}[2J\\u{a}b\\u{202e}ü"))
        #expect(text.contains("x\\u{d}\\u{a}y\\u{7}"))
        withExtendedLifetime(viewer) {}
    }

    @Test func DB_1_an_observer_that_has_gone_has_no_type() {
        let root = Root()
        var viewer: Viewer? = Viewer()
        root.tell(viewer!, when: \.number, on: loop) { _, _ in }
        viewer = nil
        let entries = ObservationInspector(root).observers
        #expect(entries.count <= 1)
        #expect(entries.allSatisfy { $0.observerType == nil && $0.observer != nil })
    }
}
