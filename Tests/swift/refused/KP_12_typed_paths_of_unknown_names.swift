// SPDX-License-Identifier: Apache-2.0
//
// What the compiler says names the member, wherever a path stands: text has labels of its own, so
// that it tries no other meaning.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
}

final class User: ObservableModel {
    @Observed var address: Address?
}

func observe(_ user: User, _ observer: Address) {
    // expect: has no dynamic member 'adress' using key path from root type 'User'
    user.tell(observer, when: \.adress) { _, _ in }
    // expect: has no dynamic member 'zip' using key path from root type 'Address'
    user.tell(observer, when: \.address?.zip) { _, _ in }
    user.tell(observer, when: \.address?.zipCode, \.adress) { _, _ in }
    user.tell(observer, of: \.adress) { _, _, change in print(change) }
    user.tell(observer, recordOf: \.adress) { _, _, _ in }
    _ = user.onChange(when: \.adress) { _ in }
    _ = user.onChange(valueOf: \.address?.zip) { _ in }
    User.anyInstance.tell(observer, when: \.adress) { _, _ in }
    _ = User.anyInstance.onChange(valuesOf: \.adress) { _, _, _ in }
    user.stopTelling(observer, about: \.adress)
    User.anyInstance.stopTelling(observer, about: \.adress)
    // expect: value of optional type 'ObservedPath<User, Address>?' must be unwrapped
    user.tell(observer, when: \.address.zipCode) { _, _ in }
    _ = user.onChange(of: \.address.zipCode) { _ in }
}

func name() {
    let _: TypedPath<User> = \.adress
    let _: [TypedPath<User>] = [\.address, \.address?.zip]
}
