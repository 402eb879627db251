// SPDX-License-Identifier: Apache-2.0

/// How a property compares, and what it makes of a value that is offered to it. See
/// ``ObservedAs``.
///
///     enum Percent: ObservationPolicy {
///         static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
///         static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
///     }
///
///     @ObservedAs<Percent> var progress = 0
///
/// Both functions are called on the thread of the change (or, to compare what stands at the end
/// of a path that moves to another object, on the thread of that change), with no lock held.
public protocol ObservationPolicy<Value>: SendableMetatype {
    /// The type of the property.
    associatedtype Value

    /// Whether a change from one to the other is none. It must set nothing, and neither must a
    /// `==`: a set inside a comparison may be told before the one that it is inside of.
    static func areEqual(_ a: Value, _ b: Value) -> Bool

    /// The value that is stored for one that is offered: before the store, so that observers see
    /// one change. The default is the value itself. It may read the property, which has the value
    /// before then, or after a mutation in place what that has left; what it sets there is replaced.
    static func corrected(_ offered: consuming Value) -> Value
}

extension ObservationPolicy {
    @inlinable
    public static func corrected(_ offered: consuming Value) -> Value { offered }
}

/// By `===`, also for `Equatable` classes and for optionals; values that are no objects are never
/// the same.
public enum ByIdentity<Value>: ObservationPolicy {
    @inlinable
    public static func areEqual(_ a: Value, _ b: Value) -> Bool {
        if Value.self is AnyObject.Type {
            return (a as AnyObject) === (b as AnyObject)
        }
        return _areSameReferences(a, b)
    }
}

/// By `==`, also for classes; not a number is equal to itself.
public enum ByEquality<Value: Equatable>: ObservationPolicy {
    @inlinable
    public static func areEqual(_ a: Value, _ b: Value) -> Bool {
        _areEqualOrNotNumbers(a, b)
    }
}

/// Every set is a change.
public enum AlwaysDifferent<Value>: ObservationPolicy {
    @inlinable
    public static func areEqual(_ a: Value, _ b: Value) -> Bool { false }
}

/// What ``Observed`` does: by the declared type.
public enum _ByDeclaredType<Value>: ObservationPolicy {
    @inlinable
    public static func areEqual(_ a: Value, _ b: Value) -> Bool {
        withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { b in _areSame(a, b) } }
    }
}

@usableFromInline
func _areSameReferences<Value>(_ a: Value, _ b: Value) -> Bool {
    let wrapped = (Value.self as? any _OptionalValue.Type)?._wrappedType ?? Value.self
    return (wrapped is AnyObject.Type || _isExistential(wrapped)) && _areIdentical(a, b)
}
