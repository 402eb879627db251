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
    // References come before `Equatable`, since a class is compared by identity even if it is
    // `Equatable`. The compiler knows that a trivial value is no reference.
    if !_isPOD(Value.self), _isObjectReference(Value.self) {
        return _word(a) == _word(b)
    }
    if let equatable = Value.self as? any Equatable.Type {
        return _areEqual(equatable, UnsafeRawPointer(a), UnsafeRawPointer(b))
    }
    return _areSameObjects(a.pointee, b.pointee)
}

/// Whether a type is a class or an optional of one. Its values are one word, compared by identity.
@inlinable @inline(__always)
func _isObjectReference<Value>(_ type: Value.Type) -> Bool {
    (_canBeClass(type) != 0 && type is AnyObject.Type) || _isOptionalClass(type)
}

/// Whether a type is an optional of a class. `is` and `as!` stand in place of `as?`, at which the
/// optimiser of Swift 6.3 crashes for `(any P<Int>)?`.
@inlinable @inline(__always)
func _isOptionalClass<Value>(_ type: Value.Type) -> Bool {
    _isOptional(type) && type is any _OptionalValue.Type
        && (type as! any _OptionalValue.Type)._wrapsClass
}

/// False if two values can be compared and differ. Values with the same bytes are the same,
/// whatever `==` says.
func _mayBeSame<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafePointer(to: a) { a in
        withUnsafePointer(to: b) { b in
            if _areSameBytes(a, b) || _areSame(a, b) { return true }
            if _isReference(Value.self) { return false }
            return areDynamicallyEqual(_unwrapped(a), _unwrapped(b)) ?? true
        }
    }
}

/// Compares `size` bytes, not `stride`: the padding behind a value on the stack is not the value's.
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

/// Compares by `==`, where NaN equals NaN. Only numbers get this exception: a struct that differs
/// from itself by a NaN may differ from the other in another field as well.
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

/// Compares class-bound existentials and optionals of them by identity. Values of any other type
/// differ.
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

/// The head of the runtime's metadata of an existential type: a kind, then flags, whose top bit
/// says "not bound to classes". A type with arguments (`any P<Int>`) has a pointer to its shape
/// instead of flags. The low byte of the shape's flags is 0 for any value, 1 for objects, and more
/// for metatypes and the like. All this is part of the stable binary interface.
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
