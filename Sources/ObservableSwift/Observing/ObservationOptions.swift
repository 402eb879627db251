// SPDX-License-Identifier: Apache-2.0

import CObservable

/// How an observation is called.
public struct ObservationOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Called inside the change, on the thread of the change, after the value is stored and every
    /// path follows it; once a change. A block that is isolated to an actor is called so only where
    /// the change is made in that isolation; any other change schedules it there.
    public static let immediate = ObservationOptions(rawValue: OBV_IMMEDIATE.rawValue)

    /// A change that comes in a drain after the observation was called in it is kept for the next
    /// drain, instead of being dropped and counted. Tokens do so by themselves.
    public static let deferred = ObservationOptions(rawValue: OBV_DEFER.rawValue)

    /// Scheduled at once, as by ``KeyValueObservation/schedule()``; of an immediate observation
    /// called at once, before the call that begins it returns.
    public static let initial = ObservationOptions(rawValue: OBV_INITIAL.rawValue)

    /// More paths may be added later: ``KeyValueObservation/also(_:when:_:)``.
    public static let extensible = ObservationOptions(rawValue: OBV_EXTENSIBLE.rawValue)
}
