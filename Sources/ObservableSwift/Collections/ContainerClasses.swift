// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

// The core's class of a class of collections, whose elements it reads by the functions below.

extension ContainerForm {
    /// Makes the kind of a class of collections, which is kept for the process.
    func makeKind(
        _ type: ObservableContainer.Type, name: UnsafePointer<CChar>
    ) -> UnsafeMutablePointer<obv_container_kind> {
        let kind = UnsafeMutablePointer<obv_container_kind>.allocate(capacity: 1)
        kind.initialize(
            to: obv_container_kind(
                size: MemoryLayout<obv_container_kind>.size, name: name,
                instance_size: MemoryLayout<obv_container>.size,
                element: obv_property(
                    name: name, kind: OBV_KIND_custom, offset: 0, size: UInt32(stride), flags: 0,
                    type: nil, custom: element, equal: nil, computed: nil),
                count: { reading($0) { $0.elementCount } }, at: nil,
                retain: obv_swift_retain_model, release: obv_swift_release_model,
                is_constant: isConstant,
                key: nil,
                find: nil, next: nil, hash: nil, member: nil))
        switch access {
        case .positions:
            kind.pointee.at = { container, position in
                reading(container) { $0.address(at: position) }
            }
        case .keys(let keys):
            kind.pointee.key = keys
            kind.pointee.find = { container, key in
                reading(container) { $0.address(ofKey: key) }
            }
            kind.pointee.next = nextElement
        case .hashes:
            kind.pointee.hash = { container, element in
                reading(container) { $0.hash(of: element) }
            }
            kind.pointee.member = { container, hash, index in
                reading(container) { $0.member(hash, index) }
            }
            kind.pointee.next = nextElement
        }
        return kind
    }
}

private let nextElement:
    @convention(c) (UnsafePointer<obv_container>, UnsafeMutablePointer<obv_container_cursor>)
        -> Bool = { container, cursor in
            guard let next = reading(container, { $0.next(cursor.pointee.index) }) else {
                return false
            }
            cursor.pointee.index += 1
            cursor.pointee.key = next.key
            cursor.pointee.element = next.element
            return true
        }

/// Asks the collection that a container is.
private func reading<Result>(
    _ container: UnsafePointer<obv_container>, _ body: (ObservableContainer) -> Result
) -> Result {
    let object =
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer(container))
        - Int(OBV_SWIFT_MODEL_HEADER)
    return Unmanaged<ObservableContainer>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
}

// MARK: - Elements

/// The kinds of elements.
enum ElementKinds {
    /// Compared by the declared type, as a property is.
    static func byDeclaredType<Value>(_ type: Value.Type) -> UnsafePointer<obv_value_kind> {
        ValueKinds.kind(of: type) { ConstantAccess<Value>() }
    }

    /// Compared by `==`, objects too: values of dictionaries (DI-1), and members of sets.
    static func byEquality<Value>(_ type: Value.Type) -> UnsafePointer<obv_value_kind> {
        ValueKinds.kind(of: EquatableElement<Value>.self) { EquatableElementAccess<Value>() }
    }
}

/// The key, in the table of kinds, for elements that are compared by `==`.
private enum EquatableElement<Value> {}

/// The access to elements that are compared by `==`, objects too. Objects without `==` are compared
/// by identity.
private final class EquatableElementAccess<Value>: ConstantAccess<Value>, @unchecked Sendable {
    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        ByValueEquality.areEqual(
            at: a.assumingMemoryBound(to: Value.self), b.assumingMemoryBound(to: Value.self))
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<ByValueEquality<Value>>.make(value.assumingMemoryBound(to: Value.self).pointee)
    }
}

/// The same comparison for values that are handed over in boxes.
private enum ByValueEquality<Value>: ObservationPolicy {
    static func areEqual(_ a: Value, _ b: Value) -> Bool {
        withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { b in areEqual(at: a, b) } }
    }

    static func areEqual(at a: UnsafePointer<Value>, _ b: UnsafePointer<Value>) -> Bool {
        if let equatable = Value.self as? any Equatable.Type {
            return _areEqual(equatable, UnsafeRawPointer(a), UnsafeRawPointer(b))
        }
        return _areSame(a, b)
    }
}

// MARK: - Keys

/// The core's `struct obv_key_kind` of each type of keys, made once and kept.
enum KeyKinds {
    private static let records = Locked<[ObjectIdentifier: UnsafeMutablePointer<KeyRecord>]>([:])

    static func kind<Key: Hashable>(of type: Key.Type) -> UnsafePointer<obv_key_kind> {
        let record = records.withLock { records in
            if let record = records[ObjectIdentifier(type)] { return record }
            let record = UnsafeMutablePointer<KeyRecord>.allocate(capacity: 1)
            record.initialize(to: KeyRecord(of: type))
            records[ObjectIdentifier(type)] = record
            return record
        }
        return UnsafeRawPointer(record).assumingMemoryBound(to: obv_key_kind.self)
    }

    /// The value of a key that the core names.
    static func value(of key: OpaquePointer) -> Any {
        var kind: UnsafePointer<obv_key_kind>?
        let copy = obv_key_value(key, &kind)
        return KeyRecord.of(kind!).pointee.value(copy)
    }
}

/// A key kind, and behind it the functions for keys of one type.
private struct KeyRecord {
    private let kind: obv_key_kind
    private let hash: (UnsafeRawPointer) -> UInt64
    private let areEqual: (UnsafeRawPointer, UnsafeRawPointer) -> Bool
    private let copy: (UnsafeRawPointer) -> UnsafeMutableRawPointer
    private let free: (UnsafeMutableRawPointer) -> Void
    private let text: (UnsafeRawPointer) -> UnsafePointer<CChar>
    let value: (UnsafeRawPointer) -> Any

    init<Key: Hashable>(of type: Key.Type) {
        // A copied key is stored together with its text.
        typealias Copy = (key: Key, text: UnsafePointer<CChar>)
        func key(_ key: UnsafeRawPointer) -> Key { key.assumingMemoryBound(to: Key.self).pointee }
        hash = { UInt64(truncatingIfNeeded: key($0).hashValue) }
        areEqual = { key($0) == key($1) }
        copy = {
            let key = key($0)
            let copy = UnsafeMutablePointer<Copy>.allocate(capacity: 1)
            copy.initialize(to: (key, keptText("\(key)")))
            return UnsafeMutableRawPointer(copy)
        }
        free = {
            let copy = $0.assumingMemoryBound(to: Copy.self)
            UnsafeMutablePointer(mutating: copy.pointee.text).deallocate()
            copy.deinitialize(count: 1)
            copy.deallocate()
        }
        text = { $0.assumingMemoryBound(to: Copy.self).pointee.text }
        value = key
        kind = obv_key_kind(
            size: MemoryLayout<obv_key_kind>.size,
            hash: { KeyRecord.of($0).pointee.hash($1) },
            equal: { KeyRecord.of($0).pointee.areEqual($1, $2) },
            copy: { KeyRecord.of($0).pointee.copy($1) },
            free: { KeyRecord.of($0).pointee.free($1) },
            text: { KeyRecord.of($0).pointee.text($1) },
            named: type != String.self
                ? nil
                : { kind, name in
                    withUnsafePointer(to: String(cString: name)) {
                        KeyRecord.of(kind).pointee.copy(UnsafeRawPointer($0))
                    }
                })
    }

    static func of(_ kind: UnsafePointer<obv_key_kind>) -> UnsafePointer<KeyRecord> {
        UnsafeRawPointer(kind).assumingMemoryBound(to: KeyRecord.self)
    }
}
