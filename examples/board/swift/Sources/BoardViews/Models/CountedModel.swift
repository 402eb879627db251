// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Synchronization

/// What the board's models begin with: an observable model that is counted, so that the last line
/// can say that none was left behind. Models of other programs begin with `ObservableModel` itself.
public nonisolated class CountedModel: ObservableModel {
    private static let madeSoFar = Atomic(0)
    private static let endedSoFar = Atomic(0)

    override init() {
        Self.madeSoFar.add(1, ordering: .relaxed)
    }

    deinit {
        Self.endedSoFar.add(1, ordering: .relaxed)
    }

    /// Models made since the program began.
    public static var made: Int { madeSoFar.load(ordering: .relaxed) }
    /// Those that are still alive.
    public static var left: Int { made - endedSoFar.load(ordering: .relaxed) }
}
