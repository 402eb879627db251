// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

struct Value {
    // expect: 'wrappedValue' is unavailable: @Observed works in classes only
    @Observed var count = 0
    // expect: 'wrappedValue' is unavailable: @ObservedAtomic works in classes only
    @ObservedAtomic var level = 0
}

final class User: ObservableModel {
    @Observed let name = ""  // expect: property wrapper can only be applied to a 'var'
    @Observed lazy var age = 0  // expect: property 'age' with a wrapper cannot also be lazy
    // expect: property 'friend' with a wrapper cannot also be weak
    @Observed weak var friend: User?
}
