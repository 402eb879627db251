// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stored properties by their names, as the class's description knows them: for other products,
// which put values back or walk from object to object.

extension ObservableHost {
    /// A number that no other object of the process gets, not even a later one at the same address;
    /// nil: there is no memory.
    package var identity: UInt64? {
        guard let header = try? adopt() else { return nil }
        let identity = obv_object_identity(header)
        return identity == 0 ? nil : identity
    }

    /// The observable objects that the stored properties hold, or for a collection its elements;
    /// each as often as it is held. Elements of Swift's own collections are among them. Objects
    /// deeper in values are not, nor are objects of weak properties.
    package var heldObjects: [any ObservableHost] {
        if let container = self as? ObservableContainer { return container.heldElements }
        guard let header = try? adopt() else { return [] }
        return StoredProperty.all(of: header).flatMap { $0.objects(in: $0.value(in: self)) }
    }

    /// The stored property of a name; nil: there is none.
    package func storedProperty(named name: String) -> StoredProperty? {
        (try? adopt()).flatMap { StoredProperty(named: name, of: $0) }
    }
}

/// A property whose value lies in the object.
package struct StoredProperty {
    private let offset: Int
    private let access: PropertyAccess

    /// Whether any thread may set the property.
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
        // Indices begin with the uppermost superclass's properties. Late properties stand in no
        // table.
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

    /// The observable objects that the property holds by a value: the value itself, or its elements
    /// if it is a collection of the language. A weak property holds none. `value` is evaluated only
    /// if it may be an object.
    package func objects(in value: @autoclosure () -> Any?) -> [any ObservableHost] {
        guard access.holdsHosts, access.flags & OBV_WEAK.rawValue == 0, let value = value()
        else { return [] }
        if let host = value as? any ObservableHost { return [host] }
        return (value as? any ConstantCollection)?.makeElements().heldElements ?? []
    }

    /// The value that an object stores now, unwrapped if the property is optional.
    package func value(in host: some ObservableHost) -> Any? {
        access.any(at: UnsafeRawPointer(host.objectAddress) + offset)
    }

    /// Whether an object stores a value equal to `value` now, as the property compares.
    package func holds(_ value: Any?, in host: some ObservableHost) -> Bool {
        access.holds(any: value, at: UnsafeRawPointer(host.objectAddress) + offset)
    }

    /// Sets the property as its wrapper does: compares, stores and tells. `willSet` and `didSet` do
    /// not run.
    ///
    /// - Returns: whether the property takes the value.
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
    /// Whether a field holds an unwrapped value.
    fileprivate func holds(any value: Any?, at field: UnsafeRawPointer) -> Bool {
        func holds<Value>(_ type: Value.Type) -> Bool {
            guard let value = Self.value(value, as: type) else { return false }
            return withUnsafePointer(to: value) { self.holds(UnsafeRawPointer($0), at: field) }
        }
        return holds(valueType)
    }

    /// The value of a field, unwrapped if it is optional.
    fileprivate func any(at field: UnsafeRawPointer) -> Any? {
        let box = box(at: field)
        let content = contentType(of: box)
        defer { content.release(box) }
        return content.any(box)
    }
}
