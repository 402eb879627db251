// SPDX-License-Identifier: Apache-2.0

import CObservable

// Values that are handed over. The core keeps copies of them in boxes; a box's head tells the
// value's type and how to compare it.

/// A box as the core sees it.
typealias BoxPointer = UnsafeMutablePointer<obv_boxed>

/// The head of a box. The value follows at the next offset that is aligned for its type. Head and
/// value are no generic struct, since looking up its metadata for each box takes longer than all
/// other work on the box.
private struct BoxHead {
    var boxed: obv_boxed
    let content: any BoxContent.Type

    /// The offset of a value of this type in its box.
    static func offset<Value>(of type: Value.Type) -> Int {
        let alignment = MemoryLayout<Value>.alignment
        return (MemoryLayout<BoxHead>.size + alignment - 1) & -alignment
    }
}

/// A box with the value that `initialize` writes, which the caller owns.
///
/// - Parameter content: of the value's type.
func makeBox<Value>(
    of type: Value.Type, _ content: any BoxContent.Type,
    initialize: (UnsafeMutableRawPointer) -> Void
) -> BoxPointer {
    let offset = BoxHead.offset(of: Value.self)
    let box = UnsafeMutableRawPointer.allocate(
        byteCount: offset + MemoryLayout<Value>.size,
        alignment: max(MemoryLayout<BoxHead>.alignment, MemoryLayout<Value>.alignment))
    let boxed = obv_boxed(
        release: { box in contentType(of: box).release(box) },
        equal: { a, b, how in contentType(of: a).areEqual(a, b, how) })
    box.initializeMemory(as: BoxHead.self, to: BoxHead(boxed: boxed, content: content))
    initialize(box + offset)
    return box.assumingMemoryBound(to: obv_boxed.self)
}

/// The operations on a box whose value is of one type. The conforming types have no instances.
protocol BoxContent {
    static var valueType: Any.Type { get }
    static func address(of box: UnsafePointer<obv_boxed>) -> UnsafeRawPointer
    /// The value; nil for nil.
    static func any(_ box: UnsafePointer<obv_boxed>) -> Any?
    static func areEqual(
        _ a: UnsafePointer<obv_boxed>, _ b: UnsafePointer<obv_boxed>, _ how: obv_compare
    ) -> Bool
    /// A copy of the box, which the caller owns.
    static func copy(_ box: UnsafePointer<obv_boxed>) -> BoxPointer
    /// The observable object that the value is: it has been given a class, and is retained for the
    /// caller.
    static func takeHost(_ box: UnsafePointer<obv_boxed>) -> HeaderPointer?
    static func release(_ box: BoxPointer)
}

/// Boxes of values that are compared by a policy.
enum Boxed<Policy: ObservationPolicy>: BoxContent {
    private typealias Value = Policy.Value

    /// A box with a copy of the value, which the caller owns.
    static func make(_ value: Policy.Value) -> BoxPointer {
        makeBox(of: Value.self, Boxed<Policy>.self) {
            $0.initializeMemory(as: Value.self, to: value)
        }
    }

    static func release(_ box: BoxPointer) {
        let box = UnsafeMutableRawPointer(box)
        (box + BoxHead.offset(of: Value.self)).assumingMemoryBound(to: Value.self)
            .deinitialize(count: 1)
        box.deallocate()
    }

    static func copy(_ box: UnsafePointer<obv_boxed>) -> BoxPointer {
        make(address(of: box).assumingMemoryBound(to: Value.self).pointee)
    }

    static func takeHost(_ box: UnsafePointer<obv_boxed>) -> HeaderPointer? {
        HostValues.take(
            address(of: box).assumingMemoryBound(to: Value.self), HostValues.Form(Value.self))
    }

    static var valueType: Any.Type { Value.self }

    static func address(of box: UnsafePointer<obv_boxed>) -> UnsafeRawPointer {
        UnsafeRawPointer(box) + BoxHead.offset(of: Value.self)
    }

    static func any(_ box: UnsafePointer<obv_boxed>) -> Any? {
        _unwrapped(address(of: box).assumingMemoryBound(to: Value.self))
    }

    static func areEqual(
        _ a: UnsafePointer<obv_boxed>, _ b: UnsafePointer<obv_boxed>, _ how: obv_compare
    ) -> Bool {
        let other = contentType(of: b)
        if how == OBV_COMPARE_IDENTITY {
            if let areIdentical = areIdentical(any(a), other.any(b)) { return areIdentical }
        }
        if how != OBV_COMPARE_DECLARED {
            if let areEqual = areDynamicallyEqual(any(a), other.any(b)) { return areEqual }
        }
        // By the declared type, so values of two different declared types differ.
        return other.valueType == Value.self
            && Policy.areEqual(
                address(of: a).assumingMemoryBound(to: Value.self).pointee,
                address(of: b).assumingMemoryBound(to: Value.self).pointee)
    }
}

/// The operations on the box's value, as the box's head has them.
func contentType(of box: UnsafePointer<obv_boxed>) -> any BoxContent.Type {
    UnsafeRawPointer(box).assumingMemoryBound(to: BoxHead.self).pointee.content
}

/// The address of the boxed value.
func boxedAddress(_ box: BoxPointer) -> UnsafeRawPointer {
    contentType(of: box).address(of: box)
}

/// The boxed value as a `Value`, or unwrapped from an optional; nil: the value is nil, or of
/// another type.
func boxedValue<Value>(
    _ box: UnsafePointer<obv_boxed>, as type: Value.Type = Value.self
) -> Value? {
    let content = contentType(of: box)
    let address = content.address(of: box)
    if content.valueType == Value.self {
        return address.assumingMemoryBound(to: Value.self).pointee
    }
    if content.valueType == Value?.self {
        return address.assumingMemoryBound(to: Value?.self).pointee
    }
    return content.any(box).flatMap { $0 as? Value }
}

/// A value without the optional round it.
func _unwrapped<Value>(_ value: UnsafePointer<Value>) -> Any? {
    func unwrapped<Wrapping: _OptionalValue>(_ type: Wrapping.Type) -> Any? {
        UnsafeRawPointer(value).assumingMemoryBound(to: Wrapping.self).pointee._wrappedValue
    }
    guard let optional = Value.self as? any _OptionalValue.Type else {
        return value.pointee
    }
    return unwrapped(optional)
}

/// Compares by `===`; nil if a value is no object.
private func areIdentical(_ a: Any?, _ b: Any?) -> Bool? {
    if let a, !(type(of: a) is AnyObject.Type) { return nil }
    if let b, !(type(of: b) is AnyObject.Type) { return nil }
    switch (a, b) {
    case (nil, nil): return true
    case (let a?, let b?): return (a as AnyObject) === (b as AnyObject)
    default: return false
    }
}

/// Compares by the `==` of the dynamic types, where NaN equals NaN; nil if the types have no `==`
/// in common.
func areDynamicallyEqual(_ a: Any?, _ b: Any?) -> Bool? {
    func areEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool? {
        (b as? Value).map { _areEqualOrNotNumbers(a, $0) }
    }
    switch (a, b) {
    case (nil, nil):
        return true
    case (let a?, let b?):
        // Either value may be of a subclass of the other's class, so both casts are tried.
        if let a = a as? any Equatable, let answer = areEqual(a, b) { return answer }
        if let b = b as? any Equatable, let answer = areEqual(b, a) { return answer }
        return nil
    default:
        return false
    }
}
