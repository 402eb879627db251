// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of isolations: docs/messages.md.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

@MainActor final class Window {
    var title = ""
}

@MainActor final class Page: ObservableModel, Sendable {
    @Observed var text = ""
}

nonisolated func observe(_ user: User, _ window: Window, _ page: Page) {
    user.tell(window, when: \.name, on: .main) { window, user in
        // expect: main actor-isolated property 'title' can not be mutated from a nonisolated context
        window.title = user.name
    }
    // expect: cannot form key path to main actor-isolated property 'text'
    page.tell(window, when: \.text) { _, _ in }
}

@MainActor final class Form: ObservableModel, Sendable {
    @Observed var text = ""

    override init() {
        super.init()
        // expect: cannot form key path to main actor-isolated property 'text'
        tell(self, when: \.text) { _, _ in }
    }
}
