// SPDX-License-Identifier: Apache-2.0
//
// Models that do not say `@MainActor` have no isolation where that is the default either: a class
// takes the isolation of its superclass, and what conforms to `ObservableHost` has none by default.
// Those that say it are the main actor's.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

final class Card: ObservableHost {
    let observation = ObservationHeader()
    @Observed var name = ""
}

nonisolated func rename(_ user: User, _ card: Card) {
    user.name = ""
    card.name = ""
}

@MainActor final class Form: ObservableHost {
    let observation = ObservationHeader()
    @Observed var text = ""
    var length = 0

    init() {
        tell(self, when: \.text) { form, _ in form.measure() }
    }
    func measure() { length = textLength(of: self) }
}

@MainActor func textLength(of form: Form) -> Int { form.text.count }

@MainActor final class Page: ObservableModel, Sendable {
    @Observed var text = ""
    nonisolated override init() {}

    private convenience init(observing: Void) {
        self.init()
        tell(self, when: \.text) { page, _ in print(page.text) }
    }
    static func make() -> Page { Page(observing: ()) }
}
