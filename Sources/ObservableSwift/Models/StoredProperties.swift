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
        return StoredProperty.all(of: header).flatMap { property in
            property.mayHoldObjects ? Self.objects(in: property.value(in: header)) : []
        }
    }

    /// Those that a value is, or holds as a collection of the language.
    package static func objects(in value: Any?) -> [any ObservableHost] {
        guard let value else { return [] }
        if let host = value as? any ObservableHost { return [host] }
        return (value as? any ConstantCollection)?.makeElements().heldElements ?? []
    }

    /// The stored property of a name; nil: it has none.
    package func storedProperty(named name: String) -> StoredProperty? {
        (try? adopt()).flatMap { StoredProperty(named: name, of: $0) }
    }

    /// What it stores under a name now, without the optional round it.
    package func storedValue(named name: String) -> Any? {
        guard let header = try? adopt() else { return nil }
        return StoredProperty(named: name, of: header)?.value(in: header)
    }

    /// Sets the stored property of a name, as its wrapper does: compared, and told. Its `willSet` and
    /// `didSet` do not run.
    ///
    /// - Returns: whether there is one that takes the value.
    package func store(_ value: Any?, named name: String) -> Bool {
        guard let header = try? adopt(), let property = StoredProperty(named: name, of: header)
        else { return false }
        return property.store(value, in: self, header)
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

    /// What each class declares, from the object's own on upwards.
    private static func tables(
        of header: HeaderPointer
    ) -> some Sequence<UnsafeBufferPointer<obv_property>> {
        sequence(first: obv_class_table_of(obv_object_class(header))) {
            $0.pointee.superclass.map(obv_class_table_of)
        }.lazy.map {
            UnsafeBufferPointer(start: $0.pointee.properties, count: $0.pointee.property_count)
        }
    }

    fileprivate var mayHoldObjects: Bool {
        access.holdsHosts && access.flags & OBV_WEAK.rawValue == 0
    }

    fileprivate func value(in header: HeaderPointer) -> Any? {
        access.any(at: objectAddress(of: header) + offset)
    }

    fileprivate func store(_ value: Any?, in host: some ObservableHost, _ header: HeaderPointer)
        -> Bool
    {
        access.store(value, in: host, at: objectAddress(of: header) + offset)
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
    /// What a field holds, without the optional round it.
    fileprivate func any(at field: UnsafeRawPointer) -> Any? {
        let box = box(at: field)
        let content = contentType(of: box)
        defer { content.release(box) }
        return content.any(box)
    }
}
