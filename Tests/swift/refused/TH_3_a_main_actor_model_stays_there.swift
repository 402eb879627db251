// SPDX-License-Identifier: Apache-2.0
//
// What the main actor isolates is neither set nor read nor observed elsewhere.

import ObservableSwift

@MainActor final class User: ObservableModel, Sendable {
    @Observed var name = ""
    @Observed var friend: User?
}

nonisolated func elsewhere(_ user: User) -> ObservationToken {
    // expect: main actor-isolated property 'name' can not be mutated from a nonisolated context
    user.name = "a"
    // expect: main actor-isolated property 'name' can not be referenced from a nonisolated context
    print(user.name)
    // expect: cannot form key path to main actor-isolated property 'name'
    return user.onChange(of: \.name) { _ in }
}

actor Other {
    func set(_ user: User) {
        // expect: main actor-isolated property 'friend' can not be mutated
        user.friend = nil
    }
}
