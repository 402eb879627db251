// SPDX-License-Identifier: Apache-2.0
//
// What is left of an object that should be gone (DB-7).

import ObservableSwift
import Testing

private final class Street: ObservableModel {
    @Observed var name = ""
}

private final class Person: ObservableModel {
    @Observed var street: Street?
    @Observed var age = 0
}

private final class Editor {}

/// The reports of an object that is held.
private func reports(of object: AnyObject?) -> [ObservationDiagnostics.Report] {
    let reports = Shared<[ObservationDiagnostics.Report]>([])
    ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
    #expect(debugAssertReleased(object) == (object == nil))
    ObservationDiagnostics.setHandler(nil)
    return reports.value
}

/// Here, since a test in a process of its own is all on one line.
private func observeAge(of person: Person, on loop: DeliveryLoop) -> (ObservationToken, Int) {
    (person.changes(of: \.age).on(loop).named("age").onChange { _ in }, #line)
}

/// In an optimised build of the package nothing is.
private var isToldOfWhatIsAlive: Bool {
    #if DEBUG
        true
    #else
        false
    #endif
}

@Suite struct ReleasedTests {
    @Test func DB_7_what_is_gone_is_not_told() async {
        await #expect(processExitsWith: .success) {
            var person: Person? = Person()
            weak let gone = person
            let token = person?.onChange(of: \.age) { _ in }
            person = nil
            #expect(reports(of: gone).isEmpty)
            withExtendedLifetime(token) {}
        }
    }

    @Test(.enabled(if: isToldOfWhatIsAlive))
    func DB_7_each_observation_of_what_is_alive_is_named() async {
        await #expect(processExitsWith: .success) {
            let person = Person()
            let street = Street()
            let other = Person()
            let editor = Editor()
            let loop = DeliveryLoop()
            person.street = street
            person.tell(editor, when: \.street?.name, on: loop, label: "title") { _, _ in }
            let (token, line) = observeAge(of: person, on: loop)
            let elsewhere = other.onChange(of: \.age, on: loop) { _ in }
            person.age = 1

            let ofPerson = reports(of: person)
            #expect(ofPerson.count == 3)
            #expect(ofPerson.first?.text.hasSuffix("`Person`, with 2 observations") == true)
            #expect(ofPerson.first?.file?.hasSuffix("ReleasedTests.swift") == true)
            let title = ofPerson.first { $0.label == "title" }
            #expect(title?.path == "street.name")
            #expect(title?.text == "`Person` is alive, and it is observed")
            let age = ofPerson.first { $0.label == "age" }
            #expect(age?.text.hasSuffix("a call that is scheduled keeps both ends") == true)
            #expect(age?.line == line)

            let ofStreet = reports(of: street)
            #expect(ofStreet.count == 2)
            #expect(ofStreet.last?.text == "`Street` is alive, and a path leads through it")
            #expect(ofStreet.last?.path == "street.name")

            let ofEditor = reports(of: editor)
            #expect(ofEditor.count == 2)
            #expect(ofEditor.last?.text == "`Editor` is alive, and it observes")
            #expect(ofEditor.last?.label == "title")

            loop.drain()
            #expect(reports(of: person).allSatisfy { !$0.text.contains("scheduled") })
            withExtendedLifetime((token, elsewhere)) {}
        }
    }

    @Test(.enabled(if: isToldOfWhatIsAlive))
    func DB_7_an_object_that_nothing_is_known_of_is_alive_all_the_same() async {
        await #expect(processExitsWith: .success) {
            let stranger = Editor()
            let ofStranger = reports(of: stranger)
            #expect(
                ofStranger.map(\.text) == [
                    "an object that should be gone is alive: `Editor`, with 0 observations"
                ])
        }
    }
}
