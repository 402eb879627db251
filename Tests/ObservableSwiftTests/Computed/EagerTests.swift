// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private final class Sheet: ObservableModel {
    @Observed var number = 1
    @Observed var other: Sheet?
    @Eager({ (sheet: Sheet) in sheet.made(sheet.number / 10) }) var tens: Int
    @Eager(Sheet.makeBeyond) var beyond: Int?

    var evaluations = 0

    func made(_ value: Int) -> Int {
        evaluations += 1
        return value
    }

    private func makeBeyond() -> Int? { other?.tens }
}

/// What its functions look at is plain, so that only what is declared tells of it.
private final class Declaring: ObservableModel {
    @Observed var number = 1
    @Eager(Declaring.makePlain, dependsOn: \.number) var byPath: Int
    @Eager({ (sheet: Declaring) in sheet.plain }, dependsOn: \.[text: "number"]) var byText: Int
    @Eager(loader: Declaring.load, dependsOn: \.number) var loaded = ""
    @Eager(loader: Declaring.loadNumber) var read = 0

    var plain = 0

    private func makePlain() -> Int { plain }
    private func load(_ property: String) -> Any? { "\(plain) \(property)" }
    private func loadNumber(_ property: String) -> Any? { number }
}

@Suite struct EagerTests {
    @Test func LL_3_an_eager_property_is_computed_by_the_change() {
        let sheet = Sheet()
        sheet.number = 5
        #expect(sheet.evaluations == 0)
        #expect(sheet.tens == 0 && sheet.evaluations == 1)
        sheet.number = 25
        #expect(sheet.evaluations == 2 && sheet.computedProperties.valid == ["tens"])
        #expect(sheet.tens == 2 && sheet.evaluations == 2)
        sheet.computedProperties.invalidate(\.tens)
        #expect(sheet.evaluations == 3)
        sheet.tens = 7
        #expect(sheet.tens == 7 && sheet.evaluations == 3)
        sheet.number = 30
        #expect(sheet.tens == 3 && sheet.evaluations == 4)
    }

    @Test func LL_2_LL_6_an_eager_property_declares_and_is_loaded() {
        let sheet = Declaring()
        #expect(sheet.byPath == 0 && sheet.byText == 0)
        #expect(sheet.loaded == "0 loaded" && sheet.read == 1)
        sheet.plain = 5
        sheet.number = 2
        sheet.plain = 6
        #expect(sheet.byPath == 5 && sheet.byText == 5)
        #expect(sheet.loaded == "5 loaded" && sheet.read == 2)
        #expect(sheet.computedProperties.invalid == [])
    }

    @Test func LL_4_an_eager_property_that_was_set_follows_what_it_declares() {
        let sheet = Declaring()
        sheet.byPath = 9
        sheet.plain = 5
        #expect(sheet.byPath == 9)
        sheet.number = 2
        sheet.plain = 6
        #expect(sheet.byPath == 5)
    }

    @Test func LL_14_an_eager_property_through_another_object() {
        let sheet = Sheet()
        let other = Sheet()
        #expect(sheet.beyond == nil)
        let beyond = BothSpellings(sheet, "beyond", \.beyond)
        sheet.other = other
        #expect(other.evaluations == 1)
        other.number = 11
        #expect(other.evaluations == 2)
        #expect(beyond.new == 1 && sheet.beyond == 1)
        other.number = 12
        #expect(beyond.new == 0)
    }
}
