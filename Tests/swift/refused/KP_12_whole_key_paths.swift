// SPDX-License-Identifier: Apache-2.0
//
// Key paths of Swift's own, which cannot be split: the error says how to write them.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
}

final class User: ObservableModel {
    @Observed var address: Address?
}

func observe(_ user: User, _ observer: Address) {
    let stored = \User.address?.zipCode
    // expect: a typed path is written in the call, without its root
    user.tell(observer, when: \User.address?.zipCode) { _, _ in }
    user.tell(observer, when: stored) { _, _ in }
    _ = user.onChange(of: \User.address) { _ in }
    _ = user.values(of: \User.address).onChange { _ in }
    _ = user.changes(of: stored).onChange { _ in }
    _ = user.values(of: \.address).assign(to: \User.address, of: user)
    _ = user.values(of: \.address).map { $0! }.assign(to: \User.address!, of: user)
    user.stopTelling(observer, about: stored)
}
