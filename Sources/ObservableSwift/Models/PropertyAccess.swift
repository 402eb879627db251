// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// Reads properties of one kind for the core. There is one object for each type of wrapper, kept
/// for the process. Fields are given by their address, and their objects are alive during the call.
class PropertyAccess: @unchecked Sendable {
    var valueType: Any.Type { fatalError("abstract") }
    var size: Int { fatalError("abstract") }
    /// `obv_property_flags`.
    var flags: UInt32 { 0 }
    /// Whether a value may be an observable object.
    var holdsHosts: Bool { HostValues.mayHold(valueType) }
    /// Whether a value is a collection of the language.
    var holdsCollections: Bool { HostValues.isCollection(valueType) }

    func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        fatalError("abstract")
    }

    /// Whether a field holds this value of the property's type.
    func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        fatalError("abstract")
    }

    /// Calls `body` with the address of `value` as the property's type; nil: `value` is of another
    /// type.
    func withAddress<Result>(
        of value: Any, _ body: (UnsafeRawPointer) -> Result
    ) -> Result? {
        func withCast<Value>(_ type: Value.Type) -> Result? {
            if let value = value as? Value {
                return withUnsafePointer(to: value) { body($0) }
            }
            return nil
        }
        return withCast(valueType)
    }

    /// Sets the field as the wrapper's setter does, if the property has an owner and takes the value; nil
    /// stands for nil.
    func store(
        _ value: Any?, in host: any ObservableHost, at field: UnsafeMutableRawPointer
    ) -> Bool { false }

    /// `value` as a `Value`, where nil becomes the nil of an optional `Value`; nil: `value` is of
    /// another type.
    static func value<Value>(_ value: Any?, as type: Value.Type) -> Value? {
        func none<Optional: ExpressibleByNilLiteral>(_ type: Optional.Type) -> Value? {
            Optional(nilLiteral: ()) as? Value
        }
        if let value { return value as? Value }
        return (type as? any ExpressibleByNilLiteral.Type).flatMap { none($0) }
    }

    /// The observable object that a field holds: it has been given a class, and is retained for the
    /// caller.
    func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        fatalError("abstract")
    }

    /// The same of a value of the property's type.
    func takeHost(of value: UnsafeRawPointer) -> HeaderPointer? {
        fatalError("abstract")
    }

    /// A number that changes whenever the field gets another value. Only properties that any thread
    /// may set have stamps.
    func stamp(at field: UnsafeRawPointer) -> UInt64 {
        fatalError("abstract")
    }

    /// A box with what a field holds, owned by the caller.
    func box(at field: UnsafeRawPointer) -> BoxPointer {
        fatalError("abstract")
    }

    /// The same with a value of the property's type.
    func box(of value: UnsafeRawPointer) -> BoxPointer {
        fatalError("abstract")
    }
}

/// A wrapper's type, which makes the access to its fields.
protocol ObservedStorage {
    static func makeAccess() -> PropertyAccess
}

/// ``Observed`` and ``ObservedAs``: the field is the value.
final class StoredAccess<Policy: ObservationPolicy>: PropertyAccess, @unchecked Sendable {
    private typealias Value = Policy.Value

    /// The policy's comparison, or for the default policy the one that the declared type calls for.
    private let comparison: FieldComparison
    private let form = HostValues.Form(Policy.Value.self)

    override init() {
        if Policy.self == _ByDeclaredType<Value>.self {
            comparison = FieldComparison(Value.self)
        } else {
            comparison = .function { a, b in
                Policy.areEqual(
                    a.assumingMemoryBound(to: Value.self).pointee,
                    b.assumingMemoryBound(to: Value.self).pointee)
            }
        }
    }

    override var valueType: Any.Type { Value.self }
    override var size: Int { MemoryLayout<Value>.size }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        reading(a) { reading(b) { comparison.areEqual(a, b) } }
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        reading(field) { comparison.areEqual(value, field) }
    }

    override func store(
        _ value: Any?, in host: any ObservableHost, at field: UnsafeMutableRawPointer
    ) -> Bool {
        guard let value = Self.value(value, as: Value.self) else { return false }
        _setFirst(
            host, UInt32(field - host.objectAddress), Policy.corrected(value), Policy.self)
        return true
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        reading(field) { takeHost(of: field) }
    }

    override func takeHost(of value: UnsafeRawPointer) -> HeaderPointer? {
        HostValues.take(value.assumingMemoryBound(to: Value.self), form)
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer {
        reading(field) { box(of: field) }
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<Policy>.make(value.assumingMemoryBound(to: Value.self).pointee)
    }

    /// Reads under the runtime's exclusivity checks: a read that overlaps a modification stops the
    /// program. Trivial values need no check, since an overlapping read corrupts nothing.
    private func reading<Result>(_ field: UnsafeRawPointer, _ body: () -> Result) -> Result {
        if _isPOD(Value.self) {
            return body()
        }
        var access = obv_swift_access()
        return withUnsafeMutablePointer(to: &access) { access in
            obv_swift_begin_access(access, UnsafeMutableRawPointer(mutating: field), false)
            defer { obv_swift_end_access(access) }
            return body()
        }
    }
}

/// The access to a constant property, whose field is the value.
class ConstantAccess<Value>: PropertyAccess, @unchecked Sendable {
    private let comparison = FieldComparison(Value.self)
    private let form = HostValues.Form(Value.self)

    override var valueType: Any.Type { Value.self }
    override var size: Int { MemoryLayout<Value>.size }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        comparison.areEqual(a, b)
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        comparison.areEqual(value, field)
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? { takeHost(of: field) }

    override func takeHost(of value: UnsafeRawPointer) -> HeaderPointer? {
        HostValues.take(value.assumingMemoryBound(to: Value.self), form)
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer { box(of: field) }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Value>>.make(value.assumingMemoryBound(to: Value.self).pointee)
    }
}

/// ``ObservedWeak``.
final class WeakAccess<Object: AnyObject>: PropertyAccess, @unchecked Sendable {
    override var valueType: Any.Type { Object?.self }
    override var size: Int { MemoryLayout<ObservedWeak<Object>>.size }
    override var flags: UInt32 { OBV_WEAK.rawValue }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        object(at: a) === object(at: b)
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        value.assumingMemoryBound(to: Object?.self).pointee === object(at: field)
    }

    override func store(
        _ value: Any?, in host: any ObservableHost, at field: UnsafeMutableRawPointer
    ) -> Bool {
        guard let value = Self.value(value, as: Object?.self) else { return false }
        _setWeak(
            _met(host, host._observationWord), UInt32(field - host.objectAddress),
            field.assumingMemoryBound(to: ObservedWeak<Object>.self), value)
        return true
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        withUnsafePointer(to: object(at: field)) { takeHost(of: $0) }
    }

    override func takeHost(of value: UnsafeRawPointer) -> HeaderPointer? {
        HostValues.take(value.assumingMemoryBound(to: Object?.self), .any)
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Object?>>.make(object(at: field))
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Object?>>.make(value.assumingMemoryBound(to: Object?.self).pointee)
    }

    private func object(at field: UnsafeRawPointer) -> Object? {
        field.assumingMemoryBound(to: ObservedWeak<Object>.self).pointee._value
    }
}

/// ``ObservedAtomic``: the field is a cell.
final class AtomicAccess<Value: Sendable>: PropertyAccess, @unchecked Sendable {
    override var valueType: Any.Type { Value.self }
    override var size: Int { MemoryLayout<ObservedAtomic<Value>>.size }
    override var flags: UInt32 { OBV_ANY_THREAD.rawValue }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        _ByDeclaredType<Value>.areEqual(value(at: a), value(at: b))
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        _ByDeclaredType<Value>.areEqual(
            value.assumingMemoryBound(to: Value.self).pointee, self.value(at: field))
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        withUnsafePointer(to: value(at: field)) { takeHost(of: $0) }
    }

    override func takeHost(of value: UnsafeRawPointer) -> HeaderPointer? {
        HostValues.take(value.assumingMemoryBound(to: Value.self), .any)
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Value>>.make(value(at: field))
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Value>>.make(value.assumingMemoryBound(to: Value.self).pointee)
    }

    override func stamp(at field: UnsafeRawPointer) -> UInt64 { cell(at: field).stamp }

    private func value(at field: UnsafeRawPointer) -> Value { cell(at: field).load() }

    private func cell(at field: UnsafeRawPointer) -> AtomicCell<Value> {
        field.assumingMemoryBound(to: ObservedAtomic<Value>.self).pointee.cell
    }
}
