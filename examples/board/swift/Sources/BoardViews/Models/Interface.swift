// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A network interface.
@MainActor final class Interface: CountedModel, Sendable {
    let name: String
    /// Bytes since it came up.
    @Observed var received = 0
    @Observed var sent = 0
    /// Bytes a second since the reading before.
    @Observed var receivedRate = 0
    @Observed var sentRate = 0

    init(name: String) {
        self.name = name
    }
}
