// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The computed properties of an object: `order.computedProperties`. A property that is not computed is
/// always valid, and nothing here changes or names it.
public struct ComputedProperties<Root: ObservableHost> {
    let root: Root
}

extension ObservableHost {
    /// The computed properties of this object: which of them are valid, and what they depend on.
    public var computedProperties: ComputedProperties<Self> { ComputedProperties(root: self) }
}

extension ComputedProperties {
    /// Makes computed properties invalid: the next read of each computes it, whatever its
    /// dependencies. What depends on them may become invalid by that. Of other properties nothing.
    ///
    ///     document.computedProperties.invalidate(\.index, \.author?.fullName)
    ///     document.computedProperties.invalidate()
    ///
    /// Observers are due as by a set: if the value is another one then.
    ///
    /// - Parameter paths: to a property of this object, or from this object to one of another,
    ///   through the values that are there; nil on the way is nothing to do. None: all of this object.
    ///
    /// A path that is refused is told to ``ObservationDiagnostics``.
    ///
    /// Threads: as a set. Cost: that of the path, and of what depends on the property.
    public func invalidate(_ paths: TypedPath<Root>...) {
        if paths.isEmpty, root.hasComputedValues {
            obv_invalidate_all(root._observationObject)
        }
        for path in paths.flatMap(PathComponent.lists)
        where root.hasComputedValues || path.count > 1 || !path.text.isEmpty {
            ObservationDiagnostics.tellingRefused(path.text) { () throws(ObservationError) in
                let compiled = try CompiledPath(path, from: root.adopt())
                try root.withPlace(at: compiled.pointer) { place throws(ObservationError) in
                    guard let object = place.object, place.line != nil else { return }
                    let status = obv_invalidate(object, place.property)
                    if status != OBV_OK {
                        throw ObservationError(status, obv_error(), path: "")
                    }
                }
                withExtendedLifetime(compiled) {}
            }
        }
    }

    /// Computes every computed property of this object that is invalid, and that the library can compute:
    /// one without a wrapper where its class lists it, or a typed path to it is observed.
    ///
    /// Threads: as a read of them.
    public func validate() {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let status = obv_validate_all(try root.adopt())
            if status == OBV_E_MEMORY {
                throw ObservationError(status, obv_error(), path: "")
            }
        }
    }

    /// The names of the computed properties that have a value which no read would compute anew, those
    /// of superclasses first.
    ///
    /// Threads: any. Cost: O(properties).
    public var valid: [String] { root.namesOfComputed { $0 } }

    /// The names of the others: those that the next read computes. Of those without a wrapper only such
    /// as some object of the class has read, or the class lists.
    public var invalid: [String] { root.namesOfComputed { !$0 } }
}

// MARK: - How

extension ObservableHost {
    /// Whether any computed property has a value. If none has, there is nothing to invalidate.
    fileprivate var hasComputedValues: Bool {
        isAdopted
            && ComputedFields(of: _observationObject).contains {
                obv_detail_last(_observationObject, $0.index) != nil
            }
    }

    /// Whether the class has any computed property.
    var hasComputedProperties: Bool {
        guard let header = try? adopt() else { return false }
        return ComputedFields(of: header).contains { _ in true }
    }

    fileprivate func namesOfComputed(where isIncluded: (_ isValid: Bool) -> Bool) -> [String] {
        guard let header = try? adopt() else { return [] }
        let cls = obv_object_class(header)
        return ComputedFields(of: header)
            .filter {
                !LateProperties.isNameless($0.index, of: cls)
                    && isIncluded(obv_is_valid(header, $0.index))
            }
            .map { String(cString: $0.name) }
    }
}

/// The computed properties of an object, those of superclasses first.
private struct ComputedFields: Sequence, IteratorProtocol {
    private let cls: OpaquePointer
    private var index: UInt32 = 0

    init(of header: HeaderPointer) {
        cls = obv_object_class(header)
    }

    mutating func next() -> (index: UInt32, name: UnsafePointer<CChar>)? {
        while let name = obv_class_property_name(cls, index) {
            defer { index += 1 }
            if obv_property_is_computed(cls, index) {
                return (index, name)
            }
        }
        return nil
    }
}
