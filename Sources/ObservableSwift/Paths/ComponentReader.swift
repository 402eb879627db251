// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The place from which a component is read.
enum ComponentSource {
    case object(AnyObject)
    /// A former value of the property.
    case former(UnsafeRawPointer)
}

/// Reads one component of a typed path, from the object to which the components before it lead: a
/// property of the object, or a part of the property's value.
///
/// Two components with equal key paths are the same.
class ComponentReader: @unchecked Sendable {
    /// The property's key path, then those into its value.
    let keyPaths: [AnyKeyPath]

    init(_ keyPaths: [AnyKeyPath]) {
        self.keyPaths = keyPaths
    }

    /// The component is the property itself.
    var isPlain: Bool { keyPaths.count == 1 }

    /// The reader of the property.
    var property: ComponentReader { self }

    /// Whether what is read may be set through the key path.
    var isWritable: Bool { fatalError("abstract") }

    var valueType: Any.Type { fatalError("abstract") }

    /// Whether the object is of the type at which the key path begins.
    func mayRead(_ object: AnyObject) -> Bool { fatalError("abstract") }

    /// Reads and drops the value, so that the reads of its getter can be recorded.
    func touch(_ object: AnyObject) { fatalError("abstract") }

    /// The unwrapped value; nil: the value is nil, or there is none to read.
    func any(in object: AnyObject) -> Any? { fatalError("abstract") }

    /// The observable object that is read: it has been given a class, and is retained for the
    /// caller.
    func takeHost(_ object: AnyObject) -> HeaderPointer? { fatalError("abstract") }

    /// Whether equal values are read.
    func areEqual(_ a: ComponentSource, _ b: ComponentSource) -> Bool { fatalError("abstract") }

    /// Whether there is a value to read.
    func reaches(_ object: AnyObject) -> Bool { fatalError("abstract") }

    /// False if the value that is read from the object certainly differs from the reading of
    /// `property`, a value of the property. True for values without `==`, which cannot be compared.
    func mayBe(_ property: UnsafeRawPointer, in object: AnyObject) -> Bool {
        fatalError("abstract")
    }

    /// Makes the access to the late property that is read, if the property is nothing but a getter.
    func makeLateAccess(isNameless: Bool) -> LateAccess { fatalError("abstract") }

    /// A box with the value, owned by the caller; nil: there is no value to read.
    func box(of source: ComponentSource) -> BoxPointer? { fatalError("abstract") }
    final func box(in object: AnyObject) -> BoxPointer? { box(of: .object(object)) }
}

/// A reader of values of one type. A value that cannot be reached is read as nil.
class TypedReader<Value>: ComponentReader, @unchecked Sendable {
    func value(of source: ComponentSource) -> Value? { fatalError("abstract") }
    final func value(in object: AnyObject) -> Value? { value(of: .object(object)) }
    /// Whether the value can be set, in an object that has the property.
    var canBeSet: Bool { false }
    /// Whether the value can be set to nil.
    var takesNil: Bool { false }
    /// Sets the value if it can be set; answers whether it could.
    func set(_ value: Value?, in object: AnyObject) -> Bool { false }

    override var valueType: Any.Type { Value.self }

    override func touch(_ object: AnyObject) {
        _ = value(in: object)
    }

    override func any(in object: AnyObject) -> Any? {
        guard let value = value(in: object) else { return nil }
        return withUnsafePointer(to: value) { _unwrapped($0) }
    }

    override func takeHost(_ object: AnyObject) -> HeaderPointer? {
        guard let value = value(in: object) else { return nil }
        return withUnsafePointer(to: value) { HostValues.take($0, .any) }
    }

    override func reaches(_ object: AnyObject) -> Bool {
        value(in: object) != nil
    }

    override func areEqual(_ a: ComponentSource, _ b: ComponentSource) -> Bool {
        areSame(value(of: a), value(of: b))
    }

    override func mayBe(_ property: UnsafeRawPointer, in object: AnyObject) -> Bool {
        switch (value(in: object), value(of: .former(property))) {
        case (nil, nil): return true
        case (let a?, let b?): return _mayBeSame(a, b)
        default: return false
        }
    }

    override func makeLateAccess(isNameless: Bool) -> LateAccess {
        TypedLateAccess(Value.self, isNameless: isNameless)
    }

    override func box(of source: ComponentSource) -> BoxPointer? {
        value(of: source).map(Boxed<_ByDeclaredType<Value>>.make)
    }

    final func areSame(_ a: Value?, _ b: Value?) -> Bool {
        switch (a, b) {
        case (nil, nil): return true
        case (let a?, let b?): return _ByDeclaredType<Value>.areEqual(a, b)
        default: return false
        }
    }
}

/// A property of an object.
final class PropertyReader<Base, Value>: TypedReader<Value>, @unchecked Sendable {
    private let keyPath: KeyPath<Base, Value>

    init(_ keyPath: KeyPath<Base, Value>) {
        self.keyPath = keyPath
        super.init([keyPath])
    }

    override var isWritable: Bool { keyPath is ReferenceWritableKeyPath<Base, Value> }

    override func mayRead(_ object: AnyObject) -> Bool { object is Base }

    override func value(of source: ComponentSource) -> Value? {
        switch source {
        case .object(let object): (object as? Base)?[keyPath: keyPath]
        case .former(let property): property.assumingMemoryBound(to: Value.self).pointee
        }
    }

    override var canBeSet: Bool { isWritable }

    override func set(_ value: Value?, in object: AnyObject) -> Bool {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Base, Value>,
            let object = object as? Base, let value
        else { return false }
        object[keyPath: keyPath] = value
        return true
    }
}

/// Reads a part of a value: a field of a struct, or a property of an object that is not observable.
final class FieldReader<Base, Value>: TypedReader<Value>, @unchecked Sendable {
    private let base: TypedReader<Base>
    private let keyPath: KeyPath<Base, Value>

    init(_ base: TypedReader<Base>, _ keyPath: KeyPath<Base, Value>) {
        self.base = base
        self.keyPath = keyPath
        super.init(base.keyPaths + [keyPath])
    }

    override var property: ComponentReader { base.property }
    override var isWritable: Bool { base.isWritable }
    override func mayRead(_ object: AnyObject) -> Bool { base.mayRead(object) }

    override func value(of source: ComponentSource) -> Value? {
        base.value(of: source)?[keyPath: keyPath]
    }

    override var canBeSet: Bool { keyPath is WritableKeyPath<Base, Value> && base.canBeSet }

    override func set(_ value: Value?, in object: AnyObject) -> Bool {
        guard let keyPath = keyPath as? WritableKeyPath<Base, Value>,
            var whole = base.value(in: object), let value
        else { return false }
        whole[keyPath: keyPath] = value
        return base.set(whole, in: object)
    }
}

/// Reads the wrapped value of an optional, where nil on the way and nil at the end are one.
final class UnwrappingReader<Value>: TypedReader<Value>, @unchecked Sendable {
    private let base: TypedReader<Value?>

    init(_ base: TypedReader<Value?>) {
        self.base = base
        super.init(base.keyPaths)
    }

    override var property: ComponentReader {
        base.isPlain ? base : base.property
    }
    override var isWritable: Bool { base.isWritable }
    override func mayRead(_ object: AnyObject) -> Bool { base.mayRead(object) }

    override func value(of source: ComponentSource) -> Value? { base.value(of: source) ?? nil }

    override var canBeSet: Bool { base.canBeSet }
    override var takesNil: Bool { true }

    override func set(_ value: Value?, in object: AnyObject) -> Bool {
        base.set(.some(value), in: object)
    }
}
