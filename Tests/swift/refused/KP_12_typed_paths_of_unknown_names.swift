// SPDX-License-Identifier: Apache-2.0
//
// What the compiler says names the member, wherever a path stands, and whatever steps are behind it.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?

    func refresh() {}
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
    user.values(of: \.adress).tell(observer) { _, value in print(value) }
    user.changes(of: \.adress).tell(observer) { _, change in print(change) }
    user.values(of: \.adress).call(Address.refresh, of: observer)
    user.record(of: \.adress).tell(observer) { _, _ in }
    _ = user.onChange(of: \.adress) { _ in }
    _ = user.values(of: \.address?.zip).onChange { _ in }
    _ = user.changes(of: \.address?.zip).map { $0.new }.onChange { _ in }
    _ = user.values(of: \.address?.zip).compactMap { $0 }.assign(to: \.zipCode, of: observer)
    User.allInstances.instances(when: \.adress).tell(observer) { _, _ in }
    _ = User.allInstances.changes(of: \.adress).onChange { _ in }
    user.stopTelling(observer, about: \.adress)
    User.allInstances.stopTelling(observer, about: \.adress)
    // expect: value of optional type 'ObservedPath<Address>?' must be unwrapped
    user.tell(observer, when: \.address.zipCode) { _, _ in }
    _ = user.values(of: \.address.zipCode).onChange { _ in }
    _ = observer.values(of: \.zipCode).assign(to: \.address.zipCode, of: user)
    // expect: reference to member 'zip' cannot be resolved without a contextual type
    _ = observer.values(of: \.zipCode).assign(to: \.zip, of: observer)
}

func name() {
    let _: TypedPath<User> = \.adress
    let _: [TypedPath<User>] = [\.address, \.address?.zip]
}
