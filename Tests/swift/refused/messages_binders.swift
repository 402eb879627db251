// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of a binder: docs/messages.md.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
}

func binders(_ user: User, _ other: User) {
    // expect: is unavailable: the elements are of another type than the property: a step makes them that
    _ = user.values(of: \.age).assign(to: \.name, of: other)
    _ = user.changes(of: \.name).assign(to: \.name, of: other)
    // expect: is unavailable: the two properties are of different types: `converting:` says how one is made of the other
    _ = bind(user, \.age, other, \.name)
    _ = bind(user, \.age, other, \.name, on: .main)
}

func sequences(_ stream: AsyncStream<String>, _ optional: AsyncStream<String?>, _ user: User) {
    // expect: is unavailable: the elements are of another type than the property: `map` makes them that
    _ = stream.assign(to: \.age, of: user)
    _ = optional.assign(to: \.name, of: user)
    // expect: has no dynamic member 'nme' using key path from root type 'User'
    _ = stream.assign(to: \.nme, of: user)
}

struct Decimal: ValueConverter {
    func convert(_ value: Int) -> String { "\(value)" }
    func convertBack(_ value: String) -> Int { Int(value) ?? 0 }
}

func failures(_ user: User, _ other: User) {
    // expect: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
    _ = bind(user, \.age, other, \.name, converting: Decimal()) { user.age = 0 }
    // expect: missing argument for parameter 'converting' in call
    _ = bind(user, \.age, other, \.age) { error in }
}

final class Screen {
    func bind(_ user: User) {
        // expect: use of 'bind' refers to instance method rather than global function
        _ = bind(user, \.name, user, \.name)
        _ = ObservableSwift.bind(user, \.name, user, \.name)
    }
}
