// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct ConvergeTests {
    private let loop = DeliveryLoop()
    private let user = PipeUser()
    private let label = PipeLabel()

    @Test func BI_3_BI_8_several_sources_become_one_value_once_a_cycle() {
        let other = PipeLabel()
        other.number = 5
        var calls = 0
        let binder = user.values(of: \.first).compactMap { $0 }
            .combined(
                with: user.values(of: \.last).compactMap { $0 },
                other.values(of: \.number).compactMap { $0 }
            ) { first, last, number in
                calls += 1
                return "\(first) \(last) \(number + 1)"
            }.on(loop)
            .assign(to: \.text, of: label)
        #expect(label.text == "Ann Bee 6")
        #expect(calls == 1)
        user.first = "Cay"
        user.last = "Dee"
        other.number = 6
        user.first = "Eve"
        loop.settle()
        #expect(label.text == "Eve Dee 7")
        #expect(calls == 2)
        other.number = 7
        loop.settle()
        #expect(label.text == "Eve Dee 8")
        binder.cancel()
        other.number = 9
        loop.settle()
        #expect(label.text == "Eve Dee 8")
        #expect(user.numberOfObservers(of: "last") == 0)
    }

    @Test func BI_3_one_property_of_each_of_several_objects() {
        let users = (1...4).map { age in
            let user = PipeUser()
            user.age = age
            return user
        }
        let binder = users.map { $0.values(of: \.age).compactMap { $0 } }.combined()
            .map { $0.reduce(0, +) }.on(loop)
            .filter { $0 < 100 }
            .assign(to: \.number, of: label)
        #expect(label.number == 10)
        users[1].age = 20
        users[3].age = 40
        loop.settle()
        #expect(label.number == 64)
        users[0].age = 1000
        loop.settle()
        #expect(label.number == 64)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_3_steps_follow_the_function() {
        let binder = user.values(of: \.age).compactMap { $0 }
            .combined(with: user.values(of: \.first).compactMap { $0 }) {
                age, first in "\(first) is \(age)"
            }.on(loop)
            .filter { !$0.hasSuffix("13") }
            .assign(to: \.hint, of: label) { $0.layout() }
        user.age = 13
        loop.settle()
        #expect(label.hint == "Ann is 30")
        #expect(label.layouts == 1)
        withExtendedLifetime(binder) {}
    }

    @Test func BI_3_the_function_is_called_when_all_have_a_value() {
        var calls = 0
        let pipe = user.values(of: \.first).compactMap { $0 }.combined(
            with: user.values(of: \.nick).compactMap { $0 },
            user.values(of: \.address?.floor).compactMap { $0 }
        ) { first, nick, floor in
            calls += 1
            return "\(first) \(nick) \(floor)"
        }.on(loop)
        label.text = "as it was"
        let binder = pipe.assign(to: \.text, of: label)
        #expect(label.text == "as it was")
        user.nick = "A"
        loop.settle()
        #expect(calls == 0)
        user.address = PipeAddress()
        loop.settle()
        #expect(label.text == "Ann A 1")
        user.nick = nil
        loop.settle()
        #expect(label.text == "Ann A 1")
        #expect(calls == 1)
        withExtendedLifetime(binder) {}
    }

    /// Both come from one set, the second by another loop.
    @Test func BI_3_what_comes_on_two_ways_is_whole_at_the_end() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared(0)
            ObservationDiagnostics.setHandler { _ in reports.change { $0 += 1 } }
            let loop = DeliveryLoop()
            let other = DeliveryLoop()
            let user = PipeUser()
            let (left, right) = (PipeLabel(), PipeLabel())
            let (label, last) = (PipeLabel(), PipeLabel())
            let binders = [
                user.values(of: \.first).on(loop)
                    .assign(to: \.text, of: left),
                user.values(of: \.first).on(other)
                    .assign(to: \.text, of: right),
                left.values(of: \.text).compactMap { $0 }
                    .combined(with: right.values(of: \.text).compactMap { $0 }) { $0 + $1 }.on(loop)
                    .assign(to: \.text, of: label),
                label.values(of: \.text).on(loop)
                    .compactMap { $0 }
                    .map { "<\($0)>" }
                    .assign(to: \.text, of: last) { $0.layout() },
            ]
            loop.settle()
            user.first = "B"
            loop.settle()
            #expect(label.text == "BAnn")
            #expect(last.text == "<BAnn>")
            other.settle()
            loop.settle()
            #expect(label.text == "BB")
            #expect(last.text == "<BB>")
            #expect(last.layouts == 3)
            #expect(reports.value == 0)
            withExtendedLifetime(binders) {}
        }
    }

    @Test func BI_3_a_target_that_is_not_there_is_set_when_it_comes() {
        let binder = user.values(of: \.first).compactMap { $0 }
            .combined(with: user.values(of: \.last).compactMap { $0 }) { $0 + $1 }.on(loop)
            .assign(to: \.detail?.text, of: label)
        user.last = "Cox"
        loop.settle()
        let detail = PipeLabel()
        label.detail = detail
        loop.settle()
        #expect(detail.text == "AnnCox")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_3_it_is_over_with_any_of_its_objects_in_any_order() {
        let died = Shared(0)
        for order in 0..<4 {
            var objects: [PipeUser?] = (0..<3).map { _ in PipeUser(probe: Probe(died)) }
            let probe = Probe(died)
            var binder: ObservationToken? = objects[1]!.values(of: \.first).compactMap { $0 }
                .combined(with: objects[2]!.values(of: \.last).compactMap { $0 }) {
                    probe.stay()
                    return $0 + $1
                }.on(loop)
                .assign(to: \.first, of: objects[0]!)
            objects[1]!.first = "on its way"
            objects[2]!.last = "on its way"
            for i in 0..<4 {
                let which = (order + i) % 4
                if which == 3 { binder = nil } else { objects[which] = nil }
                if i == 0, let binder {
                    loop.settle()
                    #expect(binder.hasEnded)
                }
            }
            loop.settle()
        }
        #expect(died.value == 16)
    }

    @Test func BI_3_LT_2_a_source_that_dies_while_values_are_on_the_way_has_sent_them() {
        let died = Shared(0)
        var source: PipeUser? = PipeUser(probe: Probe(died))
        let binder = source!.values(of: \.first).compactMap { $0 }
            .combined(with: user.values(of: \.last).compactMap { $0 }) {
                $0 + $1
            }.on(loop)
            .assign(to: \.text, of: label)
        source!.first = "last "
        user.last = "set"
        source = nil
        loop.settle()
        #expect(label.text == "last set")
        #expect(died.value == 1)
        #expect(binder.hasEnded)
        #expect(user.numberOfObservers(of: "last") == 0)
    }

    /// The end of one ends the others, and not one inside the other.
    @Test func BI_3_many_sources_end_together() {
        for isCancelled in [true, false] {
            var users = (0..<20_000).map { _ in PipeUser() }
            let kept = users[7]
            let binder = users.map { $0.values(of: \.age).compactMap { $0 } }.combined()
                .map {
                    $0.reduce(0, +)
                }.on(loop)
                .assign(to: \.number, of: label)
            #expect(label.number == 600_000)
            if isCancelled { binder.cancel() }
            users = []
            #expect(binder.hasEnded)
            #expect(kept.numberOfObservers(of: "age") == 0)
        }
    }

    @Test func BI_3_TH_1_sources_may_lie_on_several_threads() {
        let users = (0..<4).map { _ in PipeUser() }
        let binder = users.map { $0.values(of: \.age).compactMap { $0 } }.combined()
            .map { $0.reduce(0, +) }.on(loop)
            .assign(to: \.number, of: label)
        let further = PipeLabel()
        let chain = label.values(of: \.number).on(loop)
            .assign(to: \.number, of: further)
        let handed = Handed(users)
        let ended = Shared(0)
        let threads = users.indices.map { i in
            TestThread {
                for age in 1...500 { handed.value[i].age = age }
                ended.change { $0 += 1 }
            }
        }
        while ended.value < users.count { loop.drain() }
        threads.forEach { $0.join() }
        loop.settle()
        #expect(label.number == 2000)
        #expect(further.number == 2000)
        // A binder is over with any of its objects.
        withExtendedLifetime((binder, chain, users)) {}
    }

    @Test func BI_3_what_cannot_converge_is_refused() {
        let none = [PipeUser]().map { $0.values(of: \.age).compactMap { $0 } }.combined()
            .map { $0.reduce(0, +) }.on(loop).assign(to: \.number, of: label)
        #expect(none.failure?.kind == .argument)
        let itself = user.values(of: \.first).compactMap { $0 }
            .combined(with: label.values(of: \.text).compactMap { $0 }) {
                $0 + $1
            }.on(loop)
            .assign(to: \.text, of: label)
        #expect(itself.failure?.kind == .argument)
        let failing = user.values(of: \.first).compactMap { $0 }
            .combined(with: user.values(of: \.last).compactMap { $0 }) { $0 + $1 }
            .assign(to: \.text, of: label)
        #expect(failing.failure?.kind == .isolation)
        #expect(user.numberOfObservers(of: "first") == 0)
    }

    @Test func BI_3_a_function_that_throws_sets_nothing_and_is_told() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let loop = DeliveryLoop()
            let user = PipeUser()
            let label = PipeLabel()
            let binder = user.values(of: \.first).compactMap { $0 }
                .combined(with: user.values(of: \.age).compactMap { $0 }) {
                    if $1 == 13 { throw Unwanted() }
                    return $0
                }.on(loop)
                .assign(to: \.text, of: label)
            user.age = 13
            user.first = "Bea"
            loop.settle()
            #expect(label.text == "Ann")
            user.age = 14
            loop.settle()
            #expect(label.text == "Bea")
            #expect(reports.value.map(\.kind) == [.binder])
            withExtendedLifetime(binder) {}
        }
    }

    @Test @MainActor func BI_3_in_an_isolation_the_function_is_called_there() {
        var calls = 0
        let user = PipeUser()
        let label = PipeLabel()
        let binder = user.values(of: \.first).compactMap { $0 }
            .combined(with: user.values(of: \.last).compactMap { $0 }) {
                calls += 1
                return $0 + $1
            }
            .assign(to: \.text, of: label)
        user.first = "Bea"
        DeliveryLoop.main.settle()
        #expect(label.text == "BeaBee")
        #expect(calls == 2)
        let apart = user.values(of: \.first).compactMap { $0 }
            .combined(with: user.values(of: \.last).compactMap { $0 }) {
                calls += 1
                return $0 + $1
            }.on(DeliveryLoop(actor: Elsewhere()))
            .assign(to: \.text, of: label)
        #expect(apart.failure?.kind == .isolation)
        withExtendedLifetime(binder) {}
    }
}

private actor Elsewhere {}
