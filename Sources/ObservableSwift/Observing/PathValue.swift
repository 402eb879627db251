// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What a path leads to at one moment: `ObservableHost.value(at:)`.
///
///     switch user.value(at: \.address?.zipCode) {
///     case .reached(let code): label.show(code ?? "no code")
///     case .unreachable: label.show("no address")
///     }
///
/// A path may lead to a value, to nil, or nowhere, since something on the way is nil, as in
/// ``ObservedChange``: ``value`` does not tell the last two apart.
public enum PathValue<Value> {
    /// What stands at the path's end, without the optional of an optional property.
    case reached(Value?)
    /// The path leads nowhere.
    case unreachable

    /// What stands at the path's end; nil if that is nil, or nothing does.
    public var value: Value? {
        if case .reached(let value) = self { return value }
        return nil
    }

    /// Whether the path leads anywhere.
    public var isReachable: Bool {
        if case .reached = self { return true }
        return false
    }
}

extension PathValue: Sendable where Value: Sendable {}
extension PathValue: Equatable where Value: Equatable {}
extension PathValue: Hashable where Value: Hashable {}

extension PathValue {
    init(_ value: ChangeValue) {
        self = value.isReachable ? .reached(value.value()) : .unreachable
    }
}
