// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Synchronization
import Testing

private final class Thing: ObservableModel {
    @Observed var name = ""
    @Observed var other = ""
    @Observed var child: Thing?
    var plain = 0
    var plainChild: Thing?
    var hidden: Int {
        get { plain }
        set { plain = newValue }
    }
}

private final class Reports: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ report: ObservationDiagnostics.Report) {
        guard report.kind == .unresolvedPath else { return }
        lines.withLock { $0.append("\(report.path ?? "") [\(report.label ?? "")]") }
    }
    var all: [String] { lines.withLock { $0 } }
}

@Suite struct UnresolvedPathTests {
    @Test func KP_12_a_first_element_that_the_class_does_not_have() {
        let thing = Thing()
        let calls = Calls(thing, "nmae", "name", "plain.name")
        #expect(calls.observation.unresolvedPaths == ["nmae", "plain.name"])
        thing.name = "a"
        #expect(calls.new == 1)
        calls.observation.stop(about: "nmae")
        #expect(calls.observation.unresolvedPaths == ["plain.name"])
        calls.observation.stop()
        #expect(calls.observation.unresolvedPaths == [])
    }

    /// Stored without a wrapper, or computed of that.
    @Test func KP_12_typed_components_that_are_no_observable_property() {
        let thing = Thing()
        for path in [
            \.plain as TypedPath<Thing>, \.plainChild?.name, \.hidden,
        ] {
            let calls = Calls(thing, path)
            #expect(calls.observation.unresolvedPaths.count == 1)
            #expect(!calls.observation.hasEnded)
            thing.name += "a"
            thing.plain += 1
            thing.plainChild = Thing()
            #expect(calls.new == 0)
            calls.observation.stop(about: path, of: thing)
            #expect(calls.observation.hasEnded)
        }
    }

    /// Below the first element such a one wires nothing, in both spellings.
    @Test func KP_11_KP_12_below_the_first_element() {
        let thing = Thing()
        let typed = Calls(thing, \.child?.plain, \.child?.plainChild?.name)
        let text = Calls(thing, "child.plain", "child.plainChild.name")
        thing.child = Thing()
        #expect(typed.new == 0 && text.new == 0)
        thing.child?.plain = 1
        #expect(typed.new == 0 && text.new == 0)
    }

    @Test func KP_12_each_is_reported_once() async {
        await #expect(processExitsWith: .success) {
            let reports = Reports()
            ObservationDiagnostics.setHandler { reports.add($0) }
            let (thing, observer) = (Thing(), Thing())
            let before = ObservationCounters.current.diagnostics
            thing.tell(observer, when: \.[text: "nmae"], on: .main, label: "text") { _, _ in }
            precondition(reports.all == ["nmae [text]"], "\(reports.all)")
            thing.tell(observer, when: \.plain, on: .main, label: "typed") { _, _ in }
            precondition(reports.all.count == 2, "\(reports.all)")
            precondition(reports.all[1].hasSuffix("plain [typed]"), "\(reports.all)")
            thing.tell(observer, when: \.hidden, on: .main, label: "computed") { _, _ in }
            precondition(reports.all.count == 3, "\(reports.all)")
            precondition(ObservationCounters.current.diagnostics == before + 3)
            thing.name = "a"
            thing.tell(observer, when: \.[text: "name"], on: .main) { _, _ in }
            precondition(reports.all.count == 3, "\(reports.all)")
        }
    }

    @Test func KP_12_checking_by_the_declared_types() throws {
        try TextPath(parsing: "child.child.name").validate(for: Thing.self)
        try TextPath(parsing: "child.*").validate(for: Thing.self)
        let error = #expect(throws: ObservationError.self) {
            try TextPath(parsing: "child.nmae").validate(for: Thing.self)
        }
        #expect(error?.kind == .unknown && error?.path == "child.nmae")
        #expect(throws: ObservationError.self) {
            try TextPath(parsing: "plain").validate(for: Thing.self)
        }
        #expect(throws: ObservationError.self) {
            try TextPath(parsing: "name.length").validate(for: Thing.self)
        }
    }
}
