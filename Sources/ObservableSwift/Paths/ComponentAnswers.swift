// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What components answer the core: the one `struct obv_component_kind`.
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

    /// What the component's property is on this object: what its key path reads there. A getter of
    /// the program that reads one observed property of the same type is taken for it, if it returns
    /// what that holds. Any other that reads observed properties is a computed property.
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
            // Of no bytes: nobody can tell when it changes.
            return OBV_COMPONENT_UNKNOWN
        }
        guard let field, ValueKinds.access(of: field.kind).valueType == read.valueType else {
            return getter(component, header, property)
        }
        // Only where it is a property of the class is its place certain.
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

    /// The property without a wrapper that a getter is, by what it has read: the getter has the same
    /// type, and returns what that holds. Nil: it makes another value of it, or reads anything else.
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

    /// Whether it may be a getter that would go on from what it has read, if there were anything: nil
    /// says no more than that. What can be set is taken for the property itself, and so is `computed`.
    private static func mayGoOn(
        _ read: ComponentReader, _ object: AnyObject, _ field: Field
    ) -> Bool {
        !read.isWritable && field.offset < Int(OBV_LATE_OFFSET)
            && Reads.ignored { read.any(in: object) } == nil
            && DeclaredWays.leadBack(read.valueType)
    }

    /// A getter that reads more than one observed property, or makes another value of it. A proxy has
    /// no such ones.
    private static func getter(
        _ component: Component, _ header: HeaderPointer, _ property: UnsafeMutablePointer<UInt32>
    ) -> obv_component_place {
        guard !(type(of: object(of: header)) is any DescribedHost.Type),
            let found = LateProperties.find(component, header)
        else { return OBV_COMPONENT_UNKNOWN }
        property.pointee = found
        return OBV_COMPONENT_PROPERTY
    }

    /// Whether what is read of the object is what the field holds, as far as they can be compared. A
    /// proxy itself says which field it reads.
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
        // Only while no other thread sets it do the two have to be the same.
        for _ in 0..<64 {
            let stamp = access.stamp(at: address)
            if isSame() { return true }
            if access.stamp(at: address) == stamp { return false }
        }
        return true
    }

    /// The same of the last value of a computed property.
    private static func mayBe(
        computed property: UInt32, of header: HeaderPointer, _ read: ComponentReader,
        _ object: AnyObject
    ) -> Bool {
        guard let box = obv_detail_copy_last(header, property) else { return true }
        defer { box.pointee.release(box) }
        return read.mayBe(boxedAddress(box), in: object)
    }

    /// What reads nothing that is observed never changes, unless it can be set. A stored constant is
    /// the property of its name.
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

/// Classes whose properties have no names: said once each.
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
