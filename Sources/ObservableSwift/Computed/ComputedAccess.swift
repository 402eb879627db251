// SPDX-License-Identifier: Apache-2.0

import CObservable

/// How the core has a kind of property computed.
class ComputingAccess: PropertyAccess, @unchecked Sendable {
    /// `obv_computed_flags`.
    fileprivate let computedFlags: UInt32

    init(flags: UInt32) {
        computedFlags = flags
    }

    /// Of what lies in the core's record: a pointer to a box.
    override final var size: Int { MemoryLayout<BoxPointer>.size }

    /// Made once, and kept for the process.
    func makeComputed() -> UnsafePointer<obv_computed> {
        ComputedBoxes.makeComputed(flags: computedFlags)
    }

    /// The dependencies that a property declares.
    func declared(at field: UnsafeRawPointer) -> [DeclaredPath] { [] }

    /// A box with what the function of a property returns, owned by the caller; nil: only its reader
    /// can compute it.
    func evaluate(_ header: HeaderPointer, _ property: obv_property) -> BoxPointer? {
        fatalError("abstract")
    }
}

/// ``ComputedProperty``: the field is the function, and the core keeps the values.
final class ComputedAccess<Model: ObservableHost, Value>: ComputingAccess, @unchecked Sendable {
    /// Looked up once, not for each value.
    private let content = boxContent(of: Value.self)

    override var valueType: Any.Type { Value.self }

    override func makeComputed() -> UnsafePointer<obv_computed> {
        ComputedBoxes.makeComputed(flags: computedFlags) { header, property in
            // Whoever records what is read is not told of what paths are looked up through.
            Reads.ignored { declareDependencies(header, property.pointee) }
        }
    }

    override func declared(at field: UnsafeRawPointer) -> [DeclaredPath] {
        let form = field.assumingMemoryBound(to: ComputedForm<Model, Value>.self)
        return form.pointee.declared?.list ?? []
    }

    override func evaluate(_ header: HeaderPointer, _ property: obv_property) -> BoxPointer? {
        let object = object(of: header)
        let form = field(property, of: object)
            .assumingMemoryBound(to: ComputedForm<Model, Value>.self)
        return makeBox(
            form.pointee.value(of: object, named: String(cString: property.name)), content)
    }
}

/// What holds values of a type. Of those that are compared by `==` it knows that they are.
private func boxContent<Value>(of type: Value.Type) -> any BoxContent.Type {
    func comparing<Equal: Equatable>(_ type: Equal.Type) -> any BoxContent.Type {
        Boxed<ByEquality<Equal>>.self
    }
    guard !_isObjectReference(type), let equatable = type as? any Equatable.Type else {
        return Boxed<_ByDeclaredType<Value>>.self
    }
    return comparing(equatable)
}

private func access(of property: obv_property) -> ComputingAccess {
    unsafeDowncast(ValueKinds.access(of: property.custom!), to: ComputingAccess.self)
}

private func field(_ property: obv_property, of object: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque() + Int(property.offset))
}

/// Once an object, and again where memory was short.
private func declareDependencies(_ header: HeaderPointer, _ property: obv_property) -> obv_status {
    let field = field(property, of: object(of: header))
    var index: UInt32 = 0
    guard obv_class_property_at(obv_object_class(header), property.offset, &index) == OBV_OK
    else { return OBV_OK }
    for path in access(of: property).declared(at: field) {
        do {
            try path.depend(header, index, on: header)
        } catch {
            if error.kind == .memory { return OBV_E_MEMORY }
            ObservationDiagnostics.tellRefused(error, path: error.path)
        }
    }
    return OBV_OK
}

private func evaluateComputed(
    _ header: HeaderPointer, _ property: obv_property, _ result: UnsafeMutableRawPointer
) -> obv_status {
    let access = ValueKinds.unownedAccess(of: property.custom!)
    let made = access._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: ComputingAccess.self).evaluate(header, property)
    }
    guard let box = made else { return OBV_E_UNKNOWN }
    result.storeBytes(of: box, as: BoxPointer.self)
    return OBV_OK
}

/// What the core asks of the boxes with the values: the one `struct obv_computed_box`.
enum ComputedBoxes {
    static var kind: UnsafePointer<obv_computed_box> { made.pointer }

    /// Made once a kind of property, and kept for the process.
    static func makeComputed(
        flags: UInt32,
        declare: (@convention(c) (HeaderPointer, UnsafePointer<obv_property>) -> obv_status)? = nil
    ) -> UnsafePointer<obv_computed> {
        let computed = UnsafeMutablePointer<obv_computed>.allocate(capacity: 1)
        computed.initialize(
            to: obv_computed(
                size: MemoryLayout<obv_computed>.size,
                evaluate: { header, property, result in
                    evaluateComputed(header, property.pointee, result)
                }, flags: flags, box: kind, dependencies: nil, dependency_count: 0,
                declare: declare))
        return UnsafePointer(computed)
    }

    private struct Kind: @unchecked Sendable {
        let pointer: UnsafePointer<obv_computed_box>
    }

    private static let made: Kind = {
        let kind = UnsafeMutablePointer<obv_computed_box>.allocate(capacity: 1)
        kind.initialize(
            to: obv_computed_box(
                copy: { contentType(of: $0).copy($0) },
                child: { contentType(of: $0).takeHost($0) },
                value: { contentType(of: $0).address(of: $0) }))
        return Kind(pointer: UnsafePointer(kind))
    }()
}
