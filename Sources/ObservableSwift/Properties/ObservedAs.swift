// SPDX-License-Identifier: Apache-2.0

public import CObservable

/// An ``Observed`` property with a rule of its own for what is a change, and for what is stored
/// when a value is offered:
///
///     @ObservedAs<ByIdentity<Node?>> var node: Node?            // although Node is Equatable
///     @ObservedAs<AlwaysDifferent<[Item]>> var items: [Item] = []
///     @ObservedAs<Percent> var progress = 0                     // see ObservationPolicy
///
/// Costs no byte more than the value. A mutation in place is corrected when it is over: a policy
/// that corrects a value which copies on write by changing it copies it whole.
@propertyWrapper
public struct ObservedAs<Policy: ObservationPolicy> {
    @usableFromInline var _value: Policy.Value

    /// The first value is corrected as later ones are.
    @inlinable
    public init(wrappedValue: Policy.Value) {
        _value = Policy.corrected(wrappedValue)
    }

    @available(*, unavailable, message: "@ObservedAs works in classes only")
    public var wrappedValue: Policy.Value {
        get { fatalError() }
        set { fatalError() }
    }

    /// The value, past the setter and its policy: see ``Observed/unobserved``. What is written is
    /// stored as it is, not corrected.
    @inlinable public var unobserved: Policy.Value {
        @inline(__always) get { _value }
        @inline(__always) _modify { yield &_value }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Policy.Value>,
        storage storage: ReferenceWritableKeyPath<Host, ObservedAs<Policy>>
    ) -> Policy.Value {
        @inline(__always) get {
            if obv_detail_is_reading() {
                let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._value) { $0 }
                _noteRead(
                    object, object._observationObject, _offset(of: field, in: object),
                    ObservedAs<Policy>.self)
                _noteContent(of: field)
            }
            return object[keyPath: storage]._value
        }
        @inline(__always) set {
            let value = Policy.corrected(newValue)
            let word = object._observationWord
            if obv_detail_may_observe(word) {
                let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._value) { $0 }
                let offset = _offset(of: field, in: object)
                if obv_detail_may_be_first() {
                    _setFirst(object, offset, value, Policy.self)
                    return
                }
                if obv_detail_may_watch(word, offset) {
                    _set(object._observationObject, offset, field, value, Policy.self)
                    return
                }
            }
            object[keyPath: storage]._value = value
        }
        @inline(__always) _modify {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._value) { $0 }
            var before: Policy.Value?
            var pendingAt: UInt64 = 0
            let word = object._observationWord
            if obv_detail_may_observe(word) {
                pendingAt = _beforeMutation(
                    _met(object, word), _offset(of: field, in: object), field, &before)
            }
            defer {
                // The program's `corrected` may read and set the property. So it gets a copy, and
                // its answer is stored after it has returned.
                _ = _exchange(field, Policy.corrected(field.pointee))
                let word = object._observationWord
                if obv_detail_may_observe(word)
                    && (pendingAt == 0 || pendingAt != obv_detail_registration_epoch_now())
                {
                    _mutated(
                        _met(object, word), _offset(of: field, in: object), field, before,
                        Policy.self, isInPlace: true)
                }
            }
            yield &object[keyPath: storage]._value
        }
    }
}

extension ObservedAs: Sendable where Policy.Value: Sendable {}

extension ObservedAs: ObservedStorage {
    static func makeAccess() -> PropertyAccess { StoredAccess<Policy>() }
}
