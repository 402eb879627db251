// SPDX-License-Identifier: Apache-2.0
//
// Old and new value are those of one path; several paths have records.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
}

func observe(_ user: User, _ observer: User) {
    // expect: missing argument label 'on:' in call
    // expect: cannot convert value of type 'String' to expected argument type 'DeliveryLoop'
    user.tell(observer, valueOfText: "name", "age") { _, _, _ in }
    _ = user.onChange(valueOfText: "name", "age") { _ in }
}
