// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
}

func stop(_ user: User, _ observer: User, _ handle: ObservationHandle) {
    // expect: has no dynamic member 'nome' using key path from root type 'User'
    user.stopTelling(observer, about: \.nome)
    handle.stop(about: \.nome as TypedPath<User>)
    // expect: reference to member 'nome' cannot be resolved
    handle.stop(about: \.nome, of: user)
}
