// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Synchronization

/// A loop that is turned by blocks, one for all that has woken it meanwhile.
final class WokenLoop: @unchecked Sendable {
    // The loop is set before anything wakes.

    private let isWoken = Atomic<Bool>(false)
    private weak var loop: DeliveryLoop?

    func begin(_ loop: DeliveryLoop) {
        self.loop = loop
    }

    /// - Parameter perform: has a block run where the loop is turned.
    func wake(by perform: (@escaping @Sendable () -> Void) -> Bool) {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = perform { [self] in
            // Before the drain: what comes now wakes again.
            isWoken.store(false, ordering: .sequentiallyConsistent)
            loop?.turn()
        }
    }
}
