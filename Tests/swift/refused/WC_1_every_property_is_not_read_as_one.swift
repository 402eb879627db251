// SPDX-License-Identifier: Apache-2.0
//
// `*` is many values: reading by path is of one.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
}

final class User: ObservableModel {
    @Observed var address: Address?
}

func read(_ user: User) {
    // expect: every property is many values, not one
    _ = user.value(at: \.anyProperty)
    _ = user.value(at: \.address?.anyProperty)
}
