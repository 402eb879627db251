// SPDX-License-Identifier: Apache-2.0
//
// A warning: the program runs, and nothing is observed. docs/messages.md
// flag: -warnings-as-errors

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

func drop(_ user: User) {
    // expect: result of call to 'onChange(when:_:on:options:comparing:label:file:line:perform:)' is unused
    user.onChange(when: \.name) { user in print(user.name) }
}
