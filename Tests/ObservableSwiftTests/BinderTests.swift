// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Synchronization
import Testing

private final class Place: ObservableModel {
    @Observed var city: String? = "here"
    @Observed var number = 1
}

private struct Frame: Equatable {
    var width = 0
    let depth = 3
}

private final class Person: ObservableModel {
    @Observed var name = "Ann"
    @Observed var nick: String?
    @Observed var age = 30
    @Observed var place: Place?
    @Observed var frame = Frame()
    var tens: Int { computed { age / 10 } }
}

private final class Label: ObservableModel {
    @Observed var text = ""
    @Observed var width = 0
    @Observed var detail: Label?
    let probe: Probe?

    init(probe: Probe? = nil) {
        self.probe = probe
    }
}

/// Counts its sets, each before it is stored.
private final class SetCounter: ObservableModel {
    @Observed var sets = 0
    @Observed var width = 0 {
        willSet { sets += 1 }
    }
}

private struct Tens: ValueConverter {
    func convert(_ value: Int) -> Int { value / 10 * 10 }
    func convertBack(_ value: Int) -> Int { value }
}

/// What is no number is refused.
private struct Decimal: ValueConverter {
    struct NoNumber: Error {}

    func convert(_ value: Int) -> String { "\(value)" }

    func convertBack(_ value: String) throws -> Int {
        guard let number = Int(value) else { throw NoNumber() }
        return number
    }
}

@Suite struct BinderTests {
    private let loop = DeliveryLoop()

    private func drain() {
        while loop.drain() > 0 {}
    }

    @Test func BI_1_BI_8_the_target_is_set_now_and_on_every_change() {
        let person = Person()
        let label = Label()
        let binder = person.values(of: \.name).on(loop)
            .assign(to: \.text, of: label)
        #expect(label.text == "Ann")
        person.name = "Bea"
        person.name = "Cay"
        #expect(label.text == "Ann")
        drain()
        #expect(label.text == "Cay")
        #expect(binder.failure == nil)
        binder.cancel()
        binder.cancel()
        person.name = "Dee"
        drain()
        #expect(label.text == "Cay")
        #expect(binder.hasEnded)
    }

    @Test func BI_1_a_source_that_leads_nowhere_leaves_the_target_or_fills_it() {
        let person = Person()
        let label = Label()
        let other = Label()
        label.text = "as it was"
        let binder = person.values(of: \.place?.city).on(loop)
            .assign(to: \.text, of: label)
        let filling = person.values(of: \.place?.city).on(loop).replaceUnreachable(with: "–")
            .assign(to: \.text, of: other)
        #expect(label.text == "as it was")
        #expect(other.text == "–")
        let place = Place()
        person.place = place
        drain()
        #expect(label.text == "here")
        #expect(other.text == "here")
        place.city = nil
        drain()
        #expect(label.text == "here")
        #expect(other.text == "–")
        withExtendedLifetime((binder, filling)) {}
    }

    @Test func BI_1_nil_is_carried_to_an_optional_property() {
        let person = Person()
        let other = Person()
        person.nick = "A"
        let binder = person.values(of: \.nick).on(loop)
            .assign(to: \.nick, of: other)
        #expect(other.nick == "A")
        person.nick = nil
        drain()
        #expect(other.nick == nil)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_a_function_or_a_transformer_makes_the_value() {
        let person = Person()
        let label = Label()
        let second = Label()
        let binders: Set<ObservationToken> = [
            person.values(of: \.age).on(loop)
                .compactMap { $0 }
                .map { "\($0) years" }
                .assign(to: \.text, of: label),
            person.values(of: \.age).on(loop)
                .compactMap { $0 }
                .map { Decimal().convert($0) }
                .assign(to: \.text, of: second),
            second.values(of: \.text).on(loop)
                .compactMap { $0 }
                .map { try Decimal().convertBack($0) }
                .assign(to: \.width, of: label),
        ]
        #expect(label.text == "30 years")
        person.age = 31
        drain()
        #expect(label.text == "31 years")
        #expect(second.text == "31")
        #expect(label.width == 31)
        withExtendedLifetime(binders) {}
    }

    @Test func BI_1_a_computed_property_is_a_source() {
        let person = Person()
        let label = Label()
        let binder = person.values(of: \.tens).on(loop)
            .assign(to: \.width, of: label)
        #expect(label.width == 3)
        person.age = 45
        drain()
        #expect(label.width == 4)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_the_target_may_lie_in_a_value_or_behind_an_object() {
        let person = Person()
        let label = Label()
        let binder = label.values(of: \.width).on(loop)
            .assign(to: \.frame.width, of: person)
        let through = person.values(of: \.name).on(loop)
            .assign(to: \.detail?.text, of: label)
        label.width = 7
        drain()
        #expect(person.frame.width == 7)
        person.name = "Eve"
        drain()
        let detail = Label()
        label.detail = detail
        drain()
        #expect(detail.text == "Eve")
        let next = Label()
        label.detail = next
        person.name = "Flo"
        drain()
        #expect(next.text == "Flo")
        #expect(detail.text == "Eve")
        withExtendedLifetime((binder, through)) {}
    }

    /// OB-1: it is kept and cancelled as any other, and has no call that could be scheduled.
    @Test func BI_1_OB_1_its_token_is_one_as_others_are() {
        let person = Person()
        let label = Label()
        var tokens: Set<ObservationToken> = [
            bind(person, \.name, label, \.text, on: loop),
            person.onChange(of: \.name, on: loop) { _ in },
        ]
        let binder = tokens.first { !$0.execute() }!
        binder.schedule()
        binder.makeImmediate()
        #expect(!binder.execute() && !binder.hasEnded && binder.unresolvedPaths == [])
        #expect(throws: ObservationError.self) { try binder.also(person, when: \.age) }
        #expect(person.numberOfObservers(of: "name") == 2)
        tokens = []
        #expect(person.numberOfObservers(of: "name") == 1 && !binder.hasEnded)
        #expect(!binder.cancelAndWait() && binder.hasEnded)
        #expect(person.numberOfObservers(of: "name") == 0)
    }

    @Test func BI_1_two_ways_the_newest_set_is_everywhere() {
        let person = Person()
        let label = Label()
        let binder = bind(person, \.name, label, \.text, on: loop)
        #expect(label.text == "Ann")
        label.text = "Bea"
        drain()
        #expect(person.name == "Bea")
        label.text = "older"
        person.name = "newer"
        drain()
        #expect(label.text == "newer")
        person.name = "older"
        label.text = "newer"
        drain()
        #expect(person.name == "newer")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_what_does_not_come_back_as_it_went_stays() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let person = Person()
            let label = Label()
            let binder = bind(
                person, \.age, label, \.text, converting: Decimal(), on: loop, label: "age")
            label.text = "044"
            while loop.drain() > 0 {}
            #expect(person.age == 44)
            #expect(label.text == "044")
            label.text = "old"
            while loop.drain() > 0 {}
            #expect(person.age == 44)
            #expect(label.text == "old")
            #expect(reports.value.map(\.kind) == [.binder])
            #expect(reports.value.map(\.label) == ["age"])
            withExtendedLifetime(binder) {}
        }
    }

    @Test func BI_1_a_ring_settles_whatever_its_functions_make() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let labels = (0..<10).map { _ in Label() }
            var ring = (0..<10).map { i in
                labels[i].values(of: \.width).on(loop)
                    .assign(to: \.width, of: labels[(i + 1) % 10])
            }
            labels[4].width = 1
            labels[7].width = 2
            labels[2].width = 3
            while loop.drain() > 0 {}
            #expect(labels.allSatisfy { $0.width == 3 })
            #expect(reports.value.isEmpty)
            ring.removeLast()
            ring.append(
                labels[9].values(of: \.width).on(loop)
                    .compactMap { $0 }
                    .map { $0 + 1 }
                    .assign(to: \.width, of: labels[0]))
            while loop.drain() > 0 {}
            labels[0].width = 20
            while loop.drain() > 0 {}
            #expect(labels.allSatisfy { $0.width == 20 })
            #expect(reports.value.isEmpty)
            withExtendedLifetime(ring) {}
        }
    }

    @Test func BI_1_a_binder_keeps_nobody_and_is_over_with_either_end() {
        let died = Shared(0)
        let person = Person()
        var label: Label? = Label(probe: Probe(died))
        let binder = person.values(of: \.name).on(loop)
            .assign(to: \.text, of: label!)
        drain()
        person.name = "Bea"
        label = nil
        #expect(died.value == 1)
        drain()
        #expect(binder.hasEnded)
        #expect(person.numberOfObservers(of: "name") == 0)
        let target = Label()
        var source: Label? = Label(probe: Probe(died))
        let other = source!.values(of: \.text).on(loop)
            .assign(to: \.text, of: target)
        drain()
        source = nil
        drain()
        #expect(died.value == 2)
        #expect(other.hasEnded)
    }

    @Test func BI_1_what_a_binder_captures_goes_with_it_in_any_order() {
        let died = Shared(0)
        for order in 0..<3 {
            var source: Person? = Person()
            var target: Label? = Label()
            let probe = Probe(died)
            var binder: ObservationToken? = source!.values(of: \.age).on(loop)
                .compactMap { $0 }
                .map { age in
                    probe.stay()
                    return age
                }
                .assign(to: \.width, of: target!)
            source!.age = 1
            withExtendedLifetime(binder) {}
            for step in 0..<3 {
                switch (order + step) % 3 {
                case 0: binder = nil
                case 1: source = nil
                default: target = nil
                }
            }
            drain()
        }
        #expect(died.value == 3)
    }

    @Test func BI_1_a_binder_may_end_inside_its_own_function() {
        let person = Person()
        let label = Label()
        var binder: ObservationToken?
        binder = person.values(of: \.age).on(loop)
            .compactMap { $0 }
            .map { age in
                if age == 2 { binder = nil }
                return age
            }
            .assign(to: \.width, of: label)
        person.age = 2
        drain()
        #expect(binder == nil)
        person.age = 3
        drain()
        #expect(label.width != 3)
    }

    @Test func BI_1_what_an_observer_of_the_target_sets_does_not_take_its_place() {
        let label = Label()
        let counting = SetCounter()
        let binders = [
            bind(label, \.width, counting, \.width, converting: Tens(), on: loop),
            counting.values(of: \.sets).on(loop)
                .compactMap { $0 }
                .map { "\($0)" }
                .assign(to: \.text, of: label),
        ]
        drain()
        label.width = 25
        drain()
        #expect(counting.width == 20)
        #expect(label.width == 25)
        #expect(label.text == "\(counting.sets)")
        withExtendedLifetime(binders) {}
    }

    @Test func BI_1_what_cannot_be_bound_is_refused() {
        let person = Person()
        let itself = person.values(of: \.name).on(loop)
            .assign(to: \.name, of: person)
        #expect(itself.failure?.kind == .argument)
        #expect(itself.hasEnded)
        let constant = person.values(of: \.age).on(loop)
            .assign(to: \.frame.depth, of: person)
        #expect(constant.failure?.kind == .unsupportedElement)
        let computed = person.values(of: \.age).on(loop)
            .assign(to: \.tens, of: person)
        #expect(computed.failure?.kind == .unsupportedElement)
        let beside = person.values(of: \.name).on(loop)
            .assign(to: \.nick, of: person)
        #expect(beside.failure == nil)
        #expect(person.nick == "Ann")
    }

    @Test @MainActor func BI_1_on_the_main_loop_unless_another_is_named() {
        let person = Person()
        let label = Label()
        let binder = person.values(of: \.name)
            .assign(to: \.text, of: label)
        #expect(label.text == "Ann")
        person.name = "Bea"
        DeliveryLoop.main.drain()
        #expect(label.text == "Bea")
        withExtendedLifetime(binder) {}
    }
}
