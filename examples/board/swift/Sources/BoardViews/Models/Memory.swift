// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The machine's memory, in bytes.
@MainActor final class Memory: CountedModel, Sendable {
    @Observed var total = 0
    @Observed var available = 0
}
