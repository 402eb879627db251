// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The change of what one path leads to:
///
///     token = user.changes(of: \.address?.zipCode).onChange { change in
///         print(change.path, change.old ?? "none", "→", change.new ?? "none")
///     }
///
/// A path may lead to a value, to nil, or nowhere, since something on the way is nil. ``old`` and
/// ``new`` do not tell the last two apart; ``wasReachable`` and ``isReachable`` do.
///
/// In a delayed observation they are the values before the first change of the cycle and after the
/// last. A call that no change has caused (``ObservationOptions/initial``,
/// ``AnyObservation/schedule()``, ``AnyObservation/execute()``) has the present value as
/// both, also after a stop. What is not known is as unreachable.
///
/// An immediate block that sets what it observes is called for that set first, and so are the
/// blocks behind it: of such calls the one that comes last tells an earlier value. The same goes for
/// a model that sets its property in ``ObservationAware/didBecomeObserved(_:)``. The present
/// value is what the property reads.
///
/// A text path's values are of type `Any`, without the optional of an optional property.
///
/// Threads: the values are copies, made on the thread of the change. It keeps no object but what these hold.
public struct ObservedChange<Root: ObservableHost, Value> {
    /// The object that the path begins at, which lives throughout a call. nil: it is gone, before the
    /// consumer of a sequence has taken this.
    public weak let object: Root?
    /// Before the change; nil if it was nil or could not be reached.
    public let old: Value?
    /// After the change; nil if it is nil or cannot be reached. In a call before the store
    /// (``isPrior``) what is about to be stored at the path's end; where that is not known
    /// yet, nil and not reachable.
    public let new: Value?
    /// Whether the path led anywhere before the change.
    public let wasReachable: Bool
    /// Whether it does now.
    public let isReachable: Bool
    /// This is the call before the store: ``ObservationOptions/prior``.
    public let isPrior: Bool

    private let paths: RequestedPaths

    /// The path, as it was written; of a typed one as text. Cost: it is made at each read.
    public var path: String { paths.text(from: object) }

    init(_ object: Root, _ call: obv_call, _ paths: RequestedPaths) {
        let before = ChangeValue(call.old)
        let after = ChangeValue(call.now)
        self.object = object
        self.paths = paths
        old = before.value()
        new = after.value()
        wasReachable = before.isReachable
        isReachable = after.isReachable
        isPrior = call.is_prior
    }

    /// Joins two changes that follow each other into one.
    init(from first: ObservedChange, to last: ObservedChange) {
        object = last.object
        paths = last.paths
        old = first.old
        new = last.new
        wasReachable = first.wasReachable
        isReachable = last.isReachable
        isPrior = false
    }
}

extension ObservedChange: @unchecked Sendable where Root: Sendable, Value: Sendable {
    // Unchecked for the path, which the program itself has passed to where it is used.
}
