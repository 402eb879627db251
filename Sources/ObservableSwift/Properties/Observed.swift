// SPDX-License-Identifier: Apache-2.0

public import CObservable

/// A stored property that can be observed:
///
///     final class User: ObservableModel {
///         @Observed var name = ""
///         @Observed var address: Address?
///     }
///
/// Works for every type of value, in final, open, generic and actor-isolated classes, in
/// subclasses, with `private(set)`, with `willSet` and `didSet` (which run after observers that
/// are called immediately), and as the witness of a protocol's requirement. Of `Codable` values
/// it is `Codable` itself.
///
/// What counts as a change follows the type that the property is declared with: references and
/// optionals of them by identity, what is `Equatable` by `==` (a value that is not a number being
/// equal to itself), all else always. ``ObservedAs`` chooses otherwise.
///
/// A mutation in place (`user.tags.append("x")`) costs what it costs on a plain property. Values
/// that would have to be copied for it are not compared: such a mutation counts as a change.
///
/// Threads: as a plain stored property, one owner at a time. ``ObservedAtomic`` has no owner.
///
/// Cost: a set that nobody observes is two loads, a test and the store, in an optimised
/// whole-module build; a get is one load and a test more than a plain one.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline var _value: Value

    /// The property's first value; nobody is told of it.
    @inlinable
    public init(wrappedValue: Value) {
        _value = wrappedValue
    }

    @available(*, unavailable, message: "@Observed works in classes only")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    /// The value, past the setter: nothing is compared and nobody is told, whoever observes. For
    /// the class's own code, which alone can see `_age`, where it writes often and tells once:
    ///
    ///     func recount() {
    ///         let old = _age.unobserved
    ///         for event in events { _age.unobserved += event.years }
    ///         trigger(\.age, old: old)
    ///     }
    ///
    /// Until the trigger, observers and the paths that lead through the property are behind. Keep
    /// what is replaced until then: an object that ends inside the write may call blocks, and one
    /// that reads the property meanwhile stops the program. `willSet` and `didSet` do not run, and
    /// a read is not recorded as one of the property.
    ///
    /// Cost: that of a plain property.
    @inlinable public var unobserved: Value {
        @inline(__always) get { _value }
        @inline(__always) _modify { yield &_value }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Value>,
        storage storage: ReferenceWritableKeyPath<Host, Observed<Value>>
    ) -> Value {
        @inline(__always) get {
            if obv_detail_is_reading() {
                let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._value) { $0 }
                _noteRead(
                    object, object._observationObject, _offset(of: field, in: object),
                    Observed<Value>.self)
                _noteContent(of: field)
            }
            return object[keyPath: storage]._value
        }
        @inline(__always) set {
            let word = object._observationWord
            if obv_detail_may_observe(word) {
                let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._value) { $0 }
                let offset = _offset(of: field, in: object)
                if obv_detail_may_be_first() {
                    _setFirst(object, offset, newValue, _ByDeclaredType<Value>.self)
                    return
                }
                if obv_detail_may_watch(word, offset) {
                    _set(
                        object._observationObject, offset, field, newValue,
                        _ByDeclaredType<Value>.self)
                    return
                }
            }
            object[keyPath: storage]._value = newValue
        }
        @inline(__always) _modify {
            // The field's address is found only once. If `defer` captured the key path, the
            // optimiser would not remove it.
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._value) { $0 }
            var before: Value?
            var pendingAt: UInt64 = 0
            let word = object._observationWord
            if obv_detail_may_observe(word) {
                pendingAt = _beforeMutation(
                    _met(object, word), _offset(of: field, in: object), field, &before)
            }
            defer {
                let word = object._observationWord
                if obv_detail_may_observe(word)
                    && (pendingAt == 0 || pendingAt != obv_detail_registration_epoch_now())
                {
                    _mutated(
                        _met(object, word), _offset(of: field, in: object), field, before,
                        _ByDeclaredType<Value>.self, isInPlace: true)
                }
            }
            yield &object[keyPath: storage]._value
        }
    }
}

extension Observed: Sendable where Value: Sendable {}

extension Observed: ObservedStorage {
    static func makeAccess() -> PropertyAccess { StoredAccess<_ByDeclaredType<Value>>() }
}

/// The offset of a field in its object; a constant in an optimised build.
@inlinable @inline(__always)
func _offset<Value>(of field: UnsafeMutablePointer<Value>, in object: AnyObject) -> UInt32 {
    UInt32(
        truncatingIfNeeded: UInt(bitPattern: field)
            &- UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
