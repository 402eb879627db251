// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of a path: docs/messages.md.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
}

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
    @Observed var address: Address?
    @Observed var homes: ObservableArray<Address> = []
}

func paths(_ user: User, _ observer: Address, _ handle: ObservationHandle) {
    // expect: has no dynamic member 'adress' using key path from root type 'User'
    user.tell(observer, when: \.adress) { _, _ in }
    // expect: has no dynamic member 'zip' using key path from root type 'Address'
    user.tell(observer, when: \.address?.zip) { _, _ in }
    // expect: has no dynamic member 'zipCode' using key path from root type 'ObservableArray<Address>'
    user.tell(observer, when: \.homes.zipCode) { _, _ in }
    // expect: must be unwrapped to refer to member 'zipCode' of wrapped base type
    user.tell(observer, when: \.address.zipCode) { _, _ in }
    // expect: is unavailable: a typed path is written in the call, without its root: \.address?.zipCode
    user.tell(observer, when: \User.name) { _, _ in }
    let stored = \User.name
    user.tell(observer, when: stored) { _, _ in }
    _ = user.values(of: stored).onChange { _ in }
    // expect: cannot convert value of type 'String' to expected argument type 'PartialKeyPath<ObservedPath<User>>'
    user.tell(observer, when: "name") { _, _ in }
    // expect: cannot convert value of type 'String' to expected argument type '(ObservedPath<User>) -> ObservedPath<Value>?'
    // expect: generic parameter 'Value' could not be inferred
    _ = user.values(of: "name").onChange { _ in }
    // expect: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'TextPath'
    // expect: cannot infer key path type from context
    user.tell(observer, when: \.[text: \.name]) { _, _ in }
    let text = "na" + "me"
    // expect: cannot convert value of type 'String' to expected argument type 'TextPath'
    user.tell(observer, when: \.[text: text]) { _, _ in }
    // expect: is unavailable: values are those of one path; several have `record(of:)`
    user.values(of: \.name, \.age).tell(observer) { _, _ in }
    _ = user.changes(of: \.name, \.age).onChange { _ in }
    // expect: no exact matches in call to subscript
    user.tell(observer, when: \.address?[0]) { _, _ in }
    // expect: has no dynamic member 'aeg' using key path from root type 'User'
    user.trigger(\.aeg, old: 1)
    // expect: 'nil' is not compatible with expected argument type 'ObservedPath<Int>.Stored' (aka 'Int')
    user.trigger(\.age, old: nil)
    user.set(2, at: \.aeg)
    // expect: 'nil' is not compatible with expected argument type 'Int'
    user.set(nil, at: \.age)
    // expect: cannot convert value of type 'String' to expected argument type 'Int'
    user.set("two", at: \.age)
    user.stopTelling(observer, about: \.aeg)
    // expect: reference to member 'aeg' cannot be resolved
    _ = user.values(of: \.age).assign(to: \.aeg, of: user)
    handle.stop(about: \.aeg, of: user)
}
