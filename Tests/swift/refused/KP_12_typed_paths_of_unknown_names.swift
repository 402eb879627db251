// SPDX-License-Identifier: Apache-2.0
//
// What the compiler says is about the first overload it tries.

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
