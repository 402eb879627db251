// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// The trace is of the process, so each test has one of its own.

private final class Meter: ObservableModel {
    @Observed var traced = 0
    @Observed var inner: Meter?
    @Computed({ (meter: Meter) in meter.traced / 10 }) var tens: Int
}

/// The lines from here on.
private func traceLines() -> Shared<[String]> {
    let lines = Shared<[String]>([])
    ObservationTrace.setHandler { line in lines.change { $0.append(line) } }
    return lines
}

/// Those that name a label.
private func about(_ label: String, _ lines: Shared<[String]>) -> [String] {
    lines.value.filter { $0.contains("\"\(label)\"") }
}

/// Whether the last set is made by the call of this label.
private func setInsideOfACall(of label: String, _ lines: [String]) -> Bool {
    guard let change = lines.lastIndex(where: { $0.contains(" traced changed") }) else {
        return false
    }
    let calls = lines[..<change].filter { $0.contains(": call: #") || $0.contains(": return: #") }
    guard let call = calls.last else { return false }
    return call.contains(": call: #") && call.contains("\"\(label)\"")
}

@Suite struct TraceTests {
    @Test func DB_4_each_set_and_each_block_that_is_due_is_told() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let meter = Meter()
            let token = meter.changes(of: \.traced).on(loop).named("meter").onChange { _ in }
            let lines = traceLines()
            withObservationCause { meter.traced = 3 }
            meter.traced = 3
            meter.traced = 4
            _ = loop.drain()
            ObservationTrace.setHandler(nil)
            meter.traced = 5
            let told = lines.value
            #expect(told.count == 9)
            #expect(told[0].contains(": Meter 0x") && told[0].contains(" traced changed ("))
            #expect(told[0].contains("TraceTests.swift:"))
            #expect(told[1].contains(": due: #") && told[1].contains(" \"meter\" traced ("))
            #expect(told[1].contains(", by Meter 0x") && told[1].hasSuffix(")"))
            #expect(told[2].hasSuffix(" traced set, equal"))
            #expect(told[3].hasSuffix(" traced changed"))
            #expect(told[4].contains(": coalesced: #") && told[4].hasSuffix(" traced"))
            #expect(told[5].hasSuffix(": drain"))
            #expect(told[6].contains(": call: #") && told[6].contains("\"meter\" traced ("))
            #expect(told[7].contains(": return: #"))
            #expect(told[8].hasSuffix(": drained: 1 called"))
            withExtendedLifetime(token) {}
        }
    }

    @Test func DB_4_a_set_that_nobody_observes_is_told_and_an_equal_one_too() async {
        await #expect(processExitsWith: .success) {
            let lines = traceLines()
            let meter = Meter()
            meter.traced = 5
            meter.traced = 5
            #expect(lines.value.count == 2)
            #expect(lines.value[0].hasSuffix(" traced changed"))
            #expect(lines.value[1].hasSuffix(" traced set, equal"))
        }
    }

    @Test func DB_4_the_cause_behind_a_computed_property_is_the_one_that_was_set() async {
        await #expect(processExitsWith: .success) {
            let meter = Meter()
            let loop = DeliveryLoop()
            let token = meter.changes(of: \.tens).on(loop).named("tens").onChange { _ in }
            let lines = traceLines()
            meter.traced = 50
            _ = loop.drain()
            meter.traced = 51
            _ = loop.drain()
            let told = about("tens", lines)
            try #require(told.count == 5)
            #expect(told[0].contains(": due perhaps: #") && told[0].hasSuffix(" traced"))
            #expect(told[1].contains(": call: #") && told[2].contains(": return: #"))
            #expect(told[3].contains(": due perhaps: #"))
            #expect(told[4].contains(": not called: #"))
            withExtendedLifetime(token) {}
        }
    }

    @Test func DB_4_what_a_binder_sets_stands_inside_its_call() async {
        await #expect(processExitsWith: .success) {
            let meter = Meter()
            let other = Meter()
            let loop = DeliveryLoop()
            let binder = bind(meter, \.traced, other, \.traced, on: loop, label: "binder")
            let token = other.changes(of: \.traced).on(loop).named("other").onChange { _ in }
            while loop.drain() > 0 {}
            let lines = traceLines()
            meter.traced = 5
            while loop.drain() > 0 {}
            #expect(setInsideOfACall(of: "binder", lines.value))
            #expect(about("other", lines).first?.contains(": due: #") == true)
            withExtendedLifetime((binder, token)) {}
        }
    }

    @Test func DB_4_a_token_that_nobody_keeps_is_told_and_one_that_was_cancelled_is_not() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let meter = Meter()
            let lines = traceLines()
            _ = meter.changes(of: \.traced).on(loop).named("lost").onChange { _ in }
            let token = meter.changes(of: \.traced).on(loop).named("kept").onChange { _ in }
            token.cancel()
            #expect(about("lost", lines).count == 1)
            #expect(about("lost", lines).first?.contains(": token let go of: #") == true)
            #expect(about("kept", lines).isEmpty)
        }
    }

    @Test func DB_4_a_computation_is_told() async {
        await #expect(processExitsWith: .success) {
            let meter = Meter()
            let lines = traceLines()
            _ = (meter.tens, meter.tens)
            #expect(lines.value.count == 2)
            #expect(lines.value.first?.contains(": evaluate: Meter 0x") == true)
            #expect(lines.value.first?.hasSuffix(" tens") == true)
            #expect(lines.value.last?.hasSuffix(": evaluated") == true)
        }
    }

    @Test func DB_4_a_file_that_cannot_be_made_is_refused() async {
        await #expect(processExitsWith: .success) {
            let error = #expect(throws: ObservationError.self) {
                try ObservationTrace.write(to: "/nowhere/trace.json")
            }
            #expect(error?.message == "the trace file /nowhere/trace.json cannot be made")
            #expect(throws: Never.self) { try ObservationTrace.write(to: nil) }
        }
    }

    @Test func DB_3_without_a_debugger_a_break_point_does_nothing_and_ends_by_its_handle() async {
        await #expect(processExitsWith: .success) {
            let meter = Meter()
            meter.inner = Meter()
            let handle = meter.changes(of: \.inner?.traced).named("zip").debugBreakOnChange()
            let entries = ObservationInspector(meter).observers
            #expect(entries.contains { $0.label == "zip" && $0.isImmediate })
            let lines = traceLines()
            meter.inner?.traced = 7
            meter.inner = nil
            // Due, called and returned from, twice.
            #expect(about("zip", lines).count == 6)
            handle.stop()
            #expect(ObservationInspector(meter).observers.isEmpty)
        }
    }

    @Test func DB_3_a_label_to_break_before_may_be_too_long() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[String]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report.text) }
            }
            ObservationTrace.breakBeforeCall("a label")
            ObservationTrace.breakBeforeCall(nil)
            #expect(reports.value.isEmpty)
            ObservationTrace.breakBeforeCall(
                """
                a label of more than a hundred and twenty-seven bytes is not taken, since the place \
                where it is kept for all threads has so many and no more
                """)
            #expect(reports.value == ["a label to break before has at most 127 bytes"])
        }
    }
}
