// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// The core's class (`obv_class`) of each Swift class, made when an object or an observation first
/// needs one.
enum ModelClasses {
    private static let classes = Locked<[Key: Made]>([:])

    private enum Key: Hashable {
        case type(ObjectIdentifier)
        /// The key of a stand-in, by which instances can be observed before the first one is met.
        case ahead(ObjectIdentifier)

        init(_ type: any ObservableHost.Type) {
            self = .type(ObjectIdentifier(type))
        }

        static func ahead(_ type: any ObservableHost.Type) -> Key {
            .ahead(ObjectIdentifier(type))
        }
    }

    private struct Made {
        let pointer: OpaquePointer
        /// Whether the properties of `namedProperties` have been added; true from the start where
        /// there are none.
        var isListed = true
    }

    /// The class of an object. Runs `namedProperties` of the class the first time.
    ///
    /// - Throws: ``ObservationError`` of kind `memory`, as whatever else makes a class.
    static func of(_ host: any ObservableHost) throws(ObservationError) -> OpaquePointer {
        let type = type(of: host)
        let made = classes.withLock { $0[Key(type)] }
        if let made, made.isListed {
            return made.pointer
        }
        var cls = made?.pointer
        if cls == nil {
            cls = try make(type, host, header: host.headerOffset)
        }
        list(type, host, cls!)
        return cls!
    }

    /// Adds the listed properties when the first object of exactly this class is met. Only an
    /// object shows which properties the key paths read.
    private static func list(
        _ type: any ObservableHost.Type, _ host: any ObservableHost, _ cls: OpaquePointer
    ) {
        let isFirst = classes.withLock { classes in
            defer { classes[Key(type)]?.isListed = true }
            return classes[Key(type)]?.isListed == false
        }
        guard isFirst else { return }
        // Listing runs getters of the object, whose reads can be recorded only once the object has
        // its class.
        obv_object_adopt(host._observationObject, cls)
        LateProperties.list(allListed(by: type), of: host, host._observationObject)
    }

    /// The properties that a class and its superclasses list.
    private static func allListed(by type: any ObservableHost.Type) -> [NamedProperty] {
        type.namedProperties + (superclassOf(type).map(allListed) ?? [])
    }

    /// The core's class of a type, made without an object; nil: the type lists properties, whose
    /// places only an object shows, or the place of its header is not known.
    static func of(
        _ type: any ObservableHost.Type
    ) throws(ObservationError) -> OpaquePointer? {
        if let known = known(type) {
            return known
        }
        guard type.namedProperties.isEmpty,
            let header = Fields.headerOffset(of: type as AnyClass)
        else { return nil }
        return try make(type, nil, header: header)
    }

    /// The class by which every instance of a type is observed: the type's own, or a stand-in until
    /// the first object is met, if the type's own cannot be made without an object.
    static func observable(
        _ type: any ObservableHost.Type
    ) throws(ObservationError) -> OpaquePointer {
        if let cls = try of(type) {
            return cls
        }
        return try ahead(of: type)
    }

    /// The classes by which a type may have been observed so far: its own and its stand-in.
    static func observed(_ type: any ObservableHost.Type) -> [OpaquePointer] {
        classes.withLock { classes in
            [classes[Key(type)], classes[.ahead(type)]].compactMap { $0?.pointer }
        }
    }

    private static func ahead(
        of type: any ObservableHost.Type
    ) throws(ObservationError) -> OpaquePointer {
        try once(type, .ahead(type)) { _ throws(ObservationError) in
            let made = try create(type, [], nil, header: nil)
            obv_class_make_ahead(made.pointer)
            return made
        }
    }

    /// The class for `key`, made under the lock unless there is one: another thread may have made
    /// the class since the caller looked, and the type's own class goes before a stand-in.
    private static func once(
        _ type: any ObservableHost.Type, _ key: Key,
        _ make: ([Key: Made]) throws(ObservationError) -> Made
    ) throws(ObservationError) -> OpaquePointer {
        try classes.withLock { classes throws(ObservationError) in
            if let other = classes[Key(type)] ?? classes[key] { return other }
            let made = try make(classes)
            classes[key] = made
            return made
        }.pointer
    }

    /// Adopts an observer, if there is memory; answers whether it is ``DeallocationAware``.
    static func adoptObserver(_ host: some ObservableHost) -> Bool {
        guard let header = try? host.adopt(), !(host is ObservableContainer) else {
            return host is any DeallocationAware
        }
        return UnsafeRawPointer(obv_class_table_of(obv_object_class(header)))
            .assumingMemoryBound(to: obv_swift_class.self).pointee.is_deallocation_aware
    }

    /// The bytes from an object to its header, by the address of its core class's name; nil: none
    /// of these classes has that name. Cost: a look at every class.
    static func headerOffset(named name: UnsafePointer<CChar>) -> Int? {
        classes.withLock { classes in
            classes.values.lazy.map { obv_class_table_of($0.pointer) }
                .first { $0.pointee.name == name }
                .map { Int(obv_swift_header_offset($0)) }
        }
    }

    private static func known(_ type: any ObservableHost.Type) -> OpaquePointer? {
        classes.withLock { $0[Key(type)]?.pointer }
    }

    private static func make(
        _ type: any ObservableHost.Type, _ host: (any ObservableHost)?, header: Int
    ) throws(ObservationError) -> OpaquePointer {
        if let containers = type as? ObservableContainer.Type {
            return try make(containers)
        }
        var above: OpaquePointer?
        if let superclass = superclassOf(type) {
            above = known(superclass)
            if above == nil {
                above = try make(superclass, host, header: header)
            }
        }
        let superclass = above
        let fields = allFields(of: type, host, below: superclass)
        let listsNothing = allListed(by: type).isEmpty
        return try once(type, Key(type)) { classes throws(ObservationError) in
            var made = try create(type, fields, superclass, header: header)
            made.isListed = listsNothing
            obv_class_allow_late(made.pointer)
            obv_class_come_after(made.pointer, classes[.ahead(type)]?.pointer)
            return made
        }
    }

    /// Makes the class of a collection, whose only properties are the core's own.
    private static func make(
        _ type: ObservableContainer.Type
    ) throws(ObservationError) -> OpaquePointer {
        let form = type.containerForm
        return try once(type, Key(type)) { _ throws(ObservationError) in
            let kind = form.makeKind(type, name: keptText(uniqueName(of: type)))
            var made: OpaquePointer?
            var error = obv_error()
            let status = obv_container_class_create(Context.shared, kind, &made, &error)
            guard let made else {
                UnsafeMutablePointer(mutating: kind.pointee.name).deallocate()
                kind.deallocate()
                throw refusal(of: type, status, error)
            }
            return Made(pointer: made)
        }
    }

    /// The error for a class that the core refused: no memory. Any other refusal is an error of
    /// this library, and stops the program.
    private static func refusal(
        of type: any ObservableHost.Type, _ status: obv_status, _ error: obv_error
    ) -> ObservationError {
        let refused = ObservationError(status, error, path: "")
        guard refused.kind == .memory else {
            fatalError("\(type) cannot be described: \(refused)")
        }
        return refused
    }

    private static func superclassOf(_ type: any ObservableHost.Type) -> (any ObservableHost.Type)?
    {
        guard let superclass = _getSuperclass(type as AnyClass) else { return nil }
        return superclass as? any ObservableHost.Type
    }

    // MARK: - Properties

    private static func allFields(
        of type: any ObservableHost.Type, _ host: (any ObservableHost)?,
        below superclass: OpaquePointer?
    ) -> [Field] {
        if let described = type as? any DescribedHost.Type {
            return described.describedFields
        }
        var fields = Fields.declared(by: type as AnyClass)
        for listed in host == nil ? [] : type.namedProperties {
            let host = host!
            let header = host._observationObject
            let reads = Reads.of { listed.reader.touch(host) }
            if let field = reads.onlyField(of: header, named: listed.name),
                !fields.contains(where: { $0.offset == field.offset }),
                !has(superclass, offset: field.offset)
            {
                fields.append(field)
            }
        }
        return withUniqueNames(fields, type, below: superclass)
    }

    private static func has(_ cls: OpaquePointer?, offset: Int) -> Bool {
        var index: UInt32 = 0
        return cls.map { obv_class_property_at($0, UInt32(offset), &index) == OBV_OK } ?? false
    }

    /// A private property may have the name of a superclass's private property. Text finds the
    /// superclass's; the subclass's is renamed, with its class in front.
    private static func withUniqueNames(
        _ fields: [Field], _ type: any ObservableHost.Type, below superclass: OpaquePointer?
    ) -> [Field] {
        fields.map { field in
            var index: UInt32 = 0
            guard let superclass,
                obv_class_property(superclass, field.name, &index) == OBV_OK
            else { return field }
            var renamed = field
            renamed.name = "\(type).\(field.name)"
            // Nested classes may share a short name; the full name tells them apart.
            if obv_class_property(superclass, renamed.name, &index) == OBV_OK {
                renamed.name = "\(uniqueName(of: type)).\(field.name)"
            }
            return renamed
        }
    }

    // MARK: - Tables

    /// Makes a class. Its table is kept for the process.
    ///
    /// - Parameter header: the bytes from an object to its header; nil for a stand-in, which has no
    ///   objects.
    private static func create(
        _ type: any ObservableHost.Type, _ fields: [Field], _ superclass: OpaquePointer?,
        header: Int?
    ) throws(ObservationError) -> Made {
        let properties = UnsafeMutablePointer<obv_property>.allocate(capacity: fields.count)
        for (index, field) in fields.enumerated() {
            (properties + index).initialize(to: property(field))
        }
        let name = uniqueName(of: type) + (header == nil ? " (ahead)" : "")
        let table = UnsafeMutablePointer<obv_swift_class>.allocate(capacity: 1)
        table.initialize(
            to: obv_swift_class(
                table: obv_class_table(
                    size: MemoryLayout<obv_class_table>.size, name: keptText(name),
                    instance_size: instanceSize(fields, superclass), superclass: superclass,
                    properties: UnsafePointer(properties), property_count: fields.count,
                    retain: nil, release: nil, observed_changed: nil),
                header: UInt(header ?? 0),
                is_deallocation_aware: header != nil && type is any DeallocationAware.Type))
        let isModel = type is ObservableModel.Type
        if header != nil {
            if isModel {
                table.pointee.table.retain = obv_swift_retain_model
                table.pointee.table.release = obv_swift_release_model
            } else {
                table.pointee.table.retain = obv_swift_retain_host
                table.pointee.table.release = obv_swift_release_host
            }
            if type is any ObservationAware.Type {
                table.pointee.table.observed_changed = { tellObserved($0, $1, $2) }
            }
        }
        var made: OpaquePointer?
        var error = obv_error()
        let status = obv_class_create(Context.shared, &table.pointee.table, &made, &error)
        guard let made else {
            discard(table)
            throw refusal(of: type, status, error)
        }
        if !isModel { obv_class_know_objects(made) }
        return Made(pointer: made)
    }

    /// Frees the table of a class that the core refused, and so does not refer to.
    private static func discard(_ table: UnsafeMutablePointer<obv_swift_class>) {
        let properties = UnsafeMutablePointer(mutating: table.pointee.table.properties)
        for index in 0..<table.pointee.table.property_count {
            UnsafeMutablePointer(mutating: properties![index].name).deallocate()
        }
        properties?.deallocate()
        UnsafeMutablePointer(mutating: table.pointee.table.name).deallocate()
        table.deallocate()
    }

    private static func property(_ field: Field) -> obv_property {
        obv_property(
            name: keptText(field.name), kind: OBV_KIND_custom, offset: UInt32(field.offset),
            size: UInt32(field.size), flags: field.flags, type: nil, custom: field.kind,
            equal: nil, computed: ValueKinds.computed(of: field.kind))
    }

    private static func instanceSize(_ fields: [Field], _ superclass: OpaquePointer?) -> Int {
        let inherited = superclass.map { obv_class_table_of($0).pointee.instance_size } ?? 0
        let end = fields.map { $0.offset + $0.size }.max() ?? 0
        return max(inherited, end, 3 * MemoryLayout<UInt>.size)
    }

    /// A name that tells local types of one name apart: a mangled name contains the type's context.
    private static func uniqueName(of type: any ObservableHost.Type) -> String {
        _mangledTypeName(type).map { "\(type) \($0)" } ?? String(reflecting: type)
    }
}

extension ModelClasses {
    /// The property of an adopted object that lies at an offset.
    static func property(at offset: UInt32, of header: HeaderPointer) -> obv_property? {
        if offset >= OBV_LATE_OFFSET {
            return obv_class_line(obv_object_class(header), offset - OBV_LATE_OFFSET)?.pointee
        }
        return firstProperty(of: header) { $0.offset == offset }
    }

    static func firstProperty(
        of header: HeaderPointer, where isIt: (obv_property) -> Bool
    ) -> obv_property? {
        var cls: OpaquePointer? = obv_object_class(header)
        while let at = cls {
            let table = obv_class_table_of(at).pointee
            for index in 0..<table.property_count {
                let property = table.properties![index]
                if isIt(property) { return property }
            }
            cls = table.superclass
        }
        return nil
    }
}

/// The offset of the any-thread property of an adopted object whose field is this cell.
func offsetOfAtomicProperty(holding cell: UnsafeRawPointer, in header: HeaderPointer) -> UInt32 {
    let object = UnsafeRawPointer(objectAddress(of: header))
    let property = ModelClasses.firstProperty(of: header) {
        $0.flags & OBV_ANY_THREAD.rawValue != 0
            && (object + Int($0.offset)).load(as: UnsafeRawPointer.self) == cell
    }
    return property?.offset ?? .max
}
