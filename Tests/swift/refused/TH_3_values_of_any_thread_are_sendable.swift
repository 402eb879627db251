// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class Plain {}

final class Progress: ObservableModel {
    // expect: type 'Plain' does not conform to the 'Sendable' protocol
    @ObservedAtomic var plain = Plain()
}
