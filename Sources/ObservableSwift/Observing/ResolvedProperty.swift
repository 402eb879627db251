// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A property of an object, at the end of a path.
struct ResolvedProperty {
    private let object: HeaderPointer
    private let property: UInt32
    private let access: PropertyAccess

    /// Walks from an object through the values that are there, and calls `body` while the object at
    /// the end is alive. `body` is not called if the path cannot be reached.
    ///
    /// - Throws: ``ObservationError`` of kind `unsupportedElement` or `unknown`.
    static func find(
        from root: some ObservableHost, _ path: OpaquePointer,
        _ body: (ResolvedProperty) throws(ObservationError) -> Void
    ) throws(ObservationError) {
        try root.withPlace(at: path) { place throws(ObservationError) in
            if let line = place.line, line.pointee.computed != nil {
                throw ObservationError(
                    .unsupportedElement, "a computed property is invalidated, not triggered")
            }
            if let object = place.object, let line = place.line {
                try body(
                    ResolvedProperty(
                        object: object, property: place.property,
                        access: ValueKinds.access(of: line.pointee.custom!)))
            }
        }
    }

    /// - Throws: ``ObservationError`` of kind `argument` for a value of another type than the
    ///   property's.
    func trigger(_ old: Any, _ new: Any?) throws(ObservationError) {
        let done = access.withAddress(of: old) { old in
            guard let new else {
                _ = obv_trigger(object, property, old, nil)
                return true
            }
            return access.withAddress(of: new) { new in
                _ = obv_trigger(object, property, old, new)
            } != nil
        }
        if done != true {
            throw ObservationError(
                .argument, "a trigger needs values of the property's type, \(access.valueType)")
        }
    }
}

extension ObservableHost {
    /// Walks through the values that are there, and calls `body` with the place that a path leads to,
    /// whose object is alive meanwhile.
    ///
    /// - Throws: ``ObservationError`` of kind `unsupportedElement` or `unknown`.
    func withPlace(
        at path: OpaquePointer, _ body: (obv_place) throws(ObservationError) -> Void
    ) throws(ObservationError) {
        let header = try adopt()
        var error = obv_error()
        var place = obv_place()
        let status = obv_place_find(header, path, &place, &error)
        defer {
            obv_place_leave(&place)
            withExtendedLifetime(self) {}
        }
        guard status == OBV_OK else {
            throw ObservationError(status, error, path: "")
        }
        try body(place)
    }
}
