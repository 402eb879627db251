// SPDX-License-Identifier: Apache-2.0
//
// BI-1: what a converter throws is told to `onFailure`, and taken back.

import Dispatch
import ObservableSwift
import Testing

private final class Person: ObservableModel {
    @Observed var age: Int? = 30
    @Observed var next: Person?
}

private final class Field: ObservableModel {
    @Observed var text = ""
    @Observed var note: String?
    @Observed var detail: Field?
}

private struct Failure: Error, Equatable {
    let value: String
}

/// Of a number below 0, and of a text that is no number, nothing is made.
private struct Decimal: ValueConverter {
    var isAsked: () -> Void = {}

    func convert(_ value: Int) throws -> String {
        isAsked()
        guard value >= 0 else { throw Failure(value: "\(value)") }
        return "\(value)"
    }

    func convertBack(_ value: String) throws -> Int {
        isAsked()
        guard let number = Int(value) else { throw Failure(value: value) }
        return number
    }
}

/// A block was told this: the value that failed, or nil.
private final class Told {
    var values: [String?] = []

    func note(_ error: (any Error)?) {
        values.append((error as? Failure)?.value)
    }

    func take() -> [String?] {
        defer { values = [] }
        return values
    }
}

@Suite struct BinderFailureTests {
    private let loop = DeliveryLoop()
    private let person = Person()
    private let field = Field()
    private let told = Told()

    private func drain() {
        while loop.drain() > 0 {}
    }

    private func bound(_ converter: Decimal = Decimal()) -> ObservationToken {
        bind(person, \.age, field, \.text, converting: converter, on: loop) { [told] in
            told.note($0)
        }
    }

    @Test func BI_1_an_error_is_told_and_nil_with_the_next_value_that_makes_none() {
        let binder = bound()
        #expect(field.text == "30" && told.take() == [])
        field.text = "x"
        drain()
        #expect(told.take() == ["x"])
        field.text = "y"
        drain()
        #expect(told.take() == ["y"] && person.age == 30 && field.text == "y")
        field.text = "31"
        drain()
        #expect(told.take() == [nil] && person.age == 31)
        field.text = "32"
        drain()
        #expect(told.take() == [] && person.age == 32)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_a_set_of_the_other_end_takes_an_error_back() {
        let binder = bound()
        field.text = "x"
        drain()
        person.age = 40
        drain()
        #expect(told.take() == ["x", nil] && field.text == "40")
        // An older value is not converted.
        field.text = "z"
        person.age = 41
        drain()
        #expect(told.take() == [] && field.text == "41")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_a_converter_may_throw_both_ways() {
        let binder = bound()
        person.age = -1
        drain()
        #expect(told.take() == ["-1"] && field.text == "30")
        field.text = "x"
        drain()
        #expect(told.take() == ["x"] && person.age == -1)
        person.age = 1
        drain()
        #expect(told.take() == [nil] && field.text == "1")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_BI_8_the_present_value_may_fail_as_the_binder_begins() {
        person.age = -1
        field.text = "as it was"
        let binder = bound()
        #expect(told.take() == ["-1"] && field.text == "as it was")
        #expect(binder.failure == nil && !binder.hasEnded)
        field.text = "7"
        drain()
        #expect(told.take() == [nil] && person.age == 7)
    }

    @Test func BI_1_in_a_batch_the_last_value_is_converted_behind_it() {
        var binder: ObservationToken?
        withObservationBatch {
            binder = bound()
            #expect(field.text == "30")
            field.text = "x"
            drain()
            #expect(told.take() == [])
            field.text = "y"
        }
        drain()
        #expect(told.take() == ["y"])
        withObservationBatch {
            field.text = "z"
            field.text = "5"
        }
        drain()
        #expect(told.take() == [nil] && person.age == 5)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_what_is_nil_or_leads_nowhere_takes_an_error_back() {
        let head = Field()
        head.detail = field
        let binder = bind(
            person, \.age, head, \.detail?.note, converting: Decimal(), on: loop
        ) { [told] in told.note($0) }
        field.note = "x"
        drain()
        field.note = nil
        drain()
        #expect(told.take() == ["x", nil] && person.age == nil)
        field.note = "y"
        drain()
        head.detail = nil
        drain()
        #expect(told.take() == ["y", nil])
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_nothing_is_told_behind_an_end() {
        var binder: ObservationToken? = bound()
        field.text = "x"
        binder?.cancel()
        drain()
        #expect(told.take() == [])
        // What was scheduled before an object's end is delivered still (LT-2).
        var other: Field? = Field()
        binder = bind(person, \.age, other!, \.text, converting: Decimal(), on: loop) {
            [told] in told.note($0)
        }
        other!.text = "y"
        other = nil
        drain()
        #expect(told.take() == ["y"] && binder!.hasEnded)
    }

    @Test func BI_1_a_block_may_end_its_binder_or_set_its_ends() {
        var binder: ObservationToken?
        binder = bind(person, \.age, field, \.text, converting: Decimal(), on: loop) {
            [field, told] error in
            told.note(error)
            if error == nil { binder = nil } else { field.text = "0" }
        }
        field.text = "x"
        drain()
        // The block's set came next: of that it was handed nil, has ended the binder, and nothing is set.
        #expect(told.take() == ["x", nil] && binder == nil)
        #expect(field.text == "0" && person.age == 30)
    }

    @Test func BI_1_a_block_goes_with_its_binder() {
        let died = Shared(0)
        for isFirst in [true, false] {
            let (person, probe) = (Person(), Probe(died))
            var field: Field? = Field()
            var binder: ObservationToken? = bind(
                person, \.age, field!, \.text, converting: Decimal(), on: loop
            ) { _ in probe.stay() }
            if isFirst { binder = nil } else { field = nil }
            drain()
            withExtendedLifetime((binder, field)) {}
        }
        #expect(died.value == 2)
    }

    @Test func BI_1_diagnostics_are_told_only_without_a_block() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[String]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report.text) }
            }
            let (loop, person, field) = (DeliveryLoop(), Person(), Field())
            let silent = bind(person, \.age, field, \.text, converting: Decimal(), on: loop) { _ in
            }
            field.text = "x"
            while loop.drain() > 0 {}
            #expect(reports.value == [])
            silent.cancel()
            let binder = bind(person, \.age, field, \.text, converting: Decimal(), on: loop)
            field.text = "y"
            while loop.drain() > 0 {}
            #expect(
                reports.value == [
                    "what makes the values of a binder has failed: \(Failure(value: "y"))"
                ])
            withExtendedLifetime(binder) {}
        }
    }

    @Test @MainActor func BI_1_TH_3_an_isolated_block_is_called_in_its_isolation() {
        let (person, field, told) = (Person(), Field(), Told())
        let binder = bind(person, \.age, field, \.text, converting: Decimal()) { error in
            MainActor.assertIsolated()
            told.note(error)
        }
        field.text = "x"
        DeliveryLoop.main.drain()
        #expect(told.take() == ["x"])
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_TH_3_a_block_of_another_isolation_than_a_loop_is_refused() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.setHandler { _ in }
            let (person, field) = (Person(), Field())
            let work = DeliveryLoop(queue: DispatchQueue(label: "work"))
            for (first, second) in [(work, nil), (.main, work), (work, .main)]
                as [(DeliveryLoop, DeliveryLoop?)]
            {
                let binder = bind(
                    person, \.age, field, \.text, converting: Decimal(), on: first, and: second
                ) { @MainActor @Sendable _ in }
                #expect(binder.failure?.kind == .isolation && binder.hasEnded)
            }
            #expect(field.text == "")
        }
    }
}
