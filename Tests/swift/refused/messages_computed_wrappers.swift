// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of a computed property: docs/messages.md.

import ObservableSwift

final class Order: ObservableModel {
    @Observed var net = 0.0

    // expect: type 'Order' has no member 'makeGros'
    // expect: generic parameter 'Model' could not be inferred
    @Computed(Order.makeGros) var misspelt: Double

    // expect: cannot infer type of closure parameter 'order' without a type annotation
    @Computed({ order in order.net }) var untyped: Double

    // expect: cannot use instance member 'net' within property initializer
    // expect: type '()' cannot conform to 'ObservableHost'
    @Computed({ net * 2 }) var captured: Double

    // expect: no exact matches in call to initializer
    @Computed(Order.makeGross) var rounded: Int

    // expect: has no dynamic member 'nett' using key path from root type 'Order'
    @Computed(Order.makeGross, dependsOn: \.nett) var declared: Double

    func makeGross() -> Double { net }
}

struct Total {
    // expect: 'wrappedValue' is unavailable: @Computed, @Lazy and @Eager work in classes only
    @Computed({ (order: Order) in order.net }) var gross: Double
}
