// SPDX-License-Identifier: Apache-2.0

public import CObservable

/// An observed property that holds its object weakly:
///
///     @ObservedWeak var delegate: Window?
///
/// Compared by identity. The death of the object, if that is an ``ObservableHost``, is a change: the
/// property is nil then, what lies below is let go and counts as unreachable. As the old value an
/// object that has died is handed over as unreachable, a value below it as it was stored last. Of
/// other objects nobody learns that they die. Costs what a `weak` stored property costs.
@propertyWrapper
public struct ObservedWeak<Object: AnyObject> {
    @usableFromInline weak var _value: Object?

    /// The property's first object; nobody is told of it.
    @inlinable
    public init(wrappedValue: Object?) {
        _value = wrappedValue
    }

    @available(*, unavailable, message: "@ObservedWeak works in classes only")
    public var wrappedValue: Object? {
        get { fatalError() }
        set { fatalError() }
    }

    /// The object, past the setter: see ``Observed/unobserved``.
    @inlinable public var unobserved: Object? {
        get { _value }
        set { _value = newValue }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Object?>,
        storage storage: ReferenceWritableKeyPath<Host, ObservedWeak<Object>>
    ) -> Object? {
        get {
            if obv_detail_is_reading() {
                let field = withUnsafeMutablePointer(to: &object[keyPath: storage]) { $0 }
                _noteRead(
                    object, object._observationObject, _offset(of: field, in: object),
                    ObservedWeak<Object>.self)
                _notePresence(object[keyPath: storage]._value)
            }
            return object[keyPath: storage]._value
        }
        set {
            let word = object._observationWord
            if obv_detail_may_observe(word) {
                let field = withUnsafeMutablePointer(to: &object[keyPath: storage]) { $0 }
                _setWeak(
                    _met(object, word), _offset(of: field, in: object), field, newValue)
            } else {
                object[keyPath: storage]._value = newValue
            }
        }
    }
}

extension ObservedWeak: @unchecked Sendable where Object: Sendable {}

extension ObservedWeak: ObservedStorage {
    static func makeAccess() -> PropertyAccess { WeakAccess<Object>() }
}

/// Reports a read of a weak property: an evaluation depends on the life of the property's object.
@usableFromInline
func _notePresence(_ object: AnyObject?) {
    guard Reads.areRecordedByClass, let host = object as? any ObservableHost,
        let header = host.adoptedInChange
    else { return }
    obv_detail_read_presence(header)
}

/// Sets a weak property that somebody may observe.
@usableFromInline
func _setWeak<Object: AnyObject>(
    _ header: UnsafeMutablePointer<obv_object>, _ offset: UInt32,
    _ field: UnsafeMutablePointer<ObservedWeak<Object>>, _ newValue: Object?
) {
    var property: UInt32 = 0
    var look = obv_detail_look_first(header, offset, &property)
    if look & (OBV_DETAIL_LOOK_WATCHED.rawValue | OBV_DETAIL_LOOK_FIRST.rawValue) == 0 {
        field.pointee._value = newValue
        return
    }
    look = meetFirst(header, property, look) { field.pointee._value === newValue }
    let prior = tellBefore(header, property, look, newValue) {
        field.pointee._value === newValue
    }
    let old = field.pointee._value
    field.pointee._value = newValue
    let isSame = old === newValue
    withUnsafePointer(to: old) { old in
        tell(header, property, look, obv_detail_set(old: old, isSame: isSame, prior: prior))
    }
}
