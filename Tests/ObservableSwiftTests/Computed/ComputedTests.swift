// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct ComputedTests {
    // MARK: - Reading

    @Test func LL_2_it_is_kept_until_what_it_read_changes() {
        let order = Order()
        #expect(order.gross == 0)
        order.net = 10
        #expect(order.gross == 15)
        #expect(order.gross == 15)
        #expect(order.evaluations["gross"] == 2)
        #expect(order.label == "15.0" && order.double == 30)
        order.rate = 1
        #expect(order.label == "20.0" && order.double == 40)
        #expect(order.evaluations == ["gross": 3, "label": 2, "double": 2])
    }

    @Test func LL_1_a_lazy_one_is_kept_until_it_is_invalidated() {
        let order = Order()
        order.net = 1
        #expect(order.index == [1, 0.5])
        order.net = 2
        #expect(order.index == [1, 0.5])
        order.computedProperties.invalidate(\.index)
        #expect(order.evaluations["index"] == 1)
        #expect(order.index == [2, 0.5])
        order.net = 3
        order.computedProperties.invalidate(\.[text: "index"])
        #expect(order.index == [3, 0.5])
        #expect(order.evaluations["index"] == 3)
    }

    @Test func LL_3_what_comes_out_the_same_goes_no_further() {
        let order = Order()
        order.net = 10
        #expect(order.double == 30)
        order.net = 7.5
        order.rate = 1
        #expect(order.double == 30)
        #expect(order.evaluations == ["gross": 2, "double": 1])
    }

    @Test func LL_2_what_is_read_untracked_is_no_dependency() {
        let visit = Visit()
        visit.name = "Ada"
        #expect(visit.title == "Ada 0")
        visit.count = 3
        #expect(visit.computedProperties.valid == ["title"] && visit.title == "Ada 0")
        visit.name = "Bob"
        #expect(visit.title == "Bob 3")
        #expect(untracked { visit.count } == 3)
    }

    @Test func LL_2_every_kind_of_property_is_a_dependency() {
        let parts = Parts()
        #expect(parts.sum == 7)
        parts.number = 2
        #expect(parts.sum == 8)
        parts.atomic = 2
        #expect(parts.sum == 9)
        parts.number += 1
        #expect(parts.sum == 10)

        let probed = Probed()
        #expect(parts.ofIdentical == nil)
        parts.identical = probed
        #expect(parts.ofIdentical == 1)
        probed.number = 4
        #expect(parts.ofIdentical == 4)
        parts.identical = nil
        #expect(parts.ofIdentical == nil)
    }

    @Test func LL_2_the_content_of_collections_is_a_dependency() {
        let parts = Parts()
        #expect(parts.listSum == 1 && parts.listFirst == 1 && parts.listCount == 1)
        parts.list.append(2)
        #expect(parts.listSum == 3 && parts.listFirst == 1 && parts.listCount == 2)
        parts.list[0] = 5
        #expect(parts.listSum == 7 && parts.listFirst == 5)
        parts.list = [8]
        #expect(parts.listSum == 8 && parts.listFirst == 8 && parts.listCount == 1)

        #expect(parts.ofA == 1 && parts.tableSum == 1)
        parts.table["b"] = 2
        #expect(parts.ofA == 1 && parts.tableSum == 3)
        parts.table["a"] = nil
        #expect(parts.ofA == nil && parts.tableSum == 2)

        #expect(!parts.hasTwo && parts.sorted == [1])
        parts.set.insert(2)
        #expect(parts.hasTwo && parts.sorted == [1, 2])
        parts.set.removeAll()
        #expect(!parts.hasTwo && parts.sorted == [])
    }

    @Test func LL_2_an_object_that_was_never_met_is_a_dependency() {
        let order = Order()
        let holder = Bag<Order>()
        holder.items = [order]
        let reader = Reader(holder)
        #expect(reader.net == 0)
        order.net = 3
        #expect(reader.net == 3)
        holder.items = []
        #expect(reader.net == nil)
    }

    @Test func LT_6_the_death_of_a_weak_object_is_a_change() {
        let parts = Parts()
        var probed: Probed? = Probed()
        parts.weak = probed
        #expect(parts.ofWeak == 1 && parts.hasWeak)
        let calls = Calls(parts, \.ofWeak)
        probed = nil
        #expect(parts.ofWeak == nil)
        #expect(!parts.hasWeak)
        #expect(calls.new == 1)
        _ = probed
    }

    @Test func LL_9_nil_is_a_value() {
        let bag = Bag<Int>()
        #expect(bag.computedProperties.invalid == ["first", "count"])
        #expect(bag.first == nil)
        #expect(
            bag.computedProperties.valid == ["first"] && bag.computedProperties.invalid == ["count"]
        )
    }

    // MARK: - Setting

    @Test func LL_4_it_can_be_set() {
        let order = Order()
        order.gross = 9
        #expect(order.evaluations == [:])
        #expect(order.gross == 9 && order.double == 18)
        order.net = 1
        #expect(order.gross == 9)
        order.computedProperties.invalidate(\.gross)
        #expect(order.gross == 1.5 && order.double == 3)
        order.setDouble(7)
        #expect(order.double == 7)
        order.gross += 1
        #expect(order.gross == 2.5 && order.double == 5)
        order.net = 2
        #expect(order.gross == 3)
    }

    @Test func LL_4_a_set_is_a_change() {
        let order = Order()
        let gross = BothSpellings(order, "gross", \.gross)
        order.gross = 4
        #expect(gross.new == 1)
        order.gross = 4
        #expect(gross.new == 0)
        order.net = 1
        #expect(gross.new == 1)
        #expect(order.gross == 1.5)
    }

    @Test func LL_16_a_setter_in_its_own_getter_wins() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let stubborn = Stubborn()
            #expect(stubborn.value == 7)
            #expect(reports.value.map(\.kind) == [.setInGetter])
            #expect(stubborn.computedProperties.valid == ["value"])
            #expect(stubborn.value == 7)
            #expect(reports.value.count == 1)
        }
    }

    // MARK: - By hand

    @Test func LL_7_several_and_all_are_invalidated() {
        let order = Order()
        order.computedProperties.validate()
        #expect(order.computedProperties.valid == ["gross", "label", "index", "double"])
        order.computedProperties.invalidate(\.gross, \.index)
        #expect(order.computedProperties.invalid == ["gross", "label", "index", "double"])
        order.computedProperties.validate()
        order.computedProperties.invalidate(\.[text: "label"], \.[text: "index"])
        #expect(order.computedProperties.valid == ["gross", "double"])
        order.computedProperties.invalidate(\.net)
        order.computedProperties.invalidate(\.[text: "net"])
        #expect(order.computedProperties.valid == ["gross", "double"])
        order.computedProperties.invalidate()
        #expect(order.computedProperties.valid == [])
        #expect(Link().computedProperties.invalid == [])
    }

    @Test func LL_7_by_a_path() {
        let bag = Bag<Int>()
        let holder = Holder(bag)
        #expect(bag.count == 0)
        holder.computedProperties.invalidate(\.bag?.count)
        #expect(bag.computedProperties.valid == [])
        #expect(holder.bagCount == 0)
        holder.computedProperties.invalidate(\.[text: "bag.count"])
        #expect(bag.computedProperties.valid == [])
        #expect(holder.computedProperties.valid == [])
        holder.bag = nil
        holder.computedProperties.invalidate(\.bag?.count)
        holder.computedProperties.invalidate(\.[text: "bag.count"])
    }

    @Test func LL_8_what_nobody_has_read_is_invalid() {
        let order = Order()
        #expect(order.computedProperties.invalid == ["gross", "label", "index", "double"])
        order.computedProperties.invalidate()
        order.computedProperties.invalidate(\.gross)
        #expect(order.evaluations == [:])
        #expect(order.computedProperties.valid == [])
    }

    // MARK: - Cycles

    @Test func LL_12_a_cycle_has_the_last_valid_value() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let ring = Ring()
            #expect(ring.ping == 1 && ring.pong == 2)
            #expect(reports.value.isEmpty)
            ring.isClosed = true
            #expect(ring.ping == 1)
            #expect(reports.value.map(\.kind) == [.cycle])
            #expect(reports.value.first?.path == "ping, pong")
            ring.isClosed = false
            #expect(ring.ping == 1 && ring.pong == 2)
        }
    }

    @Test func LL_12_a_cycle_without_a_value_stops_the_program() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let ring = Ring()
            ring.isClosed = true
            _ = ring.ping
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("ping, pong"))
    }
}

private final class Reader: ObservableModel {
    let bag: Bag<Order>
    @Computed({ (reader: Reader) in reader.bag.items.first?.net }) var net: Double?

    init(_ bag: Bag<Order>) { self.bag = bag }
}

private final class Holder: ObservableModel {
    @Observed var bag: Bag<Int>?
    @Computed({ (holder: Holder) in holder.bag?.count }) var bagCount: Int?

    init(_ bag: Bag<Int>) {
        super.init()
        self.bag = bag
    }
}

private final class Stubborn: ObservableModel {
    @Computed(Stubborn.makeValue) var value: Int

    private func makeValue() -> Int {
        value = 7
        return 8
    }
}

private final class Ring: ObservableModel {
    @Observed var isClosed = false
    @Computed(Ring.makePing) var ping: Int
    @Computed(Ring.makePong) var pong: Int

    private func makePing() -> Int { isClosed ? pong + 1 : 1 }
    private func makePong() -> Int { ping + 1 }
}

private final class Visit: ObservableModel {
    @Observed var name = ""
    @Observed var count = 0
    @Computed(Visit.makeTitle) var title: String

    private func makeTitle() -> String { "\(name) \(untracked { count })" }
}
