// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of pipes: docs/messages.md.
// flag: -warnings-as-errors

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
}

@MainActor final class Window {
    var title = ""
}

func drop(_ user: User, _ other: User) {
    // expect: result of call to 'start()' is unused
    other.receive(\.name, from: user, \.name).start()
    // expect: result of call to 'receive(_:from:_:on:label:file:line:isolation:)' is unused
    other.receive(\.name, from: user, \.name)
}

func mistype(_ user: User, _ other: User) -> [Binder] {
    [
        // expect: is unavailable: what flows is of another type than the property that is set: a step makes it that
        other.receive(\.name, from: user, \.age).start(),
        // expect: is unavailable: what flows is of another type than the property that is set: a step makes it that
        other.receive(\.name, from: (user, \.name), (user, \.age)) { $1 }.start(),
    ]
}

nonisolated func leave(_ user: User, _ other: User, _ window: Window) -> Binder {
    other.receive(\.name, from: user, \.name, on: .main)
        // expect: main actor-isolated property 'title' can not be mutated from a nonisolated context
        .after { other in window.title = other.name }
        .start()
}
