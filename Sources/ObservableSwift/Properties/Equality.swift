// SPDX-License-Identifier: Apache-2.0

/// Whether two values are the same to an observer, by their declared type: class references,
/// class-bound existentials and optionals of them by identity; what is `Equatable` by `==`, a
/// number that is not a number being equal to another; all else never.
///
/// One function, since overloads of the wrappers' subscripts are not possible; in an optimised
/// build it folds to the comparison of the type.
@inlinable
public func _areSame<Value>(
    _ a: UnsafePointer<Value>, _ b: UnsafePointer<Value>
) -> Bool {
    // References before Equatable: an Equatable class is compared by identity all the same. Trivial
    // values are none, which the compiler knows.
    if !_isPOD(Value.self), _isObjectReference(Value.self) {
        return _word(a) == _word(b)
    }
    if let equatable = Value.self as? any Equatable.Type {
        return _areEqual(equatable, UnsafeRawPointer(a), UnsafeRawPointer(b))
    }
    return _areSameObjects(a.pointee, b.pointee)
}

/// Whether it is a class, or an optional of one: one word, compared by identity.
@inlinable @inline(__always)
func _isObjectReference<Value>(_ type: Value.Type) -> Bool {
    (_canBeClass(type) != 0 && type is AnyObject.Type) || _isOptionalClass(type)
}

/// Whether it is an optional of a class. Asked, then cast: of `(any P<Int>)?` the optimiser of Swift
/// 6.3 ends in `as?`.
@inlinable @inline(__always)
func _isOptionalClass<Value>(_ type: Value.Type) -> Bool {
    _isOptional(type) && type is any _OptionalValue.Type
        && (type as! any _OptionalValue.Type)._wrapsClass
}

/// False if two values can be compared, and differ. The same bytes are the same value, whatever
/// its `==` says.
func _mayBeSame<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafePointer(to: a) { a in
        withUnsafePointer(to: b) { b in
            if _areSameBytes(a, b) || _areSame(a, b) { return true }
            if _isReference(Value.self) { return false }
            return areDynamicallyEqual(_unwrapped(a), _unwrapped(b)) ?? true
        }
    }
}

/// Not what lies behind them up to the next one: a value on the stack has no such bytes.
func _areSameBytes<Value>(_ a: UnsafePointer<Value>, _ b: UnsafePointer<Value>) -> Bool {
    let size = MemoryLayout<Value>.size
    return UnsafeRawBufferPointer(start: a, count: size)
        .elementsEqual(UnsafeRawBufferPointer(start: b, count: size))
}

/// Whether values of this type are compared by identity.
private func _isReference(_ type: Any.Type) -> Bool {
    type is AnyObject.Type || (type as? any _OptionalValue.Type)?._wrapsClass == true
        || _isClassBound(type)
}

@inlinable
func _word<Value>(_ value: UnsafePointer<Value>) -> UInt {
    UnsafeRawPointer(value).load(as: UInt.self)
}

@inlinable
func _areEqual<Value: Equatable>(
    _ type: Value.Type, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer
) -> Bool {
    let x = a.assumingMemoryBound(to: Value.self)
    let y = b.assumingMemoryBound(to: Value.self)
    return _areEqualOrNotNumbers(x.pointee, y.pointee)
}

/// By `==`, a number that is not a number being equal to another. Of other types only `==` counts:
/// a struct with such a number in it may differ elsewhere.
@inlinable
func _areEqualOrNotNumbers<Value: Equatable>(_ x: Value, _ y: Value) -> Bool {
    x == y || (x != x && y != y && _isNumber(Value.self))
}

/// Whether values of this type are floating-point numbers, or optionals of them.
@usableFromInline @inline(never)
func _isNumber(_ type: Any.Type) -> Bool {
    if let optional = type as? any _OptionalValue.Type {
        return _isNumber(optional._wrappedType)
    }
    return type is any FloatingPoint.Type
}

/// Class-bound existentials and optionals of them, by identity; all else differs.
@usableFromInline @inline(never)
func _areSameObjects<Value>(_ a: Value, _ b: Value) -> Bool {
    _isClassBound(Value.self) && _areIdentical(a, b)
}

/// Whether two values that may hold objects hold the same one, or both none.
func _areIdentical<Value>(_ a: Value, _ b: Value) -> Bool {
    switch (_object(a), _object(b)) {
    case (nil, nil): return true
    case (let x?, let y?): return x === y
    default: return false
    }
}

/// The object in a class-bound existential or an optional of one; nil for nil.
func _object<Value>(_ value: Value) -> AnyObject? {
    if let optional = value as? any _OptionalValue {
        return optional._wrappedObject
    }
    return value as AnyObject
}

/// What a generic function needs to know of `Optional`.
public protocol _OptionalValue {
    static var _wrapsClass: Bool { get }
    static var _wrappedType: Any.Type { get }
    var _wrappedObject: AnyObject? { get }
    var _wrappedValue: Any? { get }
}

extension Optional: _OptionalValue {
    @inlinable public static var _wrapsClass: Bool { Wrapped.self is AnyObject.Type }
    public static var _wrappedType: Any.Type { Wrapped.self }
    public var _wrappedObject: AnyObject? {
        switch self {
        case .none: return nil
        case .some(let value): return value as AnyObject
        }
    }
    public var _wrappedValue: Any? { map { $0 as Any } }
}

// MARK: - Existentials, by their metadata

/// Whether a type is `any P`, `any P<Int>`, `any P & Q` or `Any`.
func _isExistential(_ type: Any.Type) -> Bool {
    ExistentialMetadata(type) != nil
}

/// Whether a type, or what an optional type wraps, is an existential that only classes satisfy.
func _isClassBound(_ type: Any.Type) -> Bool {
    if let optional = type as? any _OptionalValue.Type {
        return _isClassBound(optional._wrappedType)
    }
    return ExistentialMetadata(type)?.isClassBound ?? false
}

/// The head of the runtime's description of an existential type: its kind, then its flags, whose
/// top bit says "not bound to classes". One whose protocols have arguments (`any P<Int>`) has its
/// shape there, which begins with flags: their low byte is 0 for any value, 1 for objects, and more
/// for what is no existential of values. Part of the stable binary interface.
private struct ExistentialMetadata {
    let isClassBound: Bool

    init?(_ type: Any.Type) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let second = MemoryLayout<UInt>.size
        switch metadata.load(as: UInt.self) {
        case 0x303:
            let flags = metadata.load(fromByteOffset: second, as: UInt32.self)
            isClassBound = flags & 0x8000_0000 == 0
        case 0x307:
            let shape = metadata.load(fromByteOffset: second, as: UnsafeRawPointer.self)
            let form = shape.load(as: UInt8.self)
            if form > 1 { return nil }
            isClassBound = form == 1
        default:
            return nil
        }
    }
}
