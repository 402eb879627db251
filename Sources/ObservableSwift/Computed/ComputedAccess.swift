// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// Describes to the core how properties of one kind are evaluated.
class ComputingAccess: PropertyAccess, @unchecked Sendable {
    /// `obv_computed_flags`.
    fileprivate let computedFlags: UInt32

    init(flags: UInt32) {
        computedFlags = flags
    }

    /// The size of the value in the core's record: a pointer to a box.
    override var size: Int { MemoryLayout<BoxPointer>.size }

    /// Made once, and kept for the process.
    func makeComputed() -> UnsafePointer<obv_computed> {
        ComputedKinds.kept(
            obv_computed(
                size: MemoryLayout<obv_computed>.size, evaluate: evaluateBoxed,
                flags: computedFlags, kept: ComputedKinds.boxes, dependencies: nil,
                dependency_count: 0, declare: nil))
    }

    /// A box with the value that the property's function returns, owned by the caller; nil: only
    /// code that reads the property can evaluate it, since it brings the function along.
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
                    // Following the declared paths reads properties, and none of these reads is a
                    // dependency.
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

/// The type of box for values of a type. If `==` compares them, the box has that `==` built in.
private func boxContent<Value>(of type: Value.Type) -> any BoxContent.Type {
    func comparing<Equal: Equatable>(_ type: Equal.Type) -> any BoxContent.Type {
        Boxed<ByEquality<Equal>>.self
    }
    guard !_isObjectReference(type), let equatable = type as? any Equatable.Type else {
        return Boxed<_ByDeclaredType<Value>>.self
    }
    return comparing(equatable)
}

/// Evaluates a property of an object, and writes the value to an address. The property's reader or
/// the core keeps the object alive.
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

/// Declares a property's dependencies to the core: once for each object, and again if memory was
/// short.
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

/// The functions for values that the core keeps: one `struct obv_computed_kept` for boxes, one for
/// words.
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

    /// A copy that is never freed; made once for each kind of property.
    static func kept<Kind>(_ kind: Kind) -> UnsafePointer<Kind> {
        let pointer = UnsafeMutablePointer<Kind>.allocate(capacity: 1)
        pointer.initialize(to: kind)
        return UnsafePointer(pointer)
    }
}
