// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The stored properties of another library's class, from its field metadata. A text path through a
/// proxy finds them by name.
enum ProxiedFields {
    struct Stored {
        let name: String
        let access: PropertyAccess
        /// Whether the class has only this property of the name, so that a key path with the name
        /// means it.
        var isOnly = true
    }

    /// The properties in the order of declaration, inherited ones first, and each name once.
    static func of<Object: AnyObject>(_ type: Object.Type) -> [Stored] {
        // `AnyObject` is no class, and has no fields.
        if _isExistential(type) { return [] }
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
        var found: [Stored] = []
        var names: Set<String> = []
        for index in 0..<obv_swift_field_count(metadata) {
            var field = obv_swift_field_at(metadata, index)
            defer { obv_swift_field_free(&field) }
            let name = field.name.map { String(cString: $0) } ?? ""
            guard !name.isEmpty else { continue }
            guard names.insert(name).inserted else {
                if let first = found.firstIndex(where: { $0.name == name }) {
                    found[first].isOnly = false
                }
                continue
            }
            guard let type = field.type, field.is_strong else { continue }
            let access = access(
                Object.self, unsafeBitCast(type, to: Any.Type.self), slot: found.count,
                at: field.offset)
            if let access {
                found.append(Stored(name: name, access: access))
            }
        }
        return found
    }

    private static func access<Object: AnyObject>(
        _ object: Object.Type, _ type: Any.Type, slot: Int, at offset: Int
    ) -> PropertyAccess? {
        func plain<Value>(_ type: Value.Type) -> PropertyAccess {
            // `as Value` loads the field's own type; without it the closure's optional result type
            // would be loaded.
            ProxiedAccess<Object, Value>(slot: slot) { load($0, at: offset) as Value }
        }
        // The runtime describes a type that it cannot copy as the empty tuple.
        if type == Void.self { return nil }
        if let optional = type as? any ProxiedOptional.Type {
            return optional.access(object, slot: slot, at: offset)
        }
        return _openExistential(type, do: plain)
    }

    static func load<Value>(_ object: AnyObject, at offset: Int) -> Value {
        (Unmanaged.passUnretained(object).toOpaque() + offset)
            .assumingMemoryBound(to: Value.self).pointee
    }
}

/// Reads a key path of an object for a slot of its proxies. An optional property is found to be one
/// at run time, so a generic caller, which does not know that, gets the same slot type as any
/// other.
enum ProxiedRead {
    /// The type of the slot's values.
    static func type<Value>(of value: Value.Type) -> Any.Type {
        value is any ProxiedOptional.Type ? value : Value?.self
    }

    static func access<Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, slot: Int
    ) -> PropertyAccess {
        if let optional = Value.self as? any ProxiedOptional.Type {
            return optional.access(keyPath, of: Object.self, slot: slot)
        }
        return ProxiedAccess<Object, Value>(slot: slot) { $0[keyPath: keyPath] }
    }

    /// Calls `body` with the address of `value` as the slot's type.
    static func withAddress<Value>(of value: Value, _ body: (UnsafeRawPointer) -> Void) {
        if Value.self is any ProxiedOptional.Type {
            withUnsafePointer(to: value) { body($0) }
        } else {
            withUnsafePointer(to: Optional(value)) { body($0) }
        }
    }
}

/// An optional property shares the slot type of its wrapped type: nil means a nil value as well as
/// no object.
private protocol ProxiedOptional {
    static func access<Object: AnyObject>(
        _ object: Object.Type, slot: Int, at offset: Int
    ) -> PropertyAccess

    static func access<Object: AnyObject>(
        _ keyPath: AnyKeyPath, of object: Object.Type, slot: Int
    ) -> PropertyAccess
}

extension Optional: ProxiedOptional {
    fileprivate static func access<Object: AnyObject>(
        _ object: Object.Type, slot: Int, at offset: Int
    ) -> PropertyAccess {
        ProxiedAccess<Object, Wrapped>(slot: slot) { ProxiedFields.load($0, at: offset) }
    }

    fileprivate static func access<Object: AnyObject>(
        _ keyPath: AnyKeyPath, of object: Object.Type, slot: Int
    ) -> PropertyAccess {
        let keyPath = keyPath as! KeyPath<Object, Wrapped?>
        return ProxiedAccess<Object, Wrapped>(slot: slot) { $0[keyPath: keyPath] }
    }
}
