// SPDX-License-Identifier: Apache-2.0
//
// The block receives the observer and the root, by their types.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}
final class Cell {}
final class Other: ObservableModel {
    @Observed var name = ""
}

func observe(_ user: User, _ cell: Cell, _ other: Other) {
    let block = ObservationBlock { (cell: Cell, user: User) in }
    // expect: cannot convert value of type 'ObservationBlock<Cell, User>'
    other.tell(cell, when: \.[text: "name"], block: block)
    // expect: cannot convert value of type
    user.tell(cell, when: \.name) { (other: Other, user: User) in }
}
