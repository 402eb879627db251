// SPDX-License-Identifier: Apache-2.0
//
// An actor's model does not leave it, nor does its state come into a block that is not its own.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

actor Store {
    let user = User()
    var names: [String] = []

    func observe() {
        user.tell(self, when: \.name) { store, user in
            // expect: actor-isolated property 'names' can not be mutated from a nonisolated context
            store.names.append(user.name)
        }
    }
}

func outside(_ store: Store) async {
    // expect: non-Sendable type 'User' of property 'user' cannot exit actor-isolated context
    _ = await store.user
}
