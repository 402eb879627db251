// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The core's `struct obv_component` of each component of a typed path, made once and kept: a
/// program has as many as it has key paths in its source.
enum Components {
    private struct Kept: @unchecked Sendable {
        let component: UnsafeMutablePointer<obv_component>
    }

    private static let components = Locked<[Key: Kept]>([:])

    /// Key paths are constants, of the program's source or with values they have captured.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPaths: [AnyKeyPath]
    }

    /// The component of a reader.
    static func component(_ reader: ComponentReader) -> UnsafeMutablePointer<obv_component> {
        let key = Key(keyPaths: reader.keyPaths)
        // Key paths compare without running code of the program.
        if let kept = components.withLock({ $0[key] }) {
            return kept.component
        }
        let made = Kept(component: make(reader))
        return components.withLock { components in
            if let other = components[key] {
                return other
            }
            components[key] = made
            return made
        }.component
    }

    private static func make(_ reader: ComponentReader) -> UnsafeMutablePointer<obv_component> {
        let component = UnsafeMutablePointer<obv_component>.allocate(capacity: 1)
        component.initialize(
            to: obv_component(
                text: Components.text(reader), kind: UnsafePointer(kind.pointer),
                context: Unmanaged.passRetained(reader).toOpaque(), plain: reader.isPlain,
                name: 0, known: (0, 0, 0, 0)))
        return component
    }

    private static func reader(
        _ component: UnsafePointer<obv_component>
    ) -> ComponentReader {
        Unmanaged<ComponentReader>.fromOpaque(component.pointee.context!).takeUnretainedValue()
    }

    // MARK: - The answers

    private struct Kind: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<obv_component_kind>
    }

    private static let kind: Kind = {
        let kind = UnsafeMutablePointer<obv_component_kind>.allocate(capacity: 1)
        kind.initialize(
            to: obv_component_kind(
                size: MemoryLayout<obv_component_kind>.size,
                resolve: { component, header, property in
                    Components.resolve(Components.reader(component), header, property)
                },
                child: { component, header in
                    Components.reader(component).takeHost(object(of: header))
                },
                differs: { component, before, after in
                    !Components.reader(component)
                        .areEqual(object(of: before), object(of: after))
                },
                changed: { component, header, old in
                    !Components.reader(component)
                        .isEqual(object(of: header), inFormer: old)
                },
                reaches: { component, header in
                    Components.reader(component).reaches(object(of: header))
                }))
        return Kind(pointer: kind)
    }()

    /// What the component's property is on this object: what its key path reads there. A getter of
    /// the program that reads one observed property of the same type is taken for it.
    private static func resolve(
        _ reader: ComponentReader, _ header: HeaderPointer, _ property: UnsafeMutablePointer<UInt32>
    ) -> obv_component_place {
        let read = reader.property
        let object = object(of: header)
        let reads = Reads.of { read.touch(object) }
        if reads.count == 0 {
            return constant(read, header, property)
        }
        guard let field = reads.onlyField(of: header, named: ""),
            ValueKinds.access(of: field.kind).valueType == read.valueType
        else { return OBV_COMPONENT_UNKNOWN }
        let cls = obv_object_class(header)
        if obv_class_property_at(cls, UInt32(field.offset), property) == OBV_OK {
            return OBV_COMPONENT_PROPERTY
        }
        MissingNames.report(type(of: object))
        return OBV_COMPONENT_UNKNOWN
    }

    /// What reads nothing that is observed never changes, unless it can be set. A stored constant is
    /// the property of its name.
    private static func constant(
        _ read: ComponentReader, _ header: HeaderPointer, _ property: UnsafeMutablePointer<UInt32>
    ) -> obv_component_place {
        if read.isWritable {
            return OBV_COMPONENT_UNKNOWN
        }
        let description = "\(read.keyPaths[0])"
        if !description.contains("<"), let dot = description.lastIndex(of: ".") {
            let name = String(description[description.index(after: dot)...])
            if obv_class_property(obv_object_class(header), name, property) == OBV_OK {
                return OBV_COMPONENT_PROPERTY
            }
        }
        return OBV_COMPONENT_CONSTANT
    }

    // MARK: - Text

    /// A key path's description without its backslash, and without the address of a getter.
    private static func text(of description: String) -> String {
        let text = String(description.drop { $0 == "\\" })
        guard let address = text.firstRange(of: " 0x"),
            let type = text[address.upperBound...].firstRange(of: " (")
        else { return text }
        return String(text[..<address.lowerBound] + text[type.lowerBound...])
    }

    /// As it is printed where no name is known: the types and fields that the key path names.
    private static func text(_ reader: ComponentReader) -> UnsafePointer<CChar> {
        let parts = reader.keyPaths.map { text(of: "\($0)") }
        return keptText(parts.joined(separator: "."))
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
