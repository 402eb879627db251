// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// The core's `struct obv_value_kind` of each kind of property, made once and kept.
///
/// The core passes the property to its kind's functions. The kind is the first field of a record
/// that leads on to the ``PropertyAccess``.
enum ValueKinds {
    private struct Record {
        var kind: obv_value_kind
        var access: Unmanaged<PropertyAccess>
        /// The description of a computed property; nil: the property is stored.
        var computed: UnsafePointer<obv_computed>?
    }

    private static let records = Locked<[ObjectIdentifier: Kept]>([:])

    private struct Kept: @unchecked Sendable {
        let record: UnsafeMutablePointer<Record>
    }

    /// The kind of properties of a type: a wrapper, or a constant's own type.
    static func kind(
        of type: Any.Type, make: () -> PropertyAccess
    ) -> UnsafePointer<obv_value_kind> {
        let kept = records.withLock { records in
            if let kept = records[ObjectIdentifier(type)] {
                return kept
            }
            let kept = Kept(record: makeRecord(make()))
            records[ObjectIdentifier(type)] = kept
            return kept
        }
        return UnsafeRawPointer(kept.record).assumingMemoryBound(to: obv_value_kind.self)
    }

    /// A kind for one property of one class alone.
    static func ownKind(_ access: PropertyAccess) -> UnsafePointer<obv_value_kind> {
        UnsafeRawPointer(makeRecord(access)).assumingMemoryBound(to: obv_value_kind.self)
    }

    static func access(of kind: UnsafePointer<obv_value_kind>) -> PropertyAccess {
        unownedAccess(of: kind).takeUnretainedValue()
    }

    /// The access of a kind, without a retain: the kind keeps the access for the process.
    static func unownedAccess(
        of kind: UnsafePointer<obv_value_kind>
    ) -> Unmanaged<PropertyAccess> {
        UnsafeRawPointer(kind).assumingMemoryBound(to: Record.self).pointee.access
    }

    /// How a property of this kind is computed; nil: it is stored.
    static func computed(of kind: UnsafePointer<obv_value_kind>) -> UnsafePointer<obv_computed>? {
        UnsafeRawPointer(kind).assumingMemoryBound(to: Record.self).pointee.computed
    }

    private static func makeRecord(_ access: PropertyAccess) -> UnsafeMutablePointer<Record> {
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        let how = access as? ComputingAccess
        var kind = how == nil ? storedKind(access) : computedKind(access)
        if access.holdsCollections {
            ObservableContainer.expect()
        }
        if access.holdsHosts {
            kind.declared = { property in
                let access = ValueKinds.access(of: property.pointee.custom!)
                return HostValues.declaredClass(access.valueType).flatMap {
                    try? ModelClasses.of($0)
                }
            }
        }
        record.initialize(
            to: Record(
                kind: kind, access: .passRetained(access), computed: how?.makeComputed()))
        return record
    }

    /// The core's own kind of properties whose values the core keeps.
    private static func computedKind(_ access: PropertyAccess) -> obv_value_kind {
        access.holdsHosts ? obv_detail_kept_objects : obv_detail_kept_values
    }

    private static func storedKind(_ access: PropertyAccess) -> obv_value_kind {
        var kind = obv_value_kind(
            size: MemoryLayout<obv_value_kind>.size,
            equal: { propertyA, a, propertyB, b in
                ValueKinds.access(of: propertyA.pointee.custom!)
                    .areEqual(field(propertyA, of: a), field(propertyB, of: b))
            }, child: nil, declared: nil,
            equals: { property, object, value in
                ValueKinds.access(of: property.pointee.custom!)
                    .holds(value, at: field(property, of: object))
            },
            copy: { property, object, value in
                let access = ValueKinds.access(of: property.pointee.custom!)
                return value.map(access.box(of:)) ?? access.box(at: field(property, of: object))
            }, value_of: nil, child_of: nil,
            same: { property, a, b in
                ValueKinds.access(of: property.pointee.custom!).areEqual(a, b)
            })
        if access.flags & OBV_ANY_THREAD.rawValue != 0 {
            kind.value_of = { box in contentType(of: box).address(of: box) }
        }
        if access.holdsHosts {
            kind.child = { property, object in
                ValueKinds.access(of: property.pointee.custom!)
                    .takeHost(at: field(property, of: object))
            }
            kind.child_of = { property, value in
                ValueKinds.access(of: property.pointee.custom!).takeHost(of: value)
            }
        }
        return kind
    }
}

/// The address of a property. Offsets count from the Swift object, not from its header.
private func field(
    _ property: UnsafePointer<obv_property>, of header: HeaderPointer
) -> UnsafeRawPointer {
    UnsafeRawPointer(objectAddress(of: header)) + Int(property.pointee.offset)
}
