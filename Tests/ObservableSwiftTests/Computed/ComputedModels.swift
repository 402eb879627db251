// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// The models of the tests of computed properties. Each counts how often it computes.

class Order: ObservableModel {
    @Observed var net = 0.0
    @Observed var rate = 0.5
    @Computed(Order.makeGross) var gross: Double
    @Computed({ (order: Order) in order.made("label", "\(order.gross)") }) var label: String
    @Lazy(Order.makeIndex) var index: [Double]
    @Computed(Order.makeDouble) private(set) var double: Double

    var evaluations: [String: Int] = [:]

    func made<Value>(_ property: String, _ value: @autoclosure () -> Value) -> Value {
        evaluations[property, default: 0] += 1
        return value()
    }

    private func makeGross() -> Double { made("gross", net * (1 + rate)) }
    private func makeIndex() -> [Double] { made("index", [net, rate]) }
    private func makeDouble() -> Double { made("double", gross * 2) }

    func setDouble(_ value: Double) { double = value }
}

final class DiscountedOrder: Order {
    @Observed var discount = 0.0
    @Computed(DiscountedOrder.makeDue) var due: Double

    private func makeDue() -> Double { made("due", gross - discount) }
}

class ForeignBase {
    var tag = "foreign"
}

/// Of the protocol's form.
final class HostedOrder: ForeignBase, ObservableHost {
    let observation = ObservationHeader()
    @Observed var net = 1
    @Computed(HostedOrder.makeTwice) var twice: Int
    @Lazy(HostedOrder.makeTwice) var lazyTwice: Int

    private func makeTwice() -> Int { net * 2 }
}

class Bag<Item>: ObservableModel {
    @Observed var items: [Item] = []
    @Computed(Bag.makeFirst) var first: Item?
    @Computed({ (bag: Bag) in bag.items.count }) var count: Int

    private func makeFirst() -> Item? { items.first }
}

final class NumberBag: Bag<Int> {
    @Computed(NumberBag.makeSum) var sum: Int

    private func makeSum() -> Int { items.reduce(0, +) }
}

@MainActor final class IsolatedOrder: ObservableModel, Sendable {
    @Observed var title = "a"
    @Computed(IsolatedOrder.makeHeading) var heading: String
    @Computed({ (page: IsolatedOrder) in page.heading.count }) var length: Int

    private func makeHeading() -> String { "<\(title)>" }
}

/// Isolated, and not `Sendable`.
@MainActor final class Draft: ObservableModel {
    @Observed var title = "a"
    @Computed({ (draft: Draft) in "<\(draft.title)>" }) var heading: String
}

/// All properties that a wrapper reads.
final class Parts: ObservableModel {
    @Observed var number = 1
    @ObservedAs<ByIdentity<Probed?>> var identical: Probed?
    @ObservedWeak var weak: Probed?
    @ObservedAtomic var atomic = 1
    @Observed var list: ObservableArray<Int> = [1]
    @Observed var table: ObservableDictionary<String, Int> = ["a": 1]
    @Observed var set: ObservableSet<Int> = [1]
    let constant = 5

    @Computed({ (parts: Parts) in parts.number + parts.atomic + parts.constant }) var sum: Int
    @Computed({ (parts: Parts) in parts.identical?.number }) var ofIdentical: Int?
    @Computed({ (parts: Parts) in parts.weak?.number }) var ofWeak: Int?
    @Computed({ (parts: Parts) in parts.weak != nil }) var hasWeak: Bool
    @Computed({ (parts: Parts) in parts.list.reduce(0, +) }) var listSum: Int
    @Computed({ (parts: Parts) in parts.list[0] }) var listFirst: Int
    @Computed({ (parts: Parts) in parts.list.count }) var listCount: Int
    @Computed({ (parts: Parts) in parts.table["a"] }) var ofA: Int?
    @Computed({ (parts: Parts) in parts.table.values.reduce(0, +) }) var tableSum: Int
    @Computed({ (parts: Parts) in parts.set.contains(2) }) var hasTwo: Bool
    @Computed({ (parts: Parts) in parts.set.sorted() }) var sorted: [Int]
}

/// A model that can be counted.
final class Probed: ObservableModel {
    @Observed var number = 1
    @Observed var next: Probed?
    @Computed({ (probed: Probed) in (probed.next?.total ?? 0) + probed.number }) var total: Int
    /// Another one each time, and itself.
    @Computed(Probed.makeFollower) var follower: Probed
    @Computed({ (probed: Probed) -> Probed? in probed.next }) var shown: Probed?
    private let probe: Probe?

    init(_ died: Shared<Int>? = nil) {
        probe = died.map(Probe.init)
    }

    private func makeFollower() -> Probed {
        let follower = Probed()
        follower.number = number + 1
        return follower
    }
}
