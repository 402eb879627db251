// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct ComputedClassTests {
    @Test func LL_13_a_subclass_inherits_and_adds() {
        let order = DiscountedOrder()
        order.net = 2
        order.discount = 1
        #expect(order.due == 2)
        #expect(order.computedProperties.invalid == ["label", "index", "double"])
        let due = BothSpellings(order, "due", \.due)
        let gross = BothSpellings(order, "gross", \.gross)
        order.net = 4
        #expect(due.new == 1 && gross.new == 1)
        order.discount = 2
        #expect(due.new == 1 && gross.new == 0)
        #expect(order.due == 4)
        #expect(order.allObservedProperties == ["gross", "due"])
    }

    @Test func LL_13_below_a_path_of_the_superclass() {
        let bag = Bag<Order>()
        let order = DiscountedOrder()
        bag.items = [order]
        let calls = Calls(bag, "items.#0.due")
        order.net = 2
        #expect(calls.new == 1)
        #expect(bag.first === order)
    }

    @Test func LL_13_the_protocol_form() {
        let order = HostedOrder()
        #expect(order.twice == 2 && order.lazyTwice == 2)
        let twice = BothSpellings(order, "twice", \.twice)
        order.net = 3
        #expect(order.twice == 6 && order.lazyTwice == 2)
        #expect(twice.new == 1)
        order.computedProperties.invalidate()
        #expect(order.lazyTwice == 6)
        order.twice = 1
        #expect(twice.new == 1 && order.twice == 1)
        order.computedProperties.validate()
        #expect(order.computedProperties.valid == ["twice", "lazyTwice"])
    }

    @Test func LL_13_generic_classes() {
        let bag = NumberBag()
        let sum = BothSpellings(bag, "sum", \.sum)
        let first = BothSpellings(bag, "first", \.first)
        bag.items = [1, 2]
        #expect(bag.first == 1 && bag.count == 2 && bag.sum == 3)
        #expect(sum.new == 1 && first.new == 1)
        bag.items = [1, 3]
        #expect(sum.new == 1 && first.new == 0)
        let texts = Bag<String>()
        #expect(texts.first == nil)
        texts.items.append("a")
        #expect(texts.first == "a" && texts.count == 1)
    }

    @MainActor @Test func LL_13_isolated_classes() {
        let page = IsolatedOrder()
        #expect(page.heading == "<a>" && page.length == 3)
        page.title = "bc"
        #expect(page.heading == "<bc>" && page.length == 4)
        let draft = Draft()
        #expect(draft.heading == "<a>")
        draft.title = "b"
        #expect(draft.heading == "<b>")
    }

    @Test func LL_13_local_classes() {
        final class Local: ObservableModel {
            @Observed var number = 1
            @Computed({ (local: Local) in local.number + 1 }) var next: Int
        }
        let local = Local()
        let next = BothSpellings(local, "next", \.next)
        local.number = 4
        #expect(next.new == 1 && local.next == 5)
    }

    @Test func KP_11_listed_by_name() {
        let listed = ListedModel()
        #expect(listed.twice == 2)
        let twice = BothSpellings(listed, "twice", \.twice)
        listed.number = 2
        #expect(twice.new == 1 && listed.twice == 4)
    }

    @Test func LL_11_taking_the_wrapper_away_leaves_the_values() {
        let with = HostedOrder()
        let without = PlainOrder()
        for net in [1, 4, 4, -2] {
            with.net = net
            without.net = net
            #expect(with.twice == without.twice)
        }
    }
}

/// Lists what reflection finds as well.
private final class ListedModel: ObservableModel {
    @Observed var number = 1
    @Computed({ (model: ListedModel) in model.number * 2 }) var twice: Int

    override class var namedProperties: [NamedProperty] {
        [
            NamedProperty("twice", \ListedModel.twice),
            NamedProperty("number", \ListedModel.number),
        ]
    }
}

private final class PlainOrder: ObservableModel {
    @Observed var net = 1
    var twice: Int { makeTwice() }

    private func makeTwice() -> Int { net * 2 }
}
