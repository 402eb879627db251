// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

// expect: cannot infer key path type from context
// expect: generic parameter 'Root' could not be inferred
func stop(_ user: User, _ observer: User, _ handle: KeyValueObservation) {
    // expect: cannot convert value of type 'KeyPath<Root, Value>' to expected
    user.stopTelling(observer, about: \.nome)
    // expect: cannot convert value of type 'TypedPath<Root>'
    handle.stop(TypedPath(\.nome), of: user)
}
