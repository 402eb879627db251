// SPDX-License-Identifier: Apache-2.0

import CObservable

// Manual triggers.

extension ObservableHost {
    /// Tells of a value that was written past the setter of a property (``Observed/unobserved``),
    /// and does what the setter would have done: compares, moves the paths that lead through the
    /// property, schedules blocks, calls immediate ones.
    ///
    ///     let old = _age.unobserved
    ///     for event in events { _age.unobserved += event.years }
    ///     trigger(\.age, old: old)
    ///
    /// A value that equals the one that is stored, as the property compares, is no change. A path
    /// that leads on from the property is let go where it was, whatever `old` names; so keep the
    /// old object until this has returned. Where nobody observes the property, nothing is read.
    /// Between the write and the trigger, a path that is newly begun goes through either of the two
    /// objects.
    ///
    /// A set needs none of this, nor does one in `willSet` or `didSet`.
    ///
    /// - Parameters:
    ///   - path: to an observed property of this object, or from this object to one of another,
    ///     through the values that are there; nil on the way is nothing to do. A whole property,
    ///     not a field of its value, nor every property.
    ///   - old: the value before, of the property's type (`End.Stored`); where the property or
    ///     something on the way is optional, an optional; of a path as text a value of that type.
    ///   - new: the value that the caller believes to be stored: the one that is stored wins, and if it is
    ///     another, ``ObservationDiagnostics`` is told. A literal `nil` says nothing.
    ///
    /// What is refused is told to ``ObservationDiagnostics``, and nothing is done: a computed property,
    /// say, which is made invalid instead (``ComputedProperties/invalidate(_:)``).
    ///
    /// Threads: as a set of the property. Cost: that of a set, and the path: as text under half a
    /// microsecond, typed a few; a setter triggers by its storage instead (`\._age`), which is free
    /// of that. A typed path reads its property once a class, to learn which it is.
    public func trigger<End: _ObservedEnd>(
        _ path: KeyPath<ObservedPath<Self>, End>, old: End.Stored, new: End.Stored? = nil
    ) {
        triggerEnd(path, old, new.map { $0 as Any })
    }
}

// MARK: - How

extension ObservableHost {
    private func triggerEnd(_ path: TypedPath<Self>, _ old: Any, _ new: Any?) {
        let components = PathComponent.list(path)
        // A quick return: nobody observes the object or its class. A class with computed properties
        // goes on, since a trigger of a computed property is refused even if nobody observes.
        if isOwnProperty(components), !obv_detail_may_observe(_observationWord),
            !hasComputedProperties
        {
            return
        }
        ObservationDiagnostics.tellingRefused(components.text) { () throws(ObservationError) in
            let compiled = try CompiledPath(components, from: adopt())
            try withPlace(at: compiled.pointer) { place throws(ObservationError) in
                guard let line = place.line?.pointee else { return }
                if line.computed != nil {
                    throw ObservationError(
                        .unsupportedElement, "a computed property is invalidated, not triggered")
                }
                guard let object = place.object else { return }
                let access = ValueKinds.access(of: line.custom!)
                func trigger(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer?) {
                    _ = obv_trigger(object, place.property, old, new)
                }
                let done = access.withAddress(of: old) { old in
                    guard let new else {
                        trigger(old, nil)
                        return true
                    }
                    return access.withAddress(of: new) { trigger(old, $0) } != nil
                }
                if done != true {
                    throw ObservationError(
                        .argument,
                        "a trigger needs values of the property's type, \(access.valueType)")
                }
            }
            withExtendedLifetime(compiled) {}
        }
    }

    /// Follows a path through the present values, and calls `body` with the place at its end. The
    /// place's object stays alive during the call.
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

/// Whether a path is a single whole property of its root.
private func isOwnProperty(_ components: [PathComponent]) -> Bool {
    guard components.count == 1, case .reader(let reader) = components[0] else {
        return false
    }
    return reader.isPlain
}
