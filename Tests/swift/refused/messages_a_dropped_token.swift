// SPDX-License-Identifier: Apache-2.0
//
// A warning: the program runs, and nothing is observed. docs/messages.md
// flag: -warnings-as-errors

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

func drop(_ user: User) {
    // expect: result of call to 'onChange(of:_:on:options:comparing:label:file:line:isolation:perform:)' is unused
    user.onChange(of: \.name) { user in print(user.name) }
    // expect: result of call to 'onChange' is unused
    user.values(of: \.name).onChange { name in print(name ?? "") }
    // expect: result of call to 'values(of:file:line:isolation:)' is unused
    user.values(of: \.name)
}
