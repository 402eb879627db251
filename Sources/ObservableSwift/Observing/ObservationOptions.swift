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
    /// the change is made in that isolation; any other change schedules it there, which is told to
    /// ``ObservationDiagnostics`` once, and what it is then handed as old and new is what it finds.
    public static let immediate = ObservationOptions(rawValue: OBV_IMMEDIATE.rawValue)

    /// What the block itself changes is kept for the next drain as well, instead of being dropped
    /// and counted. Tokens do so by themselves.
    public static let keepsOwnChanges = ObservationOptions(rawValue: OBV_DEFER.rawValue)

    /// At most one call for all that happens in a drain: whatever the drain's blocks change after it
    /// is dropped and counted, so that this observation may stay with an old value. Refused together
    /// with ``keepsOwnChanges``.
    public static let ignoresRestOfDrain = ObservationOptions(rawValue: OBV_ONCE.rawValue)

    /// Scheduled at once, as by ``AnyObservation/schedule()``; of an immediate observation
    /// called at once, before the call that begins it returns.
    public static let initial = ObservationOptions(rawValue: OBV_INITIAL.rawValue)

    /// More paths may be added later: ``AnyObservation/also(_:when:_:)``.
    public static let allowsMorePaths = ObservationOptions(rawValue: OBV_EXTENSIBLE.rawValue)

    /// The block is called when any element of a path changes, whatever stands at its end: when an
    /// object in the middle is replaced, even by one that leads to equal values, and under `*` also
    /// when a property changes that leads nowhere.
    public static let includesIntermediateElements = ObservationOptions(
        rawValue: OBV_ANY_ELEMENT.rawValue)

    /// A delayed call does not come if after the last change that made it due every path led to what
    /// it led to before the first: there and back is no change. A call that was scheduled by hand
    /// comes. Nothing for an immediate observation, nor with ``ObservationComparison/alwaysDifferent``.
    public static let skipsReverted = ObservationOptions(rawValue: OBV_NET.rawValue)

    /// With ``immediate``, else it is refused: one more call before the store of a property on the
    /// path, when the value that is offered to it differs from the one that is there.
    /// ``ObservedChange/isPrior`` tells the two apart. The call after the store comes only if what
    /// the path leads to differs: one before need not be followed by one after. A mutation in place
    /// is offered when it is over. Not for manual triggers.
    public static let prior = ObservationOptions(rawValue: OBV_PRIOR.rawValue)
}
