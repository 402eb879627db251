// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ObservableSwift
import Testing

@Suite struct PipeTests {
    private let loop = DeliveryLoop()
    private let user = PipeUser()
    private let label = PipeLabel()

    // MARK: - What flows

    @Test func BI_2_BI_8_a_pipe_flows_once_it_is_started_with_the_present_value_first() {
        let pipe = user.values(of: \.first).on(loop)
        user.first = "Bea"
        loop.settle()
        #expect(label.text == "")
        #expect(user.numberOfObservers(of: "first") == 0)
        let binder = pipe.assign(to: \.text, of: label)
        #expect(label.text == "Bea")
        user.first = "Cay"
        user.first = "Dee"
        #expect(label.text == "Bea")
        loop.settle()
        #expect(label.text == "Dee")
        #expect(binder.failure == nil)
        binder.cancel()
        user.first = "Eve"
        loop.settle()
        #expect(label.text == "Dee")
    }

    @Test func BI_2_steps_come_in_any_order() {
        user.address = PipeAddress()
        let binder = user.values(of: \.address?.zipCode).on(loop)
            .compactMap { $0 }
            .filter { $0.count == 5 }
            .map { $0.dropFirst(2) }
            .filter { $0.first != "9" }
            .map { "zip \($0)" }
            .assign(to: \.text, of: label) { $0.layout() }
        #expect(label.text == "zip 115")
        #expect(label.layouts == 1)
        user.address?.zipCode = "1011"
        loop.settle()
        #expect(label.text == "zip 115")
        user.address?.zipCode = "10999"
        loop.settle()
        #expect(label.text == "zip 115")
        #expect(label.layouts == 1)
        user.address?.zipCode = "10435"
        loop.settle()
        #expect(label.text == "zip 435")
        #expect(label.layouts == 2)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_the_step_after_the_update_finds_the_target_set() {
        var seen: [String] = []
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: label) { seen.append($0.text) }
        #expect(seen == ["Ann"])
        user.first = "Ann"
        loop.settle()
        #expect(seen == ["Ann", "Ann"])
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_what_cannot_be_made_does_not_pass() {
        user.first = "17"
        let binder = user.values(of: \.first).on(loop)
            .compactMap { $0 }
            .compactMap { Int($0) }
            .assign(to: \.number, of: label)
        #expect(label.number == 17)
        user.first = "seventeen"
        loop.settle()
        #expect(label.number == 17)
        user.first = "18"
        loop.settle()
        #expect(label.number == 18)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_a_transformer_is_a_step() {
        struct Words {
            func transform(_ value: Int) -> String { "\(value) years" }
        }
        let binder = user.values(of: \.age).on(loop)
            .compactMap { $0 }
            .map { Words().transform($0) }
            .assign(to: \.text, of: label)
        #expect(label.text == "30 years")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_nil_passes_the_steps_by() {
        var steps = 0
        let count = { (zip: String) in
            steps += 1
            return zip
        }
        let binders = [
            user.values(of: \.address?.zipCode).on(loop)
                .map { $0.map(count) }
                .assign(to: \.hint, of: label),
            user.values(of: \.address?.zipCode).on(loop)
                .compactMap { $0 }
                .compactMap(count)
                .filter { !$0.isEmpty }
                .assign(to: \.text, of: label),
        ]
        #expect(steps == 0)
        let address = PipeAddress()
        user.address = address
        loop.settle()
        #expect(label.hint == "10115")
        #expect(label.text == "10115")
        #expect(steps == 2)
        address.zipCode = nil
        loop.settle()
        #expect(label.hint == nil)
        #expect(label.text == "10115")
        #expect(steps == 2)
        withExtendedLifetime(binders) {}
    }

    @Test func BI_2_a_value_may_stand_for_what_is_not_there() {
        let binders = [
            user.values(of: \.address?.zipCode).on(loop)
                .map { code in code.map { "zip \($0)" } ?? "none" }
                .assign(to: \.text, of: label),
            user.values(of: \.address?.zipCode).on(loop).replaceUnreachable(with: "?")
                .map { "zip \($0)" }
                .filter { $0 != "zip 0" }
                .assign(to: \.hint, of: label),
        ]
        #expect(label.text == "none")
        #expect(label.hint == "zip ?")
        let address = PipeAddress()
        user.address = address
        loop.settle()
        #expect(label.text == "zip 10115")
        #expect(label.hint == "zip 10115")
        address.zipCode = nil
        loop.settle()
        #expect(label.text == "none")
        #expect(label.hint == "zip ?")
        address.zipCode = "0"
        loop.settle()
        #expect(label.text == "zip 0")
        #expect(label.hint == "zip ?")
        withExtendedLifetime(binders) {}
    }

    @Test func BI_2_a_computed_property_flows() {
        let binder = user.values(of: \.name).on(loop)
            .compactMap { $0 }
            .map { "<\($0)>" }
            .assign(to: \.text, of: label)
        #expect(label.text == "<Ann Bee>")
        user.last = "Cox"
        loop.settle()
        #expect(label.text == "<Ann Cox>")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_a_target_that_is_not_there_is_set_when_it_comes() {
        var afters = 0
        let binder = user.values(of: \.first).on(loop)
            .compactMap { $0 }
            .filter { $0 != "Nobody" }
            .map { "<\($0)>" }
            .assign(to: \.detail?.text, of: label) { _ in afters += 1 }
        #expect(afters == 0)
        user.first = "Bea"
        loop.settle()
        #expect(afters == 0)
        let detail = PipeLabel()
        label.detail = detail
        loop.settle()
        #expect(detail.text == "<Bea>")
        #expect(afters == 1)
        let other = PipeLabel()
        label.detail = other
        loop.settle()
        #expect(other.text == "<Bea>")
        user.first = "Nobody"
        loop.settle()
        let last = PipeLabel()
        label.detail = last
        loop.settle()
        #expect(other.text == "<Bea>")
        // What the source is now does not pass.
        #expect(last.text == "")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_a_value_that_stays_the_same_sets_each_target() {
        let first = PipeLabel(), second = PipeLabel()
        let binder = user.values(of: \.first).compactMap { $0 }.removeDuplicates().on(loop)
            .assign(to: \.detail?.text, of: label)
        label.detail = first
        loop.settle()
        #expect(first.text == "Ann")
        label.detail = second
        loop.settle()
        #expect(second.text == "Ann")
        second.text = "later"
        user.first = "Ann"
        loop.settle()
        #expect(second.text == "later")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_what_the_target_was_set_to_later_stays() {
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: label)
        user.first = "Bea"
        label.text = "later"
        loop.settle()
        #expect(label.text == "later")
        withExtendedLifetime(binder) {}
    }

    // MARK: - Rings

    @Test func BI_2_a_pipe_from_an_object_to_itself_flows() {
        let binder = label.values(of: \.text).on(loop)
            .compactMap { $0 }
            .map { "<\($0)>" }
            .assign(to: \.hint, of: label)
        label.text = "a"
        loop.settle()
        #expect(label.hint == "<a>")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_a_ring_of_pipes_settles_whatever_its_functions_make() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let labels = (0..<5).map { _ in PipeLabel() }
            var ring = (0..<5).map { i in
                labels[i].values(of: \.number).on(loop)
                    .compactMap { $0 }
                    .filter { $0 < 100 }
                    .assign(to: \.number, of: labels[(i + 1) % 5])
            }
            labels[2].number = 7
            labels[4].number = 8
            loop.settle()
            #expect(labels.map(\.number) == [8, 8, 8, 8, 8])
            labels[0].number = 100
            loop.settle()
            #expect(labels.map(\.number) == [100, 8, 8, 8, 8])
            #expect(reports.value.isEmpty)
            ring[4] = labels[4].values(of: \.number).on(loop).named("grows")
                .compactMap { $0 }
                .map { $0 + 1 }
                .assign(to: \.number, of: labels[0])
            loop.settle()
            labels[0].number = 20
            loop.settle()
            #expect(labels.map(\.number) == [20, 20, 20, 20, 20])
            #expect(reports.value.isEmpty)
            withExtendedLifetime(ring) {}
        }
    }

    // MARK: - Ends

    @Test func BI_2_a_description_may_be_started_again_and_keeps_nobody() {
        let died = Shared(0)
        var owner: PipeUser? = PipeUser(probe: Probe(died))
        let pipe = owner!.values(of: \.first).on(loop).compactMap { $0 }.map { "<\($0)>" }
        let binders = (0..<2).map { [label] _ in pipe.assign(to: \.text, of: label) }
        #expect(binders[0] != binders[1])
        binders[0].cancel()
        owner!.first = "Bea"
        loop.settle()
        #expect(label.text == "<Bea>")
        #expect(!binders[1].hasEnded)
        owner = nil
        loop.settle()
        #expect(died.value == 1)
        #expect(binders[1].hasEnded)
        let late = pipe.assign(to: \.text, of: label)
        #expect(late.failure?.kind == .ended)
    }

    @Test func BI_2_two_that_are_one_agree() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared(0)
            ObservationDiagnostics.setHandler { _ in reports.change { $0 += 1 } }
            let loop = DeliveryLoop()
            let user = PipeUser()
            let label = PipeLabel()
            let pipe = user.values(of: \.first).on(loop).compactMap { $0 }.map { "<\($0)>" }
            let binders = (0..<2).map { _ in pipe.assign(to: \.text, of: label) }
            user.first = "Bea"
            loop.settle()
            #expect(label.text == "<Bea>")
            #expect(reports.value == 0)
            withExtendedLifetime(binders) {}
        }
    }

    @Test func BI_2_it_ends_with_its_token_or_with_either_object_in_any_order() {
        let died = Shared(0)
        for order in 0..<6 {
            var source: PipeUser? = PipeUser(probe: Probe(died))
            var target: PipeLabel? = PipeLabel(probe: Probe(died))
            let probe = Probe(died)
            var binder: ObservationToken? = source!.values(of: \.first).on(loop)
                .compactMap { $0 }
                .filter { _ in
                    probe.stay()
                    return true
                }
                .assign(to: \.text, of: target!) { _ in probe.stay() }
            source!.first = "on its way"
            withExtendedLifetime(binder) {}
            var steps = [0, 1, 2]
            let first = steps.remove(at: order % 3)
            if order >= 3 { steps.reverse() }
            for step in [first] + steps {
                switch step {
                case 0: binder = nil
                case 1: source = nil
                default: target = nil
                }
            }
            loop.settle()
        }
        #expect(died.value == 18)
    }

    @Test func BI_2_a_source_that_dies_while_its_value_is_on_the_way_has_sent_it() {
        let died = Shared(0)
        var source: PipeUser? = PipeUser(probe: Probe(died))
        let binder = source!.values(of: \.first).on(loop)
            .assign(to: \.text, of: label)
        source!.first = "last"
        source = nil
        #expect(died.value == 0)
        loop.settle()
        #expect(label.text == "last")
        #expect(died.value == 1)
        #expect(binder.hasEnded)
    }

    @Test func BI_8_LT_2_a_source_that_dies_before_the_first_value_has_come_has_sent_it() {
        let died = Shared(0)
        let queue = DispatchQueue(label: "first value")
        queue.suspend()
        var source: PipeUser? = PipeUser(probe: Probe(died))
        let binder = source!.values(of: \.first).on(DeliveryLoop(queue: queue))
            .assign(to: \.text, of: label)
        source = nil
        #expect(died.value == 1)
        #expect(label.text == "")
        queue.resume()
        queue.sync {}
        #expect(label.text == "Ann")
        #expect(binder.hasEnded)
        #expect(label.numberOfObservers(of: "text") == 0)
    }

    @Test func BI_2_a_target_that_dies_while_a_value_is_on_the_way_is_not_touched() {
        let died = Shared(0)
        var steps = 0
        var target: PipeLabel? = PipeLabel(probe: Probe(died))
        let binder = user.values(of: \.first).on(loop)
            .compactMap { $0 }
            .map { name in
                steps += 1
                return name
            }
            .assign(to: \.text, of: target!)
        loop.settle()
        steps = 0
        user.first = "Bea"
        target = nil
        #expect(died.value == 1)
        loop.settle()
        #expect(steps == 0)
        #expect(binder.hasEnded)
    }

    @Test func BI_2_a_pipe_may_end_inside_its_own_steps() {
        for step in 0..<3 {
            var binder: ObservationToken?
            let end = { (which: Int, value: String) in
                if which == step, value == "end" { binder = nil }
            }
            label.text = ""
            user.first = "begin"
            binder = user.values(of: \.first).on(loop)
                .compactMap { $0 }
                .filter { value in
                    end(0, value)
                    return true
                }
                .map { value in
                    end(1, value)
                    return value
                }
                .assign(to: \.text, of: label) { label in end(2, label.text) }
            user.first = "end"
            loop.settle()
            #expect(binder == nil)
            // A step behind the set comes too late.
            let last = step < 2 ? "begin" : "end"
            #expect(label.text == last)
            user.first = "more"
            loop.settle()
            #expect(label.text == last)
        }
    }

    @Test func BI_2_a_pipe_may_be_cut_off_inside_its_own_step() {
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: label) { label in label.cutOff(\.text) }
        #expect(label.text == "Ann")
        #expect(binder.hasEnded)
    }

    // MARK: - What goes wrong

    @Test func BI_2_a_step_that_throws_sets_nothing_and_is_told() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let user = PipeUser()
            let label = PipeLabel()
            let fails = { (name: String, step: String) throws in
                if name == step { throw Unwanted() }
            }
            let binder = user.values(of: \.first).on(loop).named("names")
                .compactMap { $0 }
                .filter {
                    try fails($0, "filter")
                    return true
                }
                .map {
                    try fails($0, "map")
                    return $0
                }
                .compactMap { name -> String? in
                    try fails(name, "compactMap")
                    return name
                }
                .assign(to: \.text, of: label) { try fails($0.text, "after") }
            for name in ["filter", "map", "compactMap"] {
                user.first = name
                loop.settle()
                #expect(label.text == "Ann")
            }
            user.first = "after"
            loop.settle()
            #expect(label.text == "after")
            #expect(reports.value.map(\.kind) == [.binder, .binder, .binder, .binder])
            #expect(reports.value.allSatisfy { $0.label == "names" && $0.line != nil })
            #expect(reports.value.allSatisfy { $0.text.contains("Unwanted") })
            user.first = "on"
            loop.settle()
            #expect(label.text == "on")
            withExtendedLifetime(binder) {}
        }
    }

    @Test func BI_2_what_cannot_flow_is_refused() {
        let constant = user.values(of: \.first).on(loop)
            .assign(to: \.fixed, of: label)
        #expect(constant.failure?.kind == .unsupportedElement)
        #expect(constant.hasEnded)
        let computed = label.values(of: \.text).on(loop)
            .assign(to: \.name, of: user)
        #expect(computed.failure?.kind == .unsupportedElement)
        let itself = label.values(of: \.text).on(loop)
            .compactMap { $0 }
            .map { $0 + "!" }
            .assign(to: \.text, of: label)
        #expect(itself.failure?.kind == .argument)
        let dead = PipeUser().values(of: \.first).on(loop)
            .assign(to: \.text, of: label)
        #expect(dead.failure?.kind == .ended)
        let undrained = user.values(of: \.first).on(DeliveryLoop())
            .assign(to: \.text, of: label)
        #expect(undrained.failure?.kind == .ended)
        #expect(user.numberOfObservers(of: "first") == 0)
    }

    // MARK: - Where it flows

    @Test func BI_2_what_is_refused_is_told_with_its_place() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let label = PipeLabel()
            let pipe = label.values(of: \.text, line: 7).on(.main).named("fixed")
            #expect(reports.value.isEmpty)
            let binder = pipe.assign(to: \.fixed, of: label)
            #expect(reports.value.map(\.kind) == [.refused])
            #expect(reports.value.map(\.error) == [binder.failure])
            #expect(reports.value.map(\.label) == ["fixed"])
            #expect(reports.value.map(\.line) == [7])
        }
    }

    @Test func BI_2_without_a_place_a_pipe_is_refused() {
        let nowhere = user.values(of: \.first)
            .compactMap { $0 }
            .map { $0 + "!" }
            .assign(to: \.text, of: label)
        #expect(nowhere.failure?.kind == .isolation)
    }

    @Test @MainActor func BI_2_in_an_isolation_a_pipe_flows_there() {
        var layouts = 0
        let user = PipeUser()
        let label = PipeLabel()
        let binder = user.values(of: \.first)
            .compactMap { $0 }
            .map { "<\($0)>" }
            .assign(to: \.text, of: label) { _ in layouts += 1 }
        #expect(label.text == "<Ann>")
        user.first = "Bea"
        DeliveryLoop.main.settle()
        #expect(label.text == "<Bea>")
        #expect(layouts == 2)
        let apart = user.values(of: \.first).on(DeliveryLoop(actor: Keeper()))
            .assign(to: \.text, of: label) { _ in layouts += 1 }
        #expect(apart.failure?.kind == .isolation)
        withExtendedLifetime(binder) {}
    }

    @Test @MainActor func BI_2_a_manual_loop_may_be_drained_in_the_isolation_of_a_step() {
        let user = PipeUser()
        let label = PipeLabel()
        var layouts = 0
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: label) { _ in layouts += 1 }
        user.first = "Bea"
        loop.settle()
        #expect(label.text == "Bea")
        #expect(layouts == 2)
        withExtendedLifetime(binder) {}
    }

    /// Here the step could not be called.
    @Test func BI_2_BI_8_the_first_value_waits_for_a_drain_in_the_isolation_of_a_step() async {
        let loop = loop
        let label = Handed(label)
        let layouts = Shared(0)
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: label.value) { @MainActor _ in layouts.change { $0 += 1 } }
        #expect(label.value.text == "")
        await MainActor.run { loop.settle() }
        #expect(label.value.text == "Ann")
        #expect(layouts.value == 1)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_in_an_actor_a_pipe_flows_on_its_loop() async {
        let keeper = Keeper()
        await keeper.begin()
        for _ in 0..<1000 where await keeper.text != "<Bea>" { await Task.yield() }
        #expect(await keeper.text == "<Bea>")
    }

    @Test func BI_2_a_source_that_the_step_after_the_update_sets_is_carried() {
        let binder = user.values(of: \.age).on(loop).assign(to: \.number, of: label) { [user] _ in
            if user.age > 60 { user.age = 60 }
        }
        user.age = 70
        loop.settle()
        #expect(user.age == 60)
        #expect(label.number == 60)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_2_a_pipe_flows_from_one_loop_to_another() {
        let other = DeliveryLoop()
        let binders = [
            user.values(of: \.first).on(other)
                .compactMap { $0 }
                .map { "<\($0)>" }
                .assign(to: \.text, of: label),
            label.values(of: \.text).on(loop)
                .compactMap { $0 }
                .map { "[\($0)]" }
                .assign(to: \.last, of: user),
        ]
        loop.settle()
        user.first = "Bea"
        loop.settle()
        #expect(user.last == "[<Ann>]")
        other.settle()
        #expect(label.text == "<Bea>")
        #expect(user.last == "[<Ann>]")
        loop.settle()
        #expect(user.last == "[<Bea>]")
        withExtendedLifetime(binders) {}
    }
}

private actor Keeper {
    private let user = PipeUser()
    private let label = PipeLabel()
    private var binder: ObservationToken?

    var text: String { label.text }

    func begin() {
        binder = user.values(of: \.first)
            .compactMap { $0 }
            .map { "<\($0)>" }
            .assign(to: \.text, of: label)
        user.first = "Bea"
    }
}
