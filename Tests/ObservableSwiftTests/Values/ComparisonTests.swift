// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// How an observation compares, over its properties.
@Suite struct ComparisonTests {
    private let loop = DeliveryLoop()

    @Test func EQ_11_always_different() {
        let root = Sample()
        let always = Changes(root, \.count, comparing: .alwaysDifferent)
        let other = Changes(root, \.count)
        root.count = 0
        #expect(always.calls == 1 && other.calls == 0)
        root.count += 1
        #expect(always.calls == 1 && other.calls == 1)
        // In place, with the same outcome.
        root.count += 0
        #expect(always.calls == 1 && other.calls == 0)
        always.token.cancel()
        root.count = 1
        #expect(other.calls == 0)
    }

    /// Unreachable before and after is no change, whatever compares.
    @Test func EQ_11_EQ_4_always_different_and_unreachable() {
        let root = Sample()
        let always = Changes(root, \.next?.next?.count, comparing: .alwaysDifferent)
        root.next = Sample()
        root.next = Sample()
        root.next = nil
        #expect(always.calls == 0)
        let (outer, inner) = (Sample(), Sample())
        outer.next = inner
        root.next = outer
        #expect(always.calls == 1)
        // What leads to the same object is let alone (KP-4).
        let second = Sample()
        second.next = inner
        root.next = second
        #expect(always.calls == 0)
        let third = Sample()
        third.next = Sample()
        root.next = third
        #expect(always.calls == 1)
        root.next = nil
        #expect(always.calls == 1)
    }

    @Test func EQ_11_equatable_classes() {
        let root = Sample()
        root.mark = Spot(1)
        let declared = Changes(root, \.mark)
        let equality = Changes(root, \.mark, comparing: .equality)
        let identity = Changes(root, \.equalSpot, comparing: .identity)
        let equal = Changes(root, \.equalSpot)
        root.mark = Spot(1)
        root.equalSpot = Spot(1)
        #expect(declared.calls == 1 && equality.calls == 0)
        #expect(identity.calls == 1 && equal.calls == 1)
        root.equalSpot = Spot(1)
        #expect(identity.calls == 1 && equal.calls == 0)
        root.mark = Spot(2)
        #expect(declared.calls == 1 && equality.calls == 1)
        root.mark = nil
        #expect(declared.calls == 1 && equality.calls == 1)
        root.mark = nil
        #expect(declared.calls == 0 && equality.calls == 0)
    }

    /// Of a subclass and its superclass either may be the first.
    @Test func EQ_11_equatable_subclasses() {
        final class Dot: Spot {}
        let root = Sample()
        root.spot = Dot(1)
        let equality = Changes(root, \.spot, comparing: .equality)
        root.spot = Spot(1)
        root.spot = Dot(1)
        #expect(equality.calls == 0)
        root.spot = Dot(2)
        #expect(equality.calls == 1)
    }

    @Test func EQ_11_optionals() {
        let root = Sample()
        let identity = Changes(root, \.nickname, comparing: .identity)
        let equality = Changes(root, \.nickname, comparing: .equality)
        root.nickname = nil
        #expect(identity.calls == 0 && equality.calls == 0)
        root.nickname = "Ada"
        #expect(identity.calls == 1 && equality.calls == 1)
        root.nickname = "Ada"
        #expect(identity.calls == 0 && equality.calls == 0)
        root.nickname = nil
        #expect(identity.calls == 1 && equality.calls == 1)
    }

    /// By what the values are, where their declared type says nothing.
    @Test func EQ_11_existentials() {
        let root = Sample()
        let declared = Changes(root, \.shape)
        let equality = Changes(root, \.shape, comparing: .equality)
        let anything = Changes(root, \.anything, comparing: .equality)
        root.shape = Block()
        root.anything = 5
        #expect(declared.calls == 1 && equality.calls == 1 && anything.calls == 1)
        root.shape = Block()
        root.anything = 5
        #expect(declared.calls == 1 && equality.calls == 0 && anything.calls == 0)
        root.shape = Block(side: 2)
        root.anything = "5"
        #expect(declared.calls == 1 && equality.calls == 1 && anything.calls == 1)
        root.anything = Double.nan
        #expect(anything.calls == 1)
        root.anything = Double.nan
        #expect(anything.calls == 0)
        root.anything = nil
        root.anything = nil
        #expect(anything.calls == 1)
    }

    /// What has no `==` is compared as declared: it differs.
    @Test func EQ_11_values_without_equality() {
        let root = Sample()
        let equality = Changes(root, \.plain, comparing: .equality)
        let identity = Changes(root, \.plain, comparing: .identity)
        root.plain = Sample.Plain(number: 0)
        #expect(equality.calls == 1 && identity.calls == 1)
    }

    /// A property that always differs, and an observation that does not think so.
    @Test func EQ_11_over_the_propertys_own() {
        let root = Sample()
        let declared = Changes(root, \.everySet)
        let equality = Changes(root, \.everySet, comparing: .equality)
        let always = Changes(root, \.sameSpot, comparing: .alwaysDifferent)
        root.everySet = 0
        root.sameSpot = nil
        #expect(declared.calls == 1 && equality.calls == 0 && always.calls == 1)
        root.everySet = 1
        #expect(declared.calls == 1 && equality.calls == 1)
    }

    @Test func EQ_11_a_function() {
        let root = Sample()
        let caseless = Changes(
            root, \.name,
            comparing: .by { (a: String, b: String) in a.lowercased() == b.lowercased() })
        root.name = "a"
        #expect(caseless.one?.new == "a")
        root.name = "A"
        #expect(caseless.calls == 0)
        root.name = "b"
        let change = caseless.one
        #expect(change?.old == "A" && change?.new == "b")
    }

    /// Nil is no value of the function's type: as declared. An optional of it is.
    @Test func EQ_11_a_function_and_nil() {
        let root = Sample()
        let never = Changes(root, \.nickname, comparing: .by { (_: String, _: String) in true })
        let optional = Changes(
            root, \.nickname, comparing: .by { (a: String?, b: String?) in a ?? "" == b ?? "" })
        root.nickname = ""
        #expect(never.calls == 1 && optional.calls == 0)
        root.nickname = "a"
        #expect(never.calls == 0 && optional.calls == 1)
        root.nickname = nil
        #expect(never.calls == 1 && optional.calls == 1)
    }

    @Test func EQ_11_through_a_replaced_object() {
        let root = Sample()
        root.next = Sample()
        root.next?.mark = Spot(1)
        let identity = Changes(root, \.next?.mark)
        let equality = Changes(root, \.next?.mark, comparing: .equality)
        let other = Sample()
        other.mark = Spot(1)
        root.next = other
        #expect(identity.calls == 1 && equality.calls == 0)
    }

    /// One path of many, and fields of values.
    @Test func EQ_11_KP_18_each_path_of_an_observation() {
        let root = Sample()
        var calls = 0
        let token = root.onChange(
            of: \.count, \.next?.size.width, on: loop, comparing: .alwaysDifferent
        ) { _ in calls += 1 }
        root.count = 0
        loop.drain()
        root.next?.size.width = 1
        #expect(loop.drain() == 0)
        root.next = Sample()
        loop.drain()
        root.next?.size.width = 0
        loop.drain()
        #expect(calls == 3)
        withExtendedLifetime(token) {}
    }

    @Test func EQ_11_a_shared_block() {
        let root = Sample()
        let observer = Spot(0)
        var calls = 0
        let block = ObservationBlock<Spot, Sample>(on: loop, comparing: .alwaysDifferent) { _, _ in
            calls += 1
        }
        root.tell(observer, when: \.[text: "count"], block: block)
        root.count = 0
        loop.drain()
        #expect(calls == 1)
    }

    @Test func EQ_7_there_and_back_is_no_change_with_net() {
        let root = Sample()
        let net = Changes(root, \.count, options: .skipsReverted)
        root.count = 1
        root.count = 0
        #expect(net.calls == 0)
        root.count = 1
        root.count = 2
        let change = net.one
        #expect(change?.old == 0 && change?.new == 2)
        root.count = 3
        root.count = 2
        net.token.schedule()
        #expect(net.calls == 1)
    }

    @Test func EQ_7_net_of_values_in_place_and_of_classes() {
        let root = Sample()
        let list = Changes(root, \.list, options: .skipsReverted)
        let spot = Changes(root, \.spot, options: .skipsReverted)
        let plain = Changes(root, \.plain, options: .skipsReverted)
        let before = root.spot
        root.list.append(1)
        root.list.removeLast()
        root.spot = Spot(0)
        root.spot = before
        root.plain.number = 1
        root.plain.number = 0
        // What has no == differs.
        #expect(list.calls == 0 && spot.calls == 0 && plain.calls == 1)
        root.spot = Spot(0)
        #expect(spot.calls == 1)
    }

    @Test func EQ_5_any_element() {
        let root = Sample()
        root.next = Sample()
        let any = Changes(root, \.next?.count, options: .includesIntermediateElements)
        let endpoint = Changes(root, \.next?.count)
        root.next = Sample()
        #expect(any.calls == 1 && endpoint.calls == 0)
        root.next = Sample()
        root.next?.count = 1
        #expect(any.calls == 1 && endpoint.calls == 1)
    }
}
