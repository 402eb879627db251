// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of steps: docs/messages.md.
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
    // expect: result of call to 'assign(to:of:then:)' is unused
    user.values(of: \.name).assign(to: \.name, of: other)
    // expect: result of call to 'map' is unused
    user.values(of: \.name).map { $0 ?? "" }
}

func mistype(_ user: User, _ other: User) {
    // expect: is unavailable: the elements are of another type than the property: a step makes them that
    _ = user.values(of: \.age).compactMap { $0 }.assign(to: \.name, of: other)
    _ = user.values(of: \.name).combined(with: user.values(of: \.age)) { $1 }
        .assign(to: \.name, of: other)
    // expect: cannot convert value of type 'Int?' to expected argument type 'Int'
    _ = user.values(of: \.age).map { $0 + 1 }.assign(to: \.age, of: other)
    // expect: cannot convert value of type 'Int' to expected argument type 'String'
    _ = user.values(of: \.name).replaceUnreachable(with: 0).assign(to: \.name, of: other)
    // expect: incorrect argument label in call (have 'to:on:', expected 'to:of:')
    _ = user.values(of: \.name).assign(to: \.name, on: other)
}

/// What the compiler says of Swift's own sequences, too.
func misspell(_ user: User) {
    // expect: cannot convert value of type 'String?' to closure result type 'Made?'
    // expect: cannot infer type of closure parameter '$0' without a type annotation
    _ = user.values(of: \.name).compactMap { $0 }.map { $0.cuont }.onChange { print($0) }
    // expect: requires that 'ObservedChange<User, String>' conform to 'Equatable'
    _ = user.changes(of: \.name).removeDuplicates().onChange { _ in }
}

nonisolated func leave(_ user: User, _ other: User, _ window: Window) -> ObservationToken {
    user.values(of: \.name).on(.main).assign(to: \.name, of: other) { other in
        // expect: main actor-isolated property 'title' can not be mutated from a nonisolated context
        window.title = other.name
    }
}
