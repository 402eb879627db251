// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct WrapperFreeClassTests {
    @Test func LL_13_an_override_asks_the_superclass() {
        let bill = TaxedBill()
        bill.net = 3
        #expect(bill.gross == 7)
        #expect(bill.new("taxed") == 1 && bill.new("gross") == 1)
        bill.tax = 2
        #expect(bill.gross == 8)
        #expect(bill.new("taxed") == 1 && bill.new("gross") == 0)
        let gross = Calls(bill, \.gross)
        bill.net = 4
        #expect(gross.new == 1)
        #expect(bill.new("taxed") == 1 && bill.new("gross") == 1)
        bill.rate = 4
        bill.rate = 2
        // What only the superclass's getter can compute is computed by its reader.
        #expect(gross.new == 0)
        #expect(bill.gross == 10)
        bill.computedProperties.invalidate(\.gross)
        #expect(gross.new == 0)
    }

    @Test func LL_13_below_a_path_of_the_superclass_without_wrappers() {
        let root = Bill()
        let gross = Calls(root, \.next?.gross)
        let bill = Bill()
        let taxed = TaxedBill()
        root.next = bill
        #expect(gross.new == 1)
        root.next = taxed
        #expect(gross.new == 1)
        bill.net = 5
        #expect(gross.new == 0)
        taxed.tax = 5
        #expect(gross.new == 1)
        root.next = bill
        bill.net = 6
        #expect(gross.new == 1)
    }

    @Test func LL_13_the_protocol_form_without_wrappers() {
        let bill = HostedBill()
        #expect(bill.twice == 2 && bill.twice == 2 && bill.once == 1 && bill.evaluations == 1)
        let twice = Calls(bill, \.twice)
        bill.net = 3
        #expect(twice.new == 1 && bill.evaluations == 2)
        #expect(bill.twice == 6 && bill.once == 1)
        bill.computedProperties.invalidate(\.once)
        #expect(bill.once == 3)
    }

    @Test func LL_13_generic_classes_without_wrappers() {
        let hamper = NumberHamper()
        let sum = Calls(hamper, \.sum)
        let first = Calls(hamper, \.first)
        hamper.items = [1, 2]
        #expect(sum.new == 1 && first.new == 1 && hamper.count == 2)
        hamper.items = [1, 3]
        #expect(sum.new == 1 && first.new == 0 && hamper.new("count") == 1)
        let texts = Hamper<String>()
        #expect(texts.first == nil && texts.count == 0)
        texts.items = ["a"]
        #expect(texts.first == "a" && texts.count == 1)
    }

    @MainActor @Test func LL_13_isolated_classes_without_wrappers() {
        let bill = IsolatedBill()
        #expect(bill.heading == "<a>" && bill.length == 3)
        var calls = 0
        let token = bill.onChange(of: \.length, \.both) { _ in calls += 1 }
        bill.title = "bc"
        DeliveryLoop.main.drain()
        #expect(calls == 1 && bill.length == 4)
        withExtendedLifetime(token) {}
    }

    @Test func LL_13_actors_without_wrappers() async {
        let ledger = Ledger()
        #expect(await ledger.twice == 2)
        #expect(await ledger.twice == 2)
        await ledger.set(4)
        #expect(await ledger.twice == 8)
        #expect(await ledger.evaluations == 2)
    }

    @Test func LL_13_local_classes_without_wrappers() {
        final class Local: ObservableModel {
            @Observed var number = 1
            var next: Int { computed { number + 1 } }
            var far: Int { next + number }
        }
        let local = Local()
        let calls = Calls(local, \.next)
        let far = Calls(local, \.far)
        local.number = 4
        #expect(calls.new == 1 && far.new == 1 && local.next == 5)
    }

    @Test func LL_13_every_instance_without_wrappers() {
        final class Every: Bill {}
        let loop = DeliveryLoop()
        var seen: [Int] = []
        let token = Every.allInstances.instances(when: \.gross).on(loop).onChange { every in
            seen.append(every?.gross ?? -1)
        }
        let (one, other) = (Every(), Every())
        #expect(one.gross == 0 && other.gross == 0)
        one.net = 1
        loop.drain()
        other.net = 2
        one.rate = 3
        loop.drain()
        #expect(seen.sorted() == [2, 3, 4])
        withExtendedLifetime(token) {}
    }

    @Test func LL_3_who_reads_what_is_listed_runs_if_that_has_another_value() {
        _ = ListedBill().text
        let bill = ListedBill()
        #expect(bill.text == "0" && bill.new("tens") == 1 && bill.new("text") == 1)
        bill.net = 3
        #expect(bill.text == "0" && bill.new("tens") == 1 && bill.new("text") == 0)
        bill.net = 5
        #expect(bill.text == "1" && bill.new("text") == 1)
    }

    @Test func TH_1_the_owner_reads_what_threads_set_through_a_chain_without_wrappers() {
        final class Pool: ObservableModel {
            @ObservedAtomic var number = 0
            var next: Int { computed { number + 1 } }
            var far: Int { computed { next + 1 } }
        }
        for isObserved in [false, true, false, true] {
            let pool = Handed(Pool())
            let calls = isObserved ? Calls(pool.value, \.far) : nil
            onThreads(4) { thread in
                for round in 1...300 { pool.value.number = thread == 0 ? round : 300 }
                pool.value.number = 300
            }
            #expect(pool.value.far == 302)
            _ = calls?.new
            pool.value.number = 7
            #expect(pool.value.far == 9)
            #expect(calls?.new ?? 1 == 1)
        }
    }

    // MARK: - Any getter

    @Test func KP_7_a_getter_through_several_steps() {
        let (root, next, end) = (Bill(), Bill(), Bill())
        let far = Calls(root, \.far)
        let net = Calls(root, \.far?.net)
        #expect(far.observation.unresolvedPaths == [] && net.observation.unresolvedPaths == [])
        root.next = next
        #expect(far.new == 0 && net.new == 0)
        next.next = end
        #expect(far.new == 1 && net.new == 1)
        end.net = 1
        #expect(far.new == 0 && net.new == 1)
        root.next = nil
        #expect(far.new == 1 && net.new == 1)
        end.net = 2
        #expect(net.new == 0)
    }

    @Test func KP_7_a_getter_of_several_properties() {
        let bill = Bill()
        let taxed = TaxedBill()
        let sums = (Calls(bill, \.sum), Calls(taxed as Bill, \.sum))
        bill.net = 1
        #expect(sums.0.new == 1)
        bill.net = 2
        bill.rate = 1
        #expect(sums.0.new == 0)
        taxed.tax = 2
        #expect(sums.1.new == 1)
        let shout = Calls(bill, \.shout)
        bill.net = 9
        #expect(shout.new == 0)
        bill.net = 10
        #expect(shout.new == 1 && bill.shout == "1!")
    }

    @Test func KP_9_a_getter_outlives_the_observation_that_named_it() {
        let bill = Bill()
        for round in 1...3 {
            let sum = Calls(bill, \.sum)
            bill.net = round * 10
            #expect(sum.new == 1)
            sum.observation.stop(about: \.sum, of: bill)
            #expect(sum.observation.hasEnded)
            bill.net += 1
            #expect(sum.new == 0)
        }
    }

    @Test func LL_6_a_getter_of_what_nobody_sees_is_invalidated() {
        let sign = ListingSign()
        let length = Calls(sign, \.length)
        sign.unseen = 4
        sign.computedProperties.invalidate(\.length)
        #expect(length.new == 1)
        sign.unseen = 5
        sign.computedProperties.invalidate()
        #expect(length.new == 1)
        #expect(sign.computedProperties.valid.allSatisfy { !$0.contains("length") })
    }

    // MARK: - By text

    @Test func KP_7_KP_19_a_listed_getter_makes_something_of_what_is_computed() throws {
        _ = ListingSign().shout
        let sign = ListingSign()
        let shout = BothSpellings(sign, "shout", \.shout)
        let isLong = BothSpellings(sign, "isLong", \.isLong)
        let text = BothSpellings(sign, "text", \.text)
        let title = BothSpellings(sign, "title", \.title)
        #expect(sign.numberOfObservers(of: "isLong") == 2)
        sign.word = "be"
        #expect(shout.new == 1 && isLong.new == 0 && text.new == 1 && title.new == 1)
        #expect(try sign.value(at: "shout").value as? String == "be!")
        #expect(try sign.value(at: "isLong").value as? Bool == false)
        #expect(try sign.value(at: "text").value as? String == "be")
        #expect(try sign.value(at: "title").value as? String == "BE")
        sign.word = "bell"
        #expect(shout.new == 1 && isLong.new == 1 && text.new == 1 && title.new == 1)
        #expect(try sign.value(at: "isLong").value as? Bool == true)
    }

    @Test func KP_7_KP_19_listed_names() {
        // The first object of a class shows what it lists.
        _ = ListedBill().tens
        let bill = ListedBill()
        let gross = BothSpellings(bill, "gross", \.gross)
        #expect(bill.new("gross") == 1)
        let far = BothSpellings(bill, "far.net", \.far?.net)
        let total = BothSpellings(bill, "total", \.sum)
        let follower = BothSpellings(bill, "follower", \.follower)
        bill.net = 2
        #expect(gross.new == 1 && far.new == 0 && total.new == 1 && follower.new == 0)
        #expect(bill.new("gross") == 1)
        bill.next = ListedBill()
        bill.next?.next = ListedBill()
        #expect(far.new == 1 && follower.new == 1)
        bill.far?.net = 4
        #expect(far.new == 1)
        #expect(bill.numberOfObservers(of: "gross") == 2)
        #expect(bill.numberOfObservers(of: "total") == 2)
        // What stops by one spelling has begun by the other.
        gross.text.observation.stop(about: \.gross, of: bill)
        total.typed.observation.stop(about: "total")
        #expect(gross.text.observation.hasEnded && total.typed.observation.hasEnded)
        #expect(bill.numberOfObservers(of: "gross") == 1)
        bill.computedProperties.invalidate(\.[text: "gross"])
        _ = gross.typed.new
        #expect(bill.new("gross") == 1)
        #expect(Set(bill.computedProperties.valid) == ["gross", "far", "total", "follower"])
        #expect(Calls(bill, "plain").observation.unresolvedPaths == ["plain"])
    }

    @Test func KP_7_a_listed_name_of_a_superclass() {
        _ = ListingBelow().shown
        let below = ListingBelow()
        let shown = BothSpellings(below, "shown", \.shown)
        let both = BothSpellings(below, "both", \.both)
        below.number = 2
        #expect(shown.new == 1 && both.new == 1 && below.new("below") == 2)
        #expect(below.shown == 20)
        let base = ListingBase()
        let own = BothSpellings(base, "shown", \.shown)
        base.number = 2
        #expect(own.new == 1 && base.shown == 2)
        base.computedProperties.invalidate(\.[text: "shown"])
        #expect(own.new == 0 && base.new("base") == 3)
    }

    // MARK: - Where it does not belong

    /// Each index is another getter, and stays one.
    @Test func KP_12_a_class_that_has_no_more_room() async {
        await #expect(processExitsWith: .success) {
            final class Wide: ObservableModel {
                @Observed var number = 1
                @Observed var other = 1
                subscript(index: Int) -> Int { number + other + index }
                var late: Int { computed { number + 1 } }
            }
            let reports = Shared<[String]>([])
            ObservationDiagnostics.setHandler { reports.value.append($0.text) }
            let wide = Wide()
            var calls: [Calls] = []
            for index in 0..<504 {
                calls.append(Calls(wide, \.[index]))
            }
            precondition(reports.value == [], "\(reports.value)")
            wide.number = 2
            precondition(calls.allSatisfy { $0.new == 1 })
            let further = Calls(wide, \.[504])
            precondition(further.observation.unresolvedPaths.count == 1)
            precondition(reports.value.count == 2, "\(reports.value)")
            precondition(wide.late == 3 && wide.late == 3)
            wide.number = 3
            precondition(wide.late == 4)
            precondition(reports.value.count == 2, "\(reports.value)")
        }
    }

    /// What a key path has captured lives as long as the observation, and no other is taken for it.
    @Test func LT_1_a_getter_that_captures() {
        final class Argument: Hashable {
            let factor: Int
            let died: Shared<Int>
            init(_ factor: Int, _ died: Shared<Int>) {
                self.factor = factor
                self.died = died
            }
            deinit { died.value += 1 }
            static func == (a: Argument, b: Argument) -> Bool { a.factor == b.factor }
            func hash(into hasher: inout Hasher) {}
        }
        final class Scaled: ObservableModel {
            @Observed var number = 1
            @Observed var other = 0
            subscript(argument: Argument) -> Int { (number + other) * argument.factor }
        }
        let died = Shared(0)
        let scaled = Scaled()
        func observe(_ factor: Int) {
            let argument = Argument(factor, died)
            var seen: [Int?] = []
            let token = scaled.changes(of: \.[argument]).options(.immediate).onChange {
                seen.append($0.new)
            }
            let start = scaled.number
            scaled.number += 1
            #expect(seen == [(start + 1) * factor])
            token.cancel()
        }
        for factor in 1...100 { observe(factor) }
        #expect(died.value > 0)
    }

    @Test func LL_11_a_function_with_parameters_keeps_nothing() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[String]>([])
            ObservationDiagnostics.setHandler { report in reports.value.append(report.path ?? "") }
            let misplaced = Misplaced()
            precondition(misplaced.times(2) == 2 && misplaced.times(3) == 3)
            precondition(misplaced[2] == 2 && misplaced[4] == 4)
            precondition(misplaced.twice() == 2 && misplaced.twice() == 2)
            precondition(misplaced.generic(Int.self) == 1 && misplaced.generic(String.self) == nil)
            misplaced.number = 5
            precondition(misplaced.times(2) == 10 && misplaced.twice() == 10)
            precondition(reports.value == ["times(_:)", "subscript(_:)"], "\(reports.value)")
        }
    }
    @Test func LL_11_a_value_of_another_type_is_not_kept() {
        let misplaced = Misplaced()
        #expect(misplaced.generic(Int.self) == 1)
        misplaced.number = 5
        #expect(misplaced.generic(String.self) == nil)
        misplaced.evaluations = [:]
        #expect(misplaced.generic(Int.self) == 5 && misplaced.generic(Int.self) == 5)
        #expect(misplaced.generic(Int.self) == 5 && misplaced.new("kept") == 1)
        #expect(misplaced.generic(String.self) == nil && misplaced.generic(Int.self) == 5)
        #expect(misplaced.new("kept") == 1)
    }

    @Test func LL_11_two_getters_at_one_place_are_two_properties() {
        let model = WrittenByMacro()
        let calls = (Calls(model, \.less), Calls(model, \.more))
        #expect(model.less == 0 && model.more == 2)
        model.number = 5
        #expect(calls.0.new == 1 && calls.1.new == 1)
        #expect(model.less == 4 && model.more == 6)
    }
}
