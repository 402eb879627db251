// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The functions by which components answer the core, in one `struct obv_component_kind`.
enum ComponentAnswers {
    static var kind: UnsafePointer<obv_component_kind> { UnsafePointer(made.pointer) }

    private struct Kind: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<obv_component_kind>
    }

    private static let made: Kind = {
        let kind = UnsafeMutablePointer<obv_component_kind>.allocate(capacity: 1)
        kind.initialize(
            to: obv_component_kind(
                size: MemoryLayout<obv_component_kind>.size,
                resolve: { component, header, property in
                    let component = Component.of(component)
                    guard let reader = component.readerToRemember else {
                        return OBV_COMPONENT_UNKNOWN
                    }
                    return ComponentAnswers.resolve(component, reader, header, property)
                },
                child: { component, header in
                    Component.of(component).reader?.takeHost(object(of: header))
                },
                differs: { component, before, after in
                    Component.of(component).reader
                        .map {
                            !$0.areEqual(.object(object(of: before)), .object(object(of: after)))
                        } ?? false
                },
                changed: { component, header, old, new in
                    Component.of(component).reader
                        .map { !$0.areEqual(.former(old), source(header, former: new)) } ?? false
                },
                reaches: { component, header in
                    Component.of(component).reader?.reaches(object(of: header)) ?? false
                },
                copy: { component, header, value, box in
                    box.pointee = Component.of(component).reader?
                        .box(of: source(header, former: value))
                    return true
                }))
        return Kind(pointer: kind)
    }()

    /// Finds the property that the component is on this object, by recording what its key path
    /// reads there. A getter that reads one observed property of its own type, and returns that
    /// property's value, is taken for that property. Any other getter that reads observed
    /// properties becomes a computed property.
    private static func resolve(
        _ component: Component, _ reader: ComponentReader, _ header: HeaderPointer,
        _ property: UnsafeMutablePointer<UInt32>
    ) -> obv_component_place {
        let read = reader.property
        let object = object(of: header)
        if !read.mayRead(object) {
            return OBV_COMPONENT_LACKING
        }
        let reads = Reads.of { read.touch(object) }
        if reads.count == 0 {
            return constant(read, header, property)
        }
        let field = reads.onlyField(of: header, named: "")
        if field == nil, reads.areOnly(of: header) {
            // The property has a type of no bytes, so nobody can tell when it changes.
            return OBV_COMPONENT_UNKNOWN
        }
        guard let field, ValueKinds.access(of: field.kind).valueType == read.valueType else {
            return getter(component, header, property)
        }
        // The offset is trusted only if the class has a property there.
        let cls = obv_object_class(header)
        guard obv_class_property_at(cls, UInt32(field.offset), property) == OBV_OK else {
            MissingNames.report(type(of: object))
            return OBV_COMPONENT_UNKNOWN
        }
        let isIt = Reads.ignored {
            ValueKinds.computed(of: field.kind) == nil
                ? mayBe(field, read, object)
                : mayBe(computed: property.pointee, of: header, read, object)
        }
        if !isIt || mayGoOn(read, object, field) { return getter(component, header, property) }
        LateProperties.attach(component, to: property.pointee, of: cls)
        return OBV_COMPONENT_PROPERTY
    }

    /// The late property that a getter is, by what the getter has read: that property alone, of the
    /// same type, with the value that the getter returns. Nil: the getter reads anything else, or
    /// returns another value.
    static func computed(
        _ read: ComponentReader, _ reads: Reads, _ object: AnyObject, _ header: HeaderPointer
    ) -> UInt32? {
        var property: UInt32 = 0
        guard let field = reads.onlyField(of: header, named: ""),
            field.offset >= Int(OBV_LATE_OFFSET),
            ValueKinds.access(of: field.kind).valueType == read.valueType,
            obv_class_property_at(obv_object_class(header), UInt32(field.offset), &property)
                == OBV_OK,
            Reads.ignored({ mayBe(computed: property, of: header, read, object) })
        else { return nil }
        return property
    }

    /// Whether a getter returned nil perhaps only because the property that it read was nil, and
    /// would read further properties otherwise. A settable key path and a `computed` are taken for
    /// the property itself.
    private static func mayGoOn(
        _ read: ComponentReader, _ object: AnyObject, _ field: Field
    ) -> Bool {
        !read.isWritable && field.offset < Int(OBV_LATE_OFFSET)
            && Reads.ignored { read.any(in: object) } == nil
            && DeclaredWays.leadBack(read.valueType)
    }

    /// Makes a getter a late property: it reads several observed properties, or makes another value
    /// of one. Getters of a proxy are not made properties.
    private static func getter(
        _ component: Component, _ header: HeaderPointer, _ property: UnsafeMutablePointer<UInt32>
    ) -> obv_component_place {
        guard !(type(of: object(of: header)) is any DescribedHost.Type),
            let found = LateProperties.find(component, header)
        else { return OBV_COMPONENT_UNKNOWN }
        property.pointee = found
        return OBV_COMPONENT_PROPERTY
    }

    /// Whether the key path may return the field's value; true if the two cannot be compared. A
    /// proxy needs no comparison, since it reports the field that it reads.
    private static func mayBe(_ field: Field, _ read: ComponentReader, _ object: AnyObject) -> Bool
    {
        if type(of: object) is any DescribedHost.Type { return true }
        let access = ValueKinds.access(of: field.kind)
        let address = Unmanaged.passUnretained(object).toOpaque() + field.offset
        func isSame() -> Bool {
            let box = access.box(at: address)
            defer { box.pointee.release(box) }
            return read.mayBe(boxedAddress(box), in: object)
        }
        if access.flags & OBV_ANY_THREAD.rawValue == 0 { return isSame() }
        // Other threads may set the field meanwhile. A difference counts only if the stamp has
        // stayed the same.
        for _ in 0..<64 {
            let stamp = access.stamp(at: address)
            if isSame() { return true }
            if access.stamp(at: address) == stamp { return false }
        }
        return true
    }

    /// The same for the last value of a computed property.
    private static func mayBe(
        computed property: UInt32, of header: HeaderPointer, _ read: ComponentReader,
        _ object: AnyObject
    ) -> Bool {
        guard let box = obv_detail_copy_last(header, property) else { return true }
        defer { box.pointee.release(box) }
        return read.mayBe(boxedAddress(box), in: object)
    }

    /// The place of a component that reads nothing observed: the property of a stored constant's
    /// name, else a constant; unknown if it can be set, and so may change unseen.
    private static func constant(
        _ read: ComponentReader, _ header: HeaderPointer, _ property: UnsafeMutablePointer<UInt32>
    ) -> obv_component_place {
        if read.isWritable {
            return OBV_COMPONENT_UNKNOWN
        }
        if case .stored(let name) = KeyPathShape(read.keyPaths[0]),
            obv_class_property(obv_object_class(header), name, property) == OBV_OK
        {
            return OBV_COMPONENT_PROPERTY
        }
        return OBV_COMPONENT_CONSTANT
    }
}

/// Reports classes whose properties have no names, once each.
enum MissingNames {
    private static let reported = Locked<Set<ObjectIdentifier>>([])

    static func report(_ type: AnyClass) {
        guard reported.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        ObservationDiagnostics.tell(
            .unresolvedPath,
            "\(type) was compiled without reflection metadata: override namedProperties to name its "
                + "observed properties")
    }
}

private func source(_ header: HeaderPointer, former: UnsafeRawPointer?) -> ComponentSource {
    former.map(ComponentSource.former) ?? .object(object(of: header))
}
