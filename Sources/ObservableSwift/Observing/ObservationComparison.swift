// SPDX-License-Identifier: Apache-2.0

import CObservable

/// How an observation compares what its paths lead to, over what the properties say:
///
///     user.tell(self, when: \.tags, comparing: .alwaysDifferent) { cell, user in … }
///     user.tell(self, when: \.name, comparing: .by { (a: String, b: String) in
///         a.lowercased() == b.lowercased()
///     }) { cell, user in … }
///
/// It decides what calls the block; what a path leads through is compared as ever. Reachable and
/// unreachable always differ, and two unreachable ends never do. A property's own comparison is
/// chosen by ``ObservedAs``.
///
/// Cost: an observation with one has its values copied at each change of what it observes.
public struct ObservationComparison: Sendable {
    let how: obv_compare
    let areEqual: (@Sendable (Value, Value) -> Bool)?

    /// A value as the core hands it over.
    struct Value {
        let pointer: UnsafePointer<obv_value>
    }

    private init(_ how: obv_compare, _ areEqual: (@Sendable (Value, Value) -> Bool)? = nil) {
        self.how = how
        self.areEqual = areEqual
    }

    /// As each property compares: the default.
    public static let declared = ObservationComparison(OBV_COMPARE_DECLARED)

    /// Objects by `===`, other values by `==` where they have it, else as declared.
    public static let identity = ObservationComparison(OBV_COMPARE_IDENTITY)

    /// By the `==` of what the values are, where they have it, else as declared: objects of
    /// `Equatable` classes too. Not a number is equal to itself.
    public static let equality = ObservationComparison(OBV_COMPARE_EQUAL)

    /// Never equal: setting an equal value calls as well, also with ``ObservationOptions/skipsReverted``.
    public static let alwaysDifferent = ObservationComparison(OBV_COMPARE_ALWAYS_DIFFERENT)

    /// By a function. Where one of two values is no `Value`, nil for instance, they are compared as
    /// declared.
    ///
    /// - Parameter areEqual: called with no lock held, on the thread of the change, or with
    ///   ``ObservationOptions/skipsReverted`` by the drain. It must set nothing, and neither must a `==`: a
    ///   set inside may be told before the one that it is inside of.
    public static func by<Value>(
        _ areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) -> ObservationComparison {
        ObservationComparison(OBV_COMPARE_DECLARED) { a, b in
            guard let x = a.value(as: Value.self), let y = b.value(as: Value.self) else {
                return obv_value_equal(a.pointer, b.pointer)
            }
            return areEqual(x, y)
        }
    }
}

extension ObservationComparison.Value {
    /// The value, if it is of this type.
    fileprivate func value<Asked>(as type: Asked.Type) -> Asked? {
        ChangeValue(pointer).value()
    }
}
