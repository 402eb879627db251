// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation
import Synchronization

/// Whether Observation tracks the reads of this thread, which it does not say. But where it does, it
/// keeps the key path of what is accessed: so a key path that nobody else has shows it.
enum Tracking {
    static var isUnderWay: Bool { !canTell || probe.isKept() }

    private static let probe = Probe()

    /// Whether that is so in the Observation of this system. If not, every read counts as tracked.
    private static let canTell: Bool = {
        withObservationTracking {
            probe.isKept()
        } onChange: {
        }
    }()
}

/// A subject with endlessly many properties.
private final class Probe: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let spare = Locked<UniquePath?>(nil)
    private let count = Atomic<Int>(0)

    private struct UniquePath: @unchecked Sendable {
        var path: KeyPath<Probe, Int>
    }

    private subscript(number: Int) -> Int { number }

    /// Whether an access is kept. One that is not leaves its key path for the next.
    func isKept() -> Bool {
        var unique = spare.withLock { $0.take() } ?? make()
        registrar.access(self, keyPath: unique.path)
        guard isKnownUniquelyReferenced(&unique.path) else { return true }
        let path = unique
        spare.withLock { $0 = path }
        return false
    }

    /// Another one each time: of two that are equal Observation keeps one.
    private func make() -> UniquePath {
        let number = count.add(1, ordering: .relaxed).newValue
        return UniquePath(path: \Probe[number])
    }
}
