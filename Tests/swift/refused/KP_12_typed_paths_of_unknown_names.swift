// SPDX-License-Identifier: Apache-2.0
//
// Where text would do as well, what the compiler says is about text, which it
// tries first; a TypedPath names the member.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
}

final class User: ObservableModel {
    @Observed var address: Address?
}

// expect: cannot infer key path type from context
func observe(_ user: User, _ observer: Address) {
    // expect: cannot convert value of type 'KeyPath<Root, Value>' to expected
    user.tell(observer, when: \.adress) { _, _ in }
    // expect: cannot convert value of type 'KeyPath<Root, Optional<_>>'
    user.tell(observer, when: \.address?.zip) { _, _ in }
}

func name() {
    // expect: has no dynamic member 'adress' using key path from root type 'User'
    _ = TypedPath<User>(\.adress)
    // expect: has no dynamic member 'zip' using key path from root type 'Address'
    _ = TypedPath<User>(\.address?.zip)
}
