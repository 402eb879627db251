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

/// Stands for elements that are compared by `==` among the kinds.
private enum EquatableElement<Value> {}

/// `==` counts, also of objects; those without one are compared by identity.
private final class EquatableElementAccess<Value>: ConstantAccess<Value>, @unchecked Sendable {
    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        ByValueEquality.areEqual(
            at: a.assumingMemoryBound(to: Value.self), b.assumingMemoryBound(to: Value.self))
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<ByValueEquality<Value>>.make(value.assumingMemoryBound(to: Value.self).pointee)
    }
}

/// The same, of values that are handed over.
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
    private struct Record {
        var kind: obv_key_kind
        var access: Unmanaged<KeyAccess>
    }

    private struct Kept: @unchecked Sendable {
        let record: UnsafeMutablePointer<Record>
    }

    private static let records = Locked<[ObjectIdentifier: Kept]>([:])

    static func kind<Key: Hashable>(of type: Key.Type) -> UnsafePointer<obv_key_kind> {
        let kept = records.withLock { records in
            if let kept = records[ObjectIdentifier(type)] { return kept }
            let kept = Kept(record: makeRecord(AccessOfKeys<Key>(), hasNames: type == String.self))
            records[ObjectIdentifier(type)] = kept
            return kept
        }
        return UnsafeRawPointer(kept.record).assumingMemoryBound(to: obv_key_kind.self)
    }

    private static func makeRecord(
        _ access: KeyAccess, hasNames: Bool
    ) -> UnsafeMutablePointer<Record> {
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        var kind = obv_key_kind(
            size: MemoryLayout<obv_key_kind>.size,
            hash: { kind, key in KeyKinds.access(of: kind).hash(key) },
            equal: { kind, a, b in KeyKinds.access(of: kind).areEqual(a, b) },
            copy: { kind, key in KeyKinds.access(of: kind).copy(key) },
            free: { kind, copy in KeyKinds.access(of: kind).free(copy) },
            text: { kind, copy in KeyKinds.access(of: kind).text(copy) }, named: nil)
        if hasNames {
            kind.named = { kind, name in
                withUnsafePointer(to: String(cString: name)) {
                    KeyKinds.access(of: kind).copy(UnsafeRawPointer($0))
                }
            }
        }
        record.initialize(to: Record(kind: kind, access: .passRetained(access)))
        return record
    }

    /// The value of a key that the core names.
    static func value(of key: OpaquePointer) -> Any {
        var kind: UnsafePointer<obv_key_kind>?
        let copy = obv_key_value(key, &kind)
        return access(of: kind!).value(copy)
    }

    private static func access(of kind: UnsafePointer<obv_key_kind>) -> KeyAccess {
        UnsafeRawPointer(kind).assumingMemoryBound(to: Record.self)
            .pointee.access.takeUnretainedValue()
    }
}

/// How the core handles keys of one type.
private class KeyAccess: @unchecked Sendable {
    func hash(_ key: UnsafeRawPointer) -> UInt64 { fatalError("abstract") }
    func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool { fatalError("abstract") }
    func copy(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer { fatalError("abstract") }
    func free(_ copy: UnsafeMutableRawPointer) { fatalError("abstract") }
    func text(_ copy: UnsafeRawPointer) -> UnsafePointer<CChar> { fatalError("abstract") }
    func value(_ copy: UnsafeRawPointer) -> Any { fatalError("abstract") }
}

private final class AccessOfKeys<Key: Hashable>: KeyAccess, @unchecked Sendable {
    /// A copy has its text behind the key.
    private struct Copy {
        var key: Key
        var text: UnsafePointer<CChar>
    }

    override func hash(_ key: UnsafeRawPointer) -> UInt64 {
        UInt64(truncatingIfNeeded: key.assumingMemoryBound(to: Key.self).pointee.hashValue)
    }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        a.assumingMemoryBound(to: Key.self).pointee == b.assumingMemoryBound(to: Key.self).pointee
    }

    override func copy(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer {
        let key = key.assumingMemoryBound(to: Key.self).pointee
        let copy = UnsafeMutablePointer<Copy>.allocate(capacity: 1)
        copy.initialize(to: Copy(key: key, text: keptText("\(key)")))
        return UnsafeMutableRawPointer(copy)
    }

    override func free(_ copy: UnsafeMutableRawPointer) {
        let copy = copy.assumingMemoryBound(to: Copy.self)
        UnsafeMutablePointer(mutating: copy.pointee.text).deallocate()
        copy.deinitialize(count: 1)
        copy.deallocate()
    }

    override func text(_ copy: UnsafeRawPointer) -> UnsafePointer<CChar> {
        copy.assumingMemoryBound(to: Copy.self).pointee.text
    }

    override func value(_ copy: UnsafeRawPointer) -> Any {
        copy.assumingMemoryBound(to: Copy.self).pointee.key
    }
}
