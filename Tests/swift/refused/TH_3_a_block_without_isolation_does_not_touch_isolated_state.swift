// SPDX-License-Identifier: Apache-2.0
//
// A block is checked as any closure where it stands.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

@MainActor final class Window {
    var title = ""
    func show(_ name: String) {}
}

nonisolated func observe(_ user: User, _ window: Window) {
    user.tell(window, when: \.name) { window, user in
        // expect: main actor-isolated property 'title' can not be mutated
        window.title = user.name
        // expect: call to main actor-isolated instance method 'show'
        window.show(user.name)
    }
}
