// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of a binder: docs/messages.md.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
}

func binders(_ user: User, _ other: User) {
    // expect: is unavailable: the two properties are of different types: a function or `by:` makes one the other
    _ = Binder(from: user, \.age, to: other, \.name)
    // expect: is unavailable: the two properties are of different types: `by:` a transformer
    _ = Binder(between: user, \.age, and: other, \.name)
    _ = Binder(between: user, \.age, and: other, \.name, on: .main)
}
