// SPDX-License-Identifier: Apache-2.0

// A program that is stopped in gdb: check.sh.

import ObservableSwift

final class Address: ObservableModel { @Observed var zipCode: String? = "1010" }
final class User: ObservableModel { @Observed var address: Address? }

@inline(never) func moveHouse(_ user: User, _ home: Address) {
    withObservationCause { user.address = home }
}

@inline(never) func renameStreet(_ home: Address) {
    home.zipCode = "1030"
}

@main struct Breaks {
    static func main() {
        let user = User()
        let second = Address()
        user.address = Address()
        second.zipCode = "1020"
        let token = user.onChange(of: \.address) { _ in }
        if CommandLine.arguments.last == "call" {
            let named = user.changes(of: \.address).named("other").onChange { _ in }
            ObservationTrace.breakBeforeCall("other")
            moveHouse(user, second)
            DeliveryLoop.main.drain()
            withExtendedLifetime(named) {}
        } else {
            user.changes(of: \.address?.zipCode).named("zip").debugBreakOnChange()
            moveHouse(user, second)
            renameStreet(second)
        }
        withExtendedLifetime(token) {}
        print("went on to its end")
    }
}
