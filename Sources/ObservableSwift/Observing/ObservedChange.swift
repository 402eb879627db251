// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What a block is told of the change of one path:
///
///     token = user.onChange(of: \.address?.zipCode) { change in
///         print(change.old ?? "none", "→", change.new ?? "none")
///     }
///
/// A path may lead to a value, to nil, or nowhere, since something on the way is nil. ``old`` and
/// ``new`` do not tell the last two apart; ``wasReachable`` and ``isReachable`` do.
///
/// In a delayed observation they are the values before the first change of the cycle and after the
/// last. A call that no change has caused (``ObservationOptions/initial``,
/// ``ObservationHandle/schedule()``, ``ObservationHandle/execute()``) has the present value as
/// both, also after a stop. What is not known is as unreachable.
///
/// An immediate block that sets what it observes is called for that set first, and so are the
/// blocks behind it: of such calls the one that comes last tells an earlier value. The same goes for
/// a model that sets its property in ``ObservationAware/didBecomeObserved(_:)``. The present
/// value is what the property reads.
///
/// A text path's values are of type `Any`, without the optional of an optional property.
///
/// Threads: the values are copies, made on the thread of the change.
public struct ObservedChange<Root, Value> {
    /// The object that the path begins at.
    public let object: Root
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

    init(_ object: Root, _ call: obv_call) {
        let before = ChangeValue(call.old)
        let after = ChangeValue(call.now)
        self.object = object
        old = before.value()
        new = after.value()
        wasReachable = before.isReachable
        isReachable = after.isReachable
        isPrior = call.is_prior
    }

    /// Nil for a call that is for no instance.
    init?(_ object: Root?, _ call: obv_call) {
        guard let object else { return nil }
        self.init(object, call)
    }
}

extension ObservedChange: Sendable where Root: Sendable, Value: Sendable {}
