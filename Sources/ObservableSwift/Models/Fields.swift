// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// A property that text paths can name.
struct Field {
    var name: String
    var offset: Int
    var size: Int
    var flags: UInt32
    var kind: UnsafePointer<obv_value_kind>

    init(name: String, offset: Int, kind: UnsafePointer<obv_value_kind>) {
        let access = ValueKinds.access(of: kind)
        self.name = name
        self.offset = offset
        self.kind = kind
        size = access.size
        flags = access.flags
    }
}

/// The stored properties of a class, from its field metadata: constants, and properties whose type
/// is a wrapper. The metadata have a wrapped property under the name of its storage, with an
/// underscore.
///
/// A class that was compiled without reflection metadata has no fields here, one without
/// reflection names has fields without names.
enum Fields {
    /// The properties that the class itself declares.
    static func declared(by type: AnyClass) -> [Field] {
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
        let inherited = _getSuperclass(type).map(count) ?? 0
        return (inherited..<max(inherited, count(type))).compactMap { index in
            var field = obv_swift_field_at(metadata, index)
            defer { obv_swift_field_free(&field) }
            return describe(field)
        }
    }

    /// The offset of the header, found by its name `observation`, since there may be no object of
    /// the class yet.
    static func headerOffset(of type: AnyClass) -> Int? {
        if type is ObservableModel.Type {
            return Int(OBV_SWIFT_MODEL_HEADER)
        }
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
        for index in 0..<count(type) {
            var field = obv_swift_field_at(metadata, index)
            defer { obv_swift_field_free(&field) }
            if field.name.map({ String(cString: $0) }) == "observation", !field.is_variable {
                return field.offset
            }
        }
        return nil
    }

    private static func count(_ type: AnyClass) -> Int {
        obv_swift_field_count(unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self))
    }

    private static func describe(_ field: obv_swift_field) -> Field? {
        let name = field.name.map { unquoted(String(cString: $0)) } ?? ""
        guard let metadata = field.type, !name.isEmpty else { return nil }
        let type = unsafeBitCast(metadata, to: Any.Type.self)
        if let storage = type as? any ObservedStorage.Type {
            let kind = ValueKinds.kind(of: type) { storage.makeAccess() }
            let plain = name.hasPrefix("_") ? String(name.dropFirst()) : name
            return nonempty(Field(name: plain, offset: field.offset, kind: kind))
        }
        guard !field.is_variable, field.is_strong, isCopyable(field) else { return nil }
        let kind = constantKind(type)
        return nonempty(Field(name: name, offset: field.offset, kind: kind))
    }

    /// A name as the program spells it. A name that needs backquotes has them in the metadata too,
    /// and no-break spaces in place of spaces.
    private static func unquoted(_ name: String) -> String {
        guard name.count > 2, name.hasPrefix("`"), name.hasSuffix("`") else { return name }
        return String(name.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 })
    }

    /// Drops a field of no bytes, which cannot be told from the next field at the same offset.
    private static func nonempty(_ field: Field) -> Field? {
        field.size > 0 ? field : nil
    }

    /// Whether the field's type is copyable. The runtime describes a noncopyable type as the empty
    /// tuple.
    private static func isCopyable(_ field: obv_swift_field) -> Bool {
        unsafeBitCast(field.type!, to: Any.Type.self) != Void.self
    }

    private static func constantKind<Value>(_ type: Value.Type) -> UnsafePointer<obv_value_kind> {
        ValueKinds.kind(of: type) { ConstantAccess<Value>() }
    }
}
