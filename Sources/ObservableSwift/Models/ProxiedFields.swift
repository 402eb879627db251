// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The stored properties of a class that cannot be changed, from its field metadata: what text
/// finds through a proxy.
enum ProxiedFields {
    struct Stored {
        let name: String
        let access: PropertyAccess
    }

    /// In the order of declaration, inherited ones first; a name once.
    static func of<Object: AnyObject>(_ type: Object.Type) -> [Stored] {
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
        var found: [Stored] = []
        for index in 0..<obv_swift_field_count(metadata) {
            var field = obv_swift_field_at(metadata, index)
            defer { obv_swift_field_free(&field) }
            let name = field.name.map { String(cString: $0) } ?? ""
            guard let type = field.type, field.is_strong, !name.isEmpty,
                !found.contains(where: { $0.name == name })
            else { continue }
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
            ProxiedAccess<Object, Value>(slot: slot) { load($0, at: offset) }
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

/// An optional is read as what it wraps: nil at the end and no object are one.
private protocol ProxiedOptional {
    static func access<Object: AnyObject>(
        _ object: Object.Type, slot: Int, at offset: Int
    ) -> PropertyAccess
}

extension Optional: ProxiedOptional {
    fileprivate static func access<Object: AnyObject>(
        _ object: Object.Type, slot: Int, at offset: Int
    ) -> PropertyAccess {
        ProxiedAccess<Object, Wrapped>(slot: slot) { ProxiedFields.load($0, at: offset) }
    }
}
