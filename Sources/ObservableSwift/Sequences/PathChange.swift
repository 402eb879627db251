// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What a path led to before and after: an element of
/// ``ObservableHost/changes(of:on:options:comparing:label:file:line:isolation:)``.
///
/// As an ``ObservedChange``, without the object: what waits in a sequence keeps nothing alive but
/// values. ``old`` and ``new`` do not tell nil at the path's end from a path that leads nowhere;
/// ``wasReachable`` and ``isReachable`` do.
///
/// Changes that were not taken are one: from the value before the first to the value after the last,
/// which may be equal.
public struct PathChange<Value> {
    /// Before the change; nil if it was nil or could not be reached.
    public let old: Value?
    /// After the change; nil if it is nil or cannot be reached.
    public let new: Value?
    /// Whether the path led anywhere before the change.
    public let wasReachable: Bool
    /// Whether it does now.
    public let isReachable: Bool

    init(_ call: obv_call) {
        let before = ChangeValue(call.old)
        let after = ChangeValue(call.now)
        old = before.value()
        new = after.value()
        wasReachable = before.isReachable
        isReachable = after.isReachable
    }

    /// Two that follow each other, as one.
    init(from first: PathChange, to last: PathChange) {
        old = first.old
        new = last.new
        wasReachable = first.wasReachable
        isReachable = last.isReachable
    }
}

extension PathChange: Sendable where Value: Sendable {}
extension PathChange: Equatable where Value: Equatable {}
extension PathChange: Hashable where Value: Hashable {}
