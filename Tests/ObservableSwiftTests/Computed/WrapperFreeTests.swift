// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct WrapperFreeTests {
    @Test func LL_2_a_wrapper_free_property_is_kept_and_invalidates_itself() {
        let bill = Bill()
        #expect(bill.gross == 0 && bill.gross == 0 && bill.new("gross") == 1)
        bill.net = 5
        #expect(bill.new("gross") == 0)
        #expect(bill.gross == 10 && bill.gross == 10 && bill.new("gross") == 1)
        bill.rate = 3
        bill.net = 6
        #expect(bill.gross == 18 && bill.new("gross") == 1)
    }

    @Test func LL_3_a_chain_without_wrappers() {
        let bill = Bill()
        bill.net = 5
        #expect(bill.text == "1" && bill.new("text") == 1)
        bill.evaluations = [:]
        bill.net = 6
        #expect(bill.tens == 1)
        #expect(bill.new("gross") == 1 && bill.new("tens") == 1)
        // None of what it has read has another value.
        #expect(bill.text == "1" && bill.new("text") == 0)
        bill.net = 10
        #expect(bill.text == "2")
        #expect(bill.evaluations == ["gross": 1, "tens": 1, "text": 1])
    }

    @Test func LL_1_lazily_is_invalidated_by_hand_alone() {
        let bill = Bill()
        #expect(bill.index == [0, 2] && bill.new("index") == 1)
        bill.net = 4
        #expect(bill.index == [0, 2] && bill.new("index") == 0)
        bill.computedProperties.invalidate(\.index)
        #expect(bill.index == [4, 2] && bill.new("index") == 1)
        bill.net = 5
        bill.computedProperties.invalidate()
        #expect(bill.index == [5, 2])
    }

    @Test func LL_7_a_wrapper_free_property_is_invalidated_by_its_key_path() {
        let bill = Bill()
        _ = bill.text
        bill.evaluations = [:]
        bill.computedProperties.invalidate(\.gross)
        #expect(bill.text == "0")
        #expect(bill.new("gross") == 1)
        let root = Bill()
        root.next = bill
        bill.evaluations = [:]
        root.computedProperties.invalidate(\.next?.gross)
        #expect(bill.gross == 0 && bill.new("gross") == 1)
        // Of what was never read there is nothing to do.
        root.computedProperties.invalidate(\.gross)
        #expect(root.evaluations == [:])
    }

    @Test func LL_8_the_names_are_those_of_the_getters() {
        let bill = Bill()
        #expect(bill.tens == 0 && bill.index == [0, 2])
        let token = bill.onChange(of: \.sum) { _ in }
        #expect(Set(bill.computedProperties.valid) == ["tens", "gross", "index"])
        bill.net = 1
        #expect(bill.computedProperties.valid == ["index"])
        #expect(Set(bill.computedProperties.invalid).isSuperset(of: ["tens", "gross"]))
        #expect(!bill.computedProperties.invalid.contains { $0.contains("<") })
        withExtendedLifetime(token) {}
    }

    @Test func LL_5_a_wrapper_free_property_is_called_once() {
        let bill = Bill()
        let gross = Calls(bill, \.gross)
        #expect(bill.new("gross") == 1)
        bill.net = 3
        bill.rate = 4
        #expect(bill.new("gross") == 0)
        #expect(gross.new == 1 && bill.new("gross") == 1)
        #expect(bill.gross == 12 && bill.new("gross") == 0)
        // There and back.
        bill.net = 4
        bill.net = 3
        #expect(gross.new == 0 && bill.new("gross") == 1)
        let tens = Calls(bill, \.tens)
        bill.net = 4
        #expect(gross.new == 1 && tens.new == 0)
        #expect(bill.new("tens") == 2 && bill.new("gross") == 1)
        bill.computedProperties.invalidate(\.tens)
        #expect(tens.new == 0 && bill.new("tens") == 1)
    }

    @Test func LL_5_a_read_in_between_keeps_nobody_from_being_called() {
        let bill = Bill()
        let gross = Calls(bill, \.gross)
        bill.net = 3
        #expect(bill.gross == 6)
        #expect(gross.new == 1)
        bill.net = 4
        #expect(bill.gross == 8)
        bill.net = 3
        #expect(gross.new == 0)
    }

    @Test func OB_2_old_and_new_values_of_a_wrapper_free_property() {
        let bill = Bill()
        let loop = DeliveryLoop()
        var seen: [[Int?]] = []
        let token = bill.changes(of: \.gross).on(loop).onChange { seen.append([$0.old, $0.new]) }
        bill.net = 2
        loop.drain()
        bill.net = 3
        bill.net = 4
        loop.drain()
        #expect(seen == [[0, 4], [4, 8]])
        var told: [Int] = []
        let immediate = bill.changes(of: \.gross).options(.immediate).onChange {
            told.append($0.new ?? -1)
        }
        bill.net = 5
        bill.net = 6
        #expect(told == [10, 12])
        withExtendedLifetime((token, immediate)) {}
    }

    @Test func KP_18_a_path_on_into_its_value() {
        let bill = Bill()
        let low = Calls(bill, \.span.low)
        let high = Calls(bill, \.span.high)
        bill.rate = 3
        #expect(low.new == 0 && high.new == 0)
        bill.net = 1
        #expect(low.new == 1 && high.new == 1)
        bill.rate = 4
        #expect(low.new == 0 && high.new == 1)
    }

    @Test func KP_7_a_wrapper_free_property_in_the_middle() {
        let (root, next, end) = (Bill(), Bill(), Bill())
        let calls = Calls(root, \.follower?.net)
        root.next = next
        #expect(calls.new == 1)
        next.net = 1
        #expect(calls.new == 1)
        next.next = end
        #expect(calls.new == 1)
        next.net = 2
        #expect(calls.new == 0)
        end.net = 2
        #expect(calls.new == 1)
        let deep = Calls(root, \.follower?.gross)
        end.net = 3
        #expect(deep.new == 1 && calls.new == 1)
        #expect(end.numberOfObservers(of: "net") == 1)
    }

    @Test func LL_2_the_content_of_a_collection_without_a_wrapper() {
        let bill = Bill()
        let last = Calls(bill, \.last)
        bill.lines.append("a")
        #expect(last.new == 1 && bill.last == "a")
        bill.lines.insert("b", at: 0)
        #expect(last.new == 0)
        bill.lines = ["c"]
        #expect(last.new == 1 && bill.last == "c")
    }

    @Test func LL_11_taking_computed_away_leaves_the_same_values() {
        final class Plain: ObservableModel {
            @Observed var net = 0
            @Observed var rate = 2
            var gross: Int { net * rate }
            var tens: Int { gross / 10 }
        }
        let with = Bill()
        let without = Plain()
        let calls = (Calls(with, \.tens), Calls(without, \.tens))
        for net in [1, 4, 4, 90, -20, 3] {
            with.net = net
            without.net = net
            #expect(calls.0.new == calls.1.new)
            #expect(with.gross == without.gross && with.tens == without.tens)
        }
        #expect(class_size(Bill.self) == class_size(BillOfFields.self))
    }

    @Test func LL_12_a_wrapper_free_cycle_is_told_by_name() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let bill = Bill()
            #expect(bill.loop == 0 && bill.back == 0)
            bill.net = 3
            #expect(bill.loop == 3)
            #expect(reports.value.isEmpty)
            bill.net = 6
            // Each has its last valid value.
            #expect(bill.loop == 3 && bill.back == 0)
            #expect(reports.value.first?.kind == .cycle)
            #expect(reports.value.first?.path == "loop, back")
            bill.net = 4
            #expect(bill.loop == 4)
        }
    }

    @Test func ST_4_LT_1_it_keeps_nothing_alive() {
        let died = Shared(0)
        var bill: Bill? = Bill()
        weak let weak = bill
        var next: Probed? = Probed(died)
        final class Owner: ObservableModel {
            @Observed var probed: Probed?
            var number: Int { computed { probed?.number ?? 0 } }
        }
        let owner = Owner()
        owner.probed = next
        #expect(owner.number == 1)
        next = nil
        owner.probed = nil
        #expect(died.value == 1)
        #expect(owner.number == 0)
        let calls = Calls(bill!, \.gross, \.follower?.net)
        bill!.next = Bill()
        #expect(calls.new == 1)
        bill = nil
        #expect(weak == nil)
    }
}

private class BillOfFields: Counting {
    @Observed var net = 0
    @Observed var rate = 2
    @Observed var next: Bill?
    @Observed var lines: ObservableArray<String> = []
    var plain = 0
}

private func class_size(_ type: AnyClass) -> Int {
    // Behind the flags and the address point.
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
    return Int(metadata.load(fromByteOffset: 24, as: UInt32.self))
}
