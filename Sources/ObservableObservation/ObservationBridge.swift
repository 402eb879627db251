// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation

/// Lets Swift's Observation see the reads of this library's models.
///
///     ObservationBridge.isOn = true
///
///     withObservationTracking {
///         label.text = user.address?.zipCode ?? ""
///     } onChange: {
///         setNeedsUpdate()
///     }
///
/// While it is on, a read inside `withObservationTracking` (or what is built on it: `Observations`, the
/// body of a view) counts there as one of an `@Observable` object does: of observed and computed
/// properties, of the content of observable collections, and by path. A change of what was read is
/// told, not a set of an equal value; a computed property is what was read, not what it has read itself.
///
/// - `onChange` is called inside the change, after the store: what it reads is the new value already.
///   `@Observable` calls it before the store.
/// - What the functions of computed properties and tracked expressions (`tracking`) read is theirs:
///   Observation does not see it, also where they call `withObservationTracking` themselves.
/// - The end of an object that was read is told as well.
///
/// Threads: as in `withObservationTracking`, which sees the reads of its own thread. What another thread
/// changes between a read and the end of that closure is not told, as it is not of `@Observable` objects.
///
/// Cost: nothing while it is off. While it is on, a tracked read costs a fifth to a third more than one of
/// an `@Observable` object. But every getter of the process takes its slow way, in which a read that nobody
/// tracks costs 30 to 40 nanoseconds instead of half a nanosecond (`@Observable`: 13): so a program says
/// that it wants that, and linking this product is not enough. Each property that was read inside
/// `withObservationTracking` has a hidden immediate observation: 30 microseconds to make, about 3,000
/// bytes. That goes with its object, or when the property has changed many times without being read there.
public enum ObservationBridge {
    /// Off at first. Turned off it lets go of all that it observes. But Observation keeps the `onChange` of
    /// a tracking that waits then, with all that it refers to, for ever: turn it on once.
    ///
    /// Threads: any.
    public static var isOn: Bool {
        get { SeenReads.areOn }
        set { SeenReads.turn(newValue) }
    }
}
