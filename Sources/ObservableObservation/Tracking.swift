// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation

/// Whether Observation tracks the reads of this thread, which it does not say. But where it does, it
/// hashes the key path of what is accessed: so a key path that notes when it is hashed shows it.
enum Tracking {
    static var isUnderWay: Bool { !canTell || probe.isHashed() }

    private static let probe = Probe()

    /// Whether that is so in the Observation of this system, once it knows the key path as well. If not,
    /// every read counts as tracked.
    private static let canTell: Bool = {
        withObservationTracking {
            probe.isHashed() && probe.isHashed()
        } onChange: {
        }
    }()
}

/// A subject with one property.
private final class Probe: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let path: KeyPath<Probe, Int> & Sendable = \Probe[Argument()]

    private struct Argument: Hashable, Sendable {
        private let number = 0

        func hash(into hasher: inout Hasher) {
            ThreadMark.leave()
            hasher.combine(number)
        }
    }

    private subscript(argument: Argument) -> Int { 0 }

    /// Whether the key path of an access is hashed.
    func isHashed() -> Bool {
        _ = ThreadMark.take()
        registrar.access(self, keyPath: path)
        return ThreadMark.take()
    }
}
