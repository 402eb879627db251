// SPDX-License-Identifier: Apache-2.0
//
// A Swift program outside: a zip code is followed by text and by typed path
// while the address on the way comes, goes and is replaced.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?

    init(_ zipCode: String?) {
        self.zipCode = zipCode
    }
}

final class User: ObservableModel {
    @Observed var address: Address?
}

final class Cell {
    var shown: [String] = []

    func show(_ user: User) {
        shown.append(user.address?.zipCode ?? "nil")
    }
}

@main
struct Follow {
    static func main() {
        let byText = Cell()
        let typed = Cell()
        let user = User()
        user.tell(byText, when: \.[text: "address.zipCode"]) { cell, user in cell.show(user) }
        user.tell(typed, when: \.address?.zipCode) { cell, user in cell.show(user) }

        let first = Address("1010")
        let changes: [() -> Void] = [
            { user.address = first },
            { first.zipCode = "1020" },
            { user.address = Address("1020") },  // other address, same zip code: no call
            { user.address = nil },
            { first.zipCode = "1030" },  // nobody's address by now: no call
            { user.address = Address("1040") },
        ]
        for change in changes {
            change()
            DeliveryLoop.main.drain()
        }
        user.stopTelling(byText)
        user.stopTelling(typed)
        user.address = nil
        DeliveryLoop.main.drain()

        print("by text:", byText.shown.joined(separator: " "))
        print("typed:", typed.shown.joined(separator: " "))
    }
}
