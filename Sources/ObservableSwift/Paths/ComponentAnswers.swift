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
                    guard let reader = Component.of(component).readerToRemember else {
                        return OBV_COMPONENT_UNKNOWN
                    }
                    return ComponentAnswers.resolve(reader, header, property)
                },
                child: { component, header in
                    Component.of(component).reader?.takeHost(object(of: header))
                },
                differs: { component, before, after in
                    Component.of(component).reader
                        .map { !$0.areEqual(object(of: before), object(of: after)) } ?? false
                },
                changed: { component, header, old, new in
                    guard let reader = Component.of(component).reader else { return false }
                    if let new {
                        return !reader.areEqual(inFormer: old, new)
                    }
                    return !reader.isEqual(object(of: header), inFormer: old)
                },
                reaches: { component, header in
                    Component.of(component).reader?.reaches(object(of: header)) ?? false
                },
                copy: { component, header, value, box in
                    let reader = Component.of(component).reader
                    if let value {
                        box.pointee = reader?.box(inFormer: value)
                    } else {
                        box.pointee = reader?.box(in: object(of: header))
                    }
                    return true
                }))
        return Kind(pointer: kind)
    }()

    /// What the component's property is on this object: what its key path reads there. A getter of
    /// the program that reads one observed property of the same type is taken for it, if it returns
    /// what that holds.
    private static func resolve(
        _ reader: ComponentReader, _ header: HeaderPointer, _ property: UnsafeMutablePointer<UInt32>
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
        guard let field = reads.onlyField(of: header, named: ""),
            ValueKinds.access(of: field.kind).valueType == read.valueType
        else { return OBV_COMPONENT_UNKNOWN }
        // Only where it is a property of the class is its place certain.
        let cls = obv_object_class(header)
        guard obv_class_property_at(cls, UInt32(field.offset), property) == OBV_OK else {
            MissingNames.report(type(of: object))
            return OBV_COMPONENT_UNKNOWN
        }
        if ValueKinds.computed(of: field.kind) != nil {
            return Reads.ignored { mayBe(computed: property.pointee, of: header, read, object) }
                ? OBV_COMPONENT_PROPERTY : OBV_COMPONENT_UNKNOWN
        }
        return Reads.ignored { mayBe(field, read, object) }
            ? OBV_COMPONENT_PROPERTY : OBV_COMPONENT_UNKNOWN
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
        guard let last = obv_detail_boxed_last(header, property) else { return true }
        // What is read may replace it.
        let box = contentType(of: last).copy(last)
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
            ObservationDiagnostics.Report(
                kind: .unresolvedPath,
                text: "\(type) was compiled without reflection metadata: override "
                    + "listedProperties to name its observed properties",
                path: nil, label: nil))
    }
}
