// SPDX-License-Identifier: Apache-2.0
//
// By itself: after this error the compiler says less of others. docs/messages.md

import ObservableSwift

final class User: ObservableModel {
    // expect: property wrapper cannot be applied to a computed property
    @Observed var initials: String { "" }

    // The wrapper has no storage then, so the class lacks an initialiser.
    // expect: class 'User' has no initializers
}
