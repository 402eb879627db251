// SPDX-License-Identifier: Apache-2.0
//
// A model belongs to one owner, as a plain object does.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

func keep<Value: Sendable>(_ value: Value) {}

func send(_ user: User) {
    keep(user)  // expect: type 'User' does not conform to the 'Sendable' protocol
}

final class Claimed: ObservableModel, Sendable {  // expect: cannot inherit from another class
    let name = ""
}
