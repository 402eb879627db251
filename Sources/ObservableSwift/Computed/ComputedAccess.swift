// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// How the core has a kind of property computed.
class ComputingAccess: PropertyAccess, @unchecked Sendable {
    /// `obv_computed_flags`.
    fileprivate let computedFlags: UInt32

    init(flags: UInt32) {
        computedFlags = flags
    }

    /// Of what lies in the core's record: a pointer to a box.
    override var size: Int { MemoryLayout<BoxPointer>.size }

    /// Made once, and kept for the process.
    func makeComputed() -> UnsafePointer<obv_computed> {
        ComputedKinds.kept(
            obv_computed(
                size: MemoryLayout<obv_computed>.size, evaluate: evaluateBoxed,
                flags: computedFlags, kept: ComputedKinds.boxes, dependencies: nil,
                dependency_count: 0, declare: nil))
    }

    /// A box with what the function of a property returns, owned by the caller; nil: only its reader
    /// can compute it.
    func evaluate(
        _ header: HeaderPointer, _ property: UnsafePointer<obv_property>
    ) -> BoxPointer? {
        fatalError("abstract")
    }
}

/// ``ComputedProperty``: the field is the function, and the core keeps the values.
final class ComputedAccess<Value>: ComputingAccess, @unchecked Sendable {
    /// Looked up once, not for each value.
    private let content = boxContent(of: Value.self)

    override var valueType: Any.Type { Value.self }
    override var size: Int { _areWords(Value.self) ? MemoryLayout<UInt64>.size : super.size }

    override func makeComputed() -> UnsafePointer<obv_computed> {
        let areWords = _areWords(Value.self)
        var flags = computedFlags
        if areWords { flags |= OBV_DETAIL_WORD.rawValue }
        if Value.self == Double.self { flags |= OBV_DETAIL_DOUBLE.rawValue }
        return ComputedKinds.kept(
            obv_computed(
                size: MemoryLayout<obv_computed>.size,
                evaluate: areWords ? obv_swift_evaluate : evaluateBoxed,
                flags: flags,
                kept: areWords ? ComputedKinds.words : ComputedKinds.boxes, dependencies: nil,
                dependency_count: 0,
                declare: { header, property in
                    // Whoever records what is read is not told of what paths are looked up through.
                    Reads.ignored { declareDependencies(header, property.pointee) }
                }))
    }

    override func evaluate(
        _ header: HeaderPointer, _ property: UnsafePointer<obv_property>
    ) -> BoxPointer? {
        let object = objectAddress(of: header)
        return makeBox(of: Value.self, content) {
            write(property, of: object, to: $0)
        }
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        makeBox(of: Value.self, content) {
            $0.initializeMemory(
                as: Value.self, from: value.assumingMemoryBound(to: Value.self), count: 1)
        }
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

/// Writes the value of an object, which its reader or the core keeps, to an address.
@inline(__always)
private func write(
    _ property: UnsafePointer<obv_property>, of object: UnsafeRawPointer,
    to value: UnsafeMutableRawPointer
) {
    let function = (object + Int(property.pointee.offset))
        .assumingMemoryBound(to: ComputedFunction.self)
    Unmanaged<AnyObject>.fromOpaque(object)._withUnsafeGuaranteedRef {
        function.pointee.call($0, property.pointee.name, value)
    }
}

/// Once an object, and again where memory was short.
private func declareDependencies(_ header: HeaderPointer, _ property: obv_property) -> obv_status {
    let form = (objectAddress(of: header) + Int(property.offset))
        .assumingMemoryBound(to: ComputedForm.self)
    var index: UInt32 = 0
    guard obv_class_property_at(obv_object_class(header), property.offset, &index) == OBV_OK
    else { return OBV_OK }
    for path in form.pointee.declared {
        do {
            try path.depend(header, index, on: header)
        } catch {
            if error.kind == .memory { return OBV_E_MEMORY }
            ObservationDiagnostics.tellRefused(error, path: error.path)
        }
    }
    return OBV_OK
}

private typealias Evaluate =
    @convention(c) (
        HeaderPointer, UnsafePointer<obv_property>, UnsafeMutableRawPointer
    ) -> obv_status

private let evaluateBoxed: Evaluate = { header, property, result in
    let access = ValueKinds.unownedAccess(of: property.pointee.custom!)
    let made = access._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: ComputingAccess.self).evaluate(header, property)
    }
    guard let box = made else { return OBV_E_UNKNOWN }
    result.storeBytes(of: box, as: BoxPointer.self)
    return OBV_OK
}

/// The functions of the values that the core keeps: the two `struct obv_computed_kept`.
enum ComputedKinds {
    static var boxes: UnsafePointer<obv_computed_kept> { made.boxes }
    static var words: UnsafePointer<obv_computed_kept> { made.words }

    private struct Kinds: @unchecked Sendable {
        let boxes = kept(
            obv_computed_kept(
                copy: { _, kept in
                    let box = kept.load(as: BoxPointer.self)
                    return contentType(of: box).copy(box)
                },
                child: { contentType(of: $0).takeHost($0) },
                value: { contentType(of: $0).address(of: $0) }))
        let words = kept(
            obv_computed_kept(
                copy: { property, kept in
                    ValueKinds.access(of: property.pointee.custom!).box(of: kept)
                },
                child: nil, value: { UnsafeRawPointer($0) }))
    }

    private static let made = Kinds()

    /// A copy that is kept for the process; made once a kind of property.
    static func kept<Kind>(_ kind: Kind) -> UnsafePointer<Kind> {
        let pointer = UnsafeMutablePointer<Kind>.allocate(capacity: 1)
        pointer.initialize(to: kind)
        return UnsafePointer(pointer)
    }
}
