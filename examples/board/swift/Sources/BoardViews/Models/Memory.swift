// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The machine's memory, in bytes.
@MainActor final class Memory: CountedModel, Sendable {
    @Observed var total = 0
    @Observed var available = 0
    @Computed(Memory.makeUsed) var used: Int
    /// Of the whole, 0 to 1.
    @Computed(Memory.makeShare) var share: Double

    private func makeUsed() -> Int { total - available }
    private func makeShare() -> Double { Double(used) / Double(max(total, 1)) }
}
