// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Readings

/// A machine, and what belongs to it:
///
///     machine ──┬── load, memory, uplink     nil until first known
///               ├── processes                by pid and start
///               │     └── ranking            those that are shown, from the busiest
///               ├── biggest, busiest         two of the processes, or nil
///               ├── service                  how the readings come
///               └── companion                another program that runs beside, or nil
///
/// Nobody tells the views what happens here: the loader sets properties, and that is all.
@MainActor public final class Machine: CountedModel, Sendable {
    /// What the readings are of, as the first line says it; empty until first known.
    @Observed var source = ""
    @Observed var load: Load?
    @Observed var memory: Memory?
    /// The interface that carried most so far, loopback left out.
    @Observed var uplink: Interface?
    /// The process that uses most memory.
    @Observed var biggest: Process?
    /// The process that used most processor time since the reading before.
    @Observed var busiest: Process?
    /// Processes that ended while they were read.
    @Observed var vanished = 0
    /// Processes whose files are there and cannot be read.
    @Observed var unreadable = 0
    /// What the last reading could not tell; of these the last values stand.
    @Observed var missing: Set<ReadingPart> = []
    @Observed public var companion: Companion?

    /// The address at which the inspector shows it all; nil: nowhere.
    public var page: String?

    public let service = ServiceState()
    /// Every process.
    let processes = ObservableDictionary<Process.Key, Process>()
    /// The same, as they came.
    let processList = ObservableArray<Process>()
    /// Those of them that are shown, from the busiest. It follows the list and each process's rank by
    /// itself.
    let ranking: DerivedArray<Process>

    /// - Parameter showsKernel: also the kernel's own processes, which have no memory.
    public init(showsKernel: Bool = false) {
        ranking =
            processList
            .refreshing(when: \.rank).filtering { showsKernel || $0.rank.memory > 0 }
            .refreshing(when: \.rank).sorting { $0.isRanked(before: $1) }
    }
}
