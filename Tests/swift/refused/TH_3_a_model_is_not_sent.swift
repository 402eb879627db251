// SPDX-License-Identifier: Apache-2.0
//
// A model that its owner still holds does not go to another thread.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

func send(_ user: User) {
    Task.detached {  // expect: passing closure as a 'sending' parameter risks causing data races
        user.name = "a"
    }
}

@MainActor func sendFromMain(_ user: User) async {
    await elsewhere(user)  // expect: sending 'user' risks causing data races
}

@concurrent func elsewhere(_ user: User) async {}
