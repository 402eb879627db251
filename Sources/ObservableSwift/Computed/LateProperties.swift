// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Late properties: those that classes get when they have objects already. The core keeps them, by
/// class and key.
enum LateProperties {
    /// The index of the property for a place of `computed`; nil: its value is not kept, and a
    /// refusal is reported.
    static func find<Value>(
        _ place: SourcePlace, of object: any ObservableHost, _ header: HeaderPointer,
        _ flags: UInt32, _ value: Value.Type
    ) -> UInt32? {
        let cls = obv_object_class(header)
        if let known = known(place.key, cls) { return known }
        // The class of an object at its end belongs to no type, and gets no properties.
        guard cls == (try? ModelClasses.of(object)), mayKeep(place, type(of: object)),
            hasRoom(cls, type(of: object))
        else { return nil }
        return add(
            TypedLateAccess(value, flags: flags), place.key, constant(place.function),
            isNamed: false, cls)
    }

    /// The index of the property for a getter that a component names; nil: the class has no room,
    /// as reported.
    static func find(_ component: Component, _ header: HeaderPointer) -> UInt32? {
        guard let reader = component.reader?.property else { return nil }
        let cls = obv_object_class(header)
        if let listed = each(of: cls).first(where: { $0.access.isListed(reader.keyPaths[0]) }) {
            return listed.index
        }
        // `component` may be a view; the property is known by the component of the property itself.
        let property = Components.use(reader)
        defer { property.leave() }
        property.isLate()
        let key = obv_late_key(
            text: property.pointer.pointee.text, detail: nil,
            number: UInt64(UInt(bitPattern: property.pointer)))
        var index = known(key, cls)
        if index == nil, hasRoom(cls, type(of: object(of: header))) {
            index = add(
                reader.makeLateAccess(isNameless: true), key, key.text, isNamed: false, cls)
        }
        if let index { attach(component, to: index, of: cls) }
        return index
    }

    /// Lets the property be evaluated by a component's reader, as long as the component is in use.
    static func attach(_ component: Component, to property: UInt32, of cls: OpaquePointer) {
        access(of: property, of: cls)?.add(component)
    }

    /// Gives a class those listed properties that are no fields. `host` is the first object of
    /// exactly this class.
    static func list(
        _ listed: [NamedProperty], of host: any ObservableHost, _ header: HeaderPointer
    ) {
        let cls = obv_object_class(header)
        var index: UInt32 = 0
        for listed in listed where listed.reader.mayRead(host) {
            if obv_class_property(cls, listed.name, &index) == OBV_OK { continue }
            let reads = Reads.of { listed.reader.touch(host) }
            if reads.count == 0 { continue }
            let name = keptText(listed.name)
            if let read = ComponentAnswers.computed(listed.reader, reads, host, header),
                obv_class_name_late(cls, read, name) == OBV_OK
            {
                index = read
            } else {
                guard hasRoom(cls, type(of: host)) else { return }
                let added = add(
                    listed.reader.makeLateAccess(isNameless: false),
                    obv_late_key(text: name, detail: nil, number: 0), name, isNamed: true, cls)
                guard let added else { continue }
                index = added
            }
            access(of: index, of: cls)?.add(listed: listed.reader)
        }
    }

    /// Whether the property is a late one that neither a list nor `computed` has named.
    static func isNameless(_ property: UInt32, of cls: OpaquePointer) -> Bool {
        access(of: property, of: cls)?.isNameless ?? false
    }

    // MARK: - How

    private static func each(
        of cls: OpaquePointer
    ) -> some Sequence<(index: UInt32, access: LateAccess)> {
        sequence(state: lateBegin(of: cls)) { (index: inout UInt32) in
            guard let access = access(of: index, of: cls) else { return nil }
            defer { index += 1 }
            return (index, access)
        }
    }

    /// The index of a class's first late property, behind all declared ones.
    private static func lateBegin(of cls: OpaquePointer) -> UInt32 {
        var count = 0
        var at: OpaquePointer? = cls
        while let cls = at {
            let table = obv_class_table_of(cls).pointee
            count += table.property_count
            at = table.superclass
        }
        return UInt32(count)
    }

    private static func access(of property: UInt32, of cls: OpaquePointer) -> LateAccess? {
        guard let line = obv_class_line(cls, property), line.pointee.offset >= OBV_LATE_OFFSET,
            let kind = line.pointee.custom
        else { return nil }
        return ValueKinds.access(of: kind) as? LateAccess
    }

    private static func known(_ key: obv_late_key, _ cls: OpaquePointer) -> UInt32? {
        var key = key
        var index: UInt32 = 0
        return obv_class_find_late(cls, &key, &index) ? index : nil
    }

    /// Adds a late property, which is kept for the process.
    private static func add(
        _ access: LateAccess, _ key: obv_late_key, _ name: UnsafePointer<CChar>,
        isNamed: Bool, _ cls: OpaquePointer
    ) -> UInt32? {
        let kind = ValueKinds.ownKind(access)
        var index: UInt32 = 0
        var key = key
        var line = obv_property(
            name: name, kind: OBV_KIND_custom, offset: 0, size: 0,
            flags: 0, type: nil, custom: kind, equal: nil, computed: ValueKinds.computed(of: kind))
        let status = obv_class_add_late(cls, &key, &line, isNamed, &index)
        return status == OBV_OK ? index : nil
    }

    // MARK: - What is not kept

    private static func mayKeep(_ place: SourcePlace, _ type: any AnyObject.Type) -> Bool {
        if !place.isGetter {
            refuse(
                "\(place.function)", of: type, .argument,
                "\(place.function) has parameters, so what it computes is not kept")
        }
        return place.isGetter
    }

    private static func hasRoom(_ cls: OpaquePointer, _ type: any AnyObject.Type) -> Bool {
        if type is ObservableContainer.Type { return false }
        let isFull = obv_class_line(cls, lateBegin(of: cls) + UInt32(OBV_LATE_MAX) - 1) != nil
        if isFull {
            refuse(
                "", of: type, .limit,
                "\(type) has \(OBV_LATE_MAX) computed properties without a wrapper; a further one is "
                    + "not kept, and cannot be observed")
        }
        return !isFull
    }

    private static let refused = Locked<Set<String>>([])

    /// Reports a refusal, once for each class and function.
    private static func refuse(
        _ function: String, of type: any AnyObject.Type, _ kind: ObservationError.Kind,
        _ text: String
    ) {
        let isNews = refused.withLock { $0.insert("\(type).\(function)").inserted }
        if isNews {
            ObservationDiagnostics.tellRefused(
                ObservationError(kind, path: function, text),
                path: function.isEmpty ? nil : function)
        }
    }
}
