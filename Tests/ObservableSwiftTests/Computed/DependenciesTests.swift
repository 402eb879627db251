// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// Declared dependencies: what the functions read is plain, so nothing else is a dependency.
@Suite struct DependenciesTests {
    // MARK: - Paths

    @Test func LL_2_paths_in_either_spelling() {
        let cart = Cart()
        #expect(cart.byPath == 0 && cart.byText == 0 && cart.byClosure == 0)
        cart.plain = 1
        #expect(cart.byPath == 0 && cart.byText == 0)
        let good = Good()
        cart.first = good
        #expect(cart.computedProperties.valid.isEmpty)
        #expect(cart.byPath == 1 && cart.byText == 1 && cart.byClosure == 1)
        cart.plain = 2
        good.price = 5
        #expect(cart.byPath == 2 && cart.byText == 2 && cart.byClosure == 2)
        cart.plain = 3
        good.name = "tea"
        #expect(cart.byPath == 2 && cart.byText == 2)
        cart.first = nil
        #expect(cart.byPath == 3 && cart.byText == 3)
    }

    @Test func LL_2_elements_and_star() {
        let cart = Cart()
        let good = Good()
        #expect(cart.byPath == 0 && cart.byText == 0)
        cart.plain = 1
        cart.goods.append(good)
        #expect(cart.byPath == 1 && cart.byText == 1)
        cart.plain = 2
        good.price = 1
        #expect(cart.byPath == 2 && cart.byText == 2)
        cart.plain = 3
        cart.goods.removeAll()
        #expect(cart.byPath == 3 && cart.byText == 3)
        cart.plain = 4
        good.price = 2
        #expect(cart.byPath == 3 && cart.byText == 3)
    }

    @Test func LL_1_LL_2_lazy_ones_depend_on_what_they_declare_alone() {
        let cart = Cart()
        #expect(cart.lazy == "0")
        cart.count = 1
        #expect(cart.lazy == "0")
        cart.first = Good()
        #expect(cart.lazy == "1")
    }

    @Test func LL_2_LL_6_loaded_ones_declare_as_well() {
        let cart = Cart()
        #expect(cart.loaded == "0 loaded")
        cart.plain = 4
        #expect(cart.loaded == "0 loaded")
        cart.count = 1
        #expect(cart.loaded == "4 loaded")
    }

    @Test func LL_4_what_is_declared_holds_for_what_was_set_first() {
        let cart = Cart()
        let good = Good()
        cart.first = good
        cart.byPath = 9
        cart.byText = 9
        #expect(cart.byPath == 9 && cart.byText == 9)
        good.price = 1
        #expect(cart.byPath == 0 && cart.byText == 0)
    }

    @Test func LL_5_observed_ones_follow_what_they_declare() {
        let cart = Cart()
        let good = Good()
        cart.first = good
        let byPath = Calls(cart, \.byPath)
        let byText = Calls(cart, "byText")
        let atOnce = Calls(cart, "byClosure", options: .immediate)
        good.price = 1
        #expect(byPath.new == 0 && byText.new == 0 && atOnce.new == 0)
        cart.plain = 1
        good.price = 2
        #expect(byPath.new == 1 && byText.new == 1 && atOnce.new == 1)
        #expect(good.numberOfObservers(of: "price") == 0)
    }

    @Test func LL_13_subclasses_inherit_and_add() {
        let cart = GiftCart()
        #expect(cart.byPath == 0 && cart.wrapped == 0)
        cart.plain = 1
        cart.paper = "blue"
        #expect(cart.byPath == 0 && cart.wrapped == 1)
        cart.first = Good()
        #expect(cart.byPath == 1)
    }

    // MARK: - At other objects

    @Test func LL_2_at_another_object() {
        let cart = Cart()
        let taxes = Good()
        #expect(cart.unaware == 0)
        cart.computedProperties.addDependency(of: \.unaware, on: taxes, \.price, \.name)
        cart.computedProperties.addDependency(of: \.[text: "unaware"], on: taxes, \.[text: "price"])
        cart.plain = 1
        #expect(cart.unaware == 0)
        taxes.price = 1
        #expect(cart.unaware == 1)
        cart.plain = 2
        taxes.name = "VAT"
        #expect(cart.unaware == 2)
        cart.computedProperties.removeDependency(of: \.unaware, on: taxes, \.price)
        cart.plain = 3
        taxes.price = 2
        #expect(cart.unaware == 2)
        taxes.name = "GST"
        #expect(cart.unaware == 3)
        cart.computedProperties.removeDependency(of: \.[text: "unaware"], on: taxes)
        cart.plain = 4
        taxes.name = ""
        #expect(cart.unaware == 3)
    }

    @Test func LL_2_what_the_property_declares_is_taken_back() {
        for isComputed in [false, true] {
            let cart = Cart()
            if isComputed { #expect(cart.byPath == 0) }
            cart.computedProperties.removeDependency(of: \.byPath, on: cart)
            #expect(cart.byPath == 0)
            cart.plain = 1
            cart.first = Good()
            #expect(cart.byPath == 0)
            cart.computedProperties.invalidate(\.byPath)
            #expect(cart.byPath == 1)
        }
    }

    @Test func LL_3_nothing_is_kept_alive() {
        let cart = Cart()
        weak var gone: Good?
        weak var other: Cart?
        do {
            let taxes = Good()
            let brief = Cart()
            gone = taxes
            other = brief
            cart.computedProperties.addDependency(of: \.unaware, on: taxes, \.price)
            brief.computedProperties.addDependency(of: \.unaware, on: cart, \.first?.price, \.count)
            #expect(cart.unaware == 0 && brief.unaware == 0)
            cart.plain = 1
        }
        #expect(gone == nil && other == nil)
        #expect(cart.unaware == 1)
        cart.first = Good()
        cart.count = 3
    }

    @Test func ST_7_no_stop_ends_them() {
        let cart = Cart()
        let good = Good()
        cart.first = good
        cart.computedProperties.addDependency(of: \.unaware, on: good, \.price)
        #expect(cart.byPath == 0 && cart.byText == 0 && cart.unaware == 0)
        let calls = Calls(good, "price")
        good.stopTelling(calls)
        cart.stopTelling(calls)
        #expect(good.allObservedProperties.isEmpty && cart.allObservedProperties.isEmpty)
        cart.plain = 1
        good.price = 3
        #expect(cart.byPath == 1 && cart.byText == 1 && cart.unaware == 1)
    }

    // MARK: - What is told

    @Test func LL_2_what_is_refused_or_differs_is_told() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let wrong = WrongCart()
            #expect(wrong.sum == 0)
            #expect(reports.value.map(\.kind) == [.unresolvedPath])
            #expect(reports.value.map(\.path) == ["cuont"])
            wrong.computedProperties.addDependency(
                of: \.[text: "count"], on: wrong, \.[text: "other"])
            #expect(reports.value.last?.kind == .refused)
            wrong.computedProperties.addDependency(of: \.sum, on: wrong, \.sum)
            #expect(reports.value.last?.error?.kind == .argument)
            ObservationDiagnostics.checkDependencies()
            wrong.count = 1
            #expect(wrong.sum == 1)
            wrong.computedProperties.invalidate()
            #expect(wrong.sum == 1)
            #expect(reports.value.filter { $0.kind == .dependency }.map(\.path) == ["sum: count"])
            let cart = Cart()
            #expect(cart.honest == 0)
            cart.first = Good()
            #expect(cart.honest == 0)
            #expect(reports.value.filter { $0.kind == .dependency }.count == 1)
        }
    }
}

private final class Good: ObservableModel {
    @Observed var price = 0
    @Observed var name = ""
}

private class Cart: ObservableModel {
    @Observed var first: Good?
    @Observed var goods: ObservableArray<Good> = []
    @Observed var count = 0
    @Computed(Cart.makePlain, dependsOn: \.first?.price, \.goods.each.price) var byPath: Int
    @Computed(Cart.makePlain, dependsOn: \.[text: "first.price"], \.[text: "goods.*.price"])
    var byText: Int
    @Computed({ (cart: Cart) in cart.plain }, dependsOn: \.first?.price) var byClosure: Int
    @Lazy({ (cart: Cart) in "\(cart.count)" }, dependsOn: \.first) var lazy: String
    @Computed(loader: Cart.load, dependsOn: \.[text: "count"]) var loaded = ""
    @Computed(Cart.makePlain) var unaware: Int
    @Computed({ (cart: Cart) in cart.first?.price ?? 0 }, dependsOn: \.[text: "first.price"])
    var honest: Int

    var plain = 0

    private func makePlain() -> Int { plain }
    private func load(_ property: String) -> Any? { "\(plain) \(property)" }
}

private final class GiftCart: Cart {
    @Observed var paper = ""
    @Computed({ (cart: GiftCart) in cart.plain }, dependsOn: \.paper) var wrapped: Int
}

private final class WrongCart: ObservableModel {
    @Observed var count = 0
    @Observed var other = 0
    @Computed(WrongCart.makeSum, dependsOn: \.[text: "cuont"], \.[text: "other"]) var sum: Int

    private func makeSum() -> Int { count + other }
}
