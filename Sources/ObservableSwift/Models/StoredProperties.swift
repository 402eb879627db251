// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stored properties by their names, for the products beside this one that put values back or go from
// object to object: what the class's description knows of them.

extension ObservableHost {
    /// A number that no other object of this process has, also none that will lie at its address; nil:
    /// there is no memory.
    package var identity: UInt64? {
        guard let header = try? adopt() else { return nil }
        let identity = obv_object_identity(header)
        return identity == 0 ? nil : identity
    }

    /// The observable objects that its stored properties hold, of a collection its elements; each as
    /// often as it is held. What Swift's own collections hold is among them, in values within values it
    /// is not, nor what a weak property leads to.
    package var heldObjects: [any ObservableHost] {
        if let container = self as? ObservableContainer { return container.heldElements }
        guard let header = try? adopt() else { return [] }
        return StoredProperty.all(of: header).flatMap { $0.objects(in: $0.value(in: self)) }
    }

    /// The stored property of a name; nil: it has none.
    package func storedProperty(named name: String) -> StoredProperty? {
        (try? adopt()).flatMap { StoredProperty(named: name, of: $0) }
    }
}

/// A property that has its place in the object.
package struct StoredProperty {
    private let offset: Int
    private let access: PropertyAccess

    /// Any thread may set it.
    package var isOfAnyThread: Bool { access.flags & OBV_ANY_THREAD.rawValue != 0 }

    private init?(_ property: obv_property) {
        guard property.kind == OBV_KIND_custom, property.computed == nil,
            let kind = property.custom, ValueKinds.computed(of: kind) == nil
        else { return nil }
        offset = Int(property.offset)
        access = ValueKinds.access(of: kind)
    }

    fileprivate init?(named name: String, of header: HeaderPointer) {
        var index: UInt32 = 0
        guard obv_class_property(obv_object_class(header), name, &index) == OBV_OK else {
            return nil
        }
        // Those of a superclass come before its own; what a class has got late is in no table.
        var place = Int(index)
        for table in Self.tables(of: header).reversed() {
            if place < table.count {
                guard let property = Self(table[place]) else { return nil }
                self = property
                return
            }
            place -= table.count
        }
        return nil
    }

    fileprivate static func all(of header: HeaderPointer) -> [StoredProperty] {
        tables(of: header).flatMap(\.self).compactMap { StoredProperty($0) }
    }

    /// The properties that each class declares, from the object's own on upwards.
    private static func tables(
        of header: HeaderPointer
    ) -> some Sequence<UnsafeBufferPointer<obv_property>> {
        sequence(first: obv_class_table_of(obv_object_class(header))) {
            $0.pointee.superclass.map(obv_class_table_of)
        }.lazy.map {
            UnsafeBufferPointer(start: $0.pointee.properties, count: $0.pointee.property_count)
        }
    }

    /// The observable objects that it holds with a value: that is one, or a collection of the language with
    /// such elements. A weak property holds none. The value is read where it may be one.
    package func objects(in value: @autoclosure () -> Any?) -> [any ObservableHost] {
        guard access.holdsHosts, access.flags & OBV_WEAK.rawValue == 0, let value = value()
        else { return [] }
        if let host = value as? any ObservableHost { return [host] }
        return (value as? any ConstantCollection)?.makeElements().heldElements ?? []
    }

    /// The value that an object of its class stores now, without the optional round it.
    package func value(in host: some ObservableHost) -> Any? {
        access.any(at: UnsafeRawPointer(host.objectAddress) + offset)
    }

    /// Whether that is equal to a value, as the property compares.
    package func holds(_ value: Any?, in host: some ObservableHost) -> Bool {
        access.holds(any: value, at: UnsafeRawPointer(host.objectAddress) + offset)
    }

    /// Sets it, as its wrapper does: compared, and told. Its `willSet` and `didSet` do not run.
    ///
    /// - Returns: whether it takes the value.
    package func store(_ value: Any?, in host: some ObservableHost) -> Bool {
        access.store(value, in: host, at: host.objectAddress + offset)
    }
}

extension ObservableContainer {
    fileprivate var heldElements: [any ObservableHost] {
        let form = Self.containerForm
        let access = ValueKinds.access(of: form.element)
        guard access.holdsHosts else { return [] }
        var held: [any ObservableHost] = []
        for index in 0..<elementCount {
            let element: UnsafeRawPointer?
            if case .positions = form.access {
                element = address(at: index)
            } else {
                element = next(index)?.element
            }
            if let element, let host = access.any(at: element) as? any ObservableHost {
                held.append(host)
            }
        }
        return held
    }
}

extension PropertyAccess {
    /// Whether a field holds a value that is given without the optional round it.
    fileprivate func holds(any value: Any?, at field: UnsafeRawPointer) -> Bool {
        func holds<Value>(_ type: Value.Type) -> Bool {
            guard let value = Self.value(value, as: type) else { return false }
            return withUnsafePointer(to: value) { self.holds(UnsafeRawPointer($0), at: field) }
        }
        return holds(valueType)
    }

    /// The content of a field, without the optional round it.
    fileprivate func any(at field: UnsafeRawPointer) -> Any? {
        let box = box(at: field)
        let content = contentType(of: box)
        defer { content.release(box) }
        return content.any(box)
    }
}
