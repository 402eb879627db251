// SPDX-License-Identifier: Apache-2.0

import CObservable

// Declared dependencies of the computed properties of one object.

extension ComputedProperties {
    /// Makes a computed property of this object depend on what paths from another object lead to:
    ///
    ///     order.computedProperties.addDependency(of: \.gross, on: taxes, \.rate, \.region?.rate)
    ///
    /// As what the property declares itself (``Computed``). Its present value stays valid. Added
    /// already, a path is added once. It ends with either object, neither of which it keeps alive;
    /// that the other one ends counts as a change.
    ///
    /// What is refused, a property that is not computed, say, is told to
    /// ``ObservationDiagnostics``.
    ///
    /// Threads: where both objects may be read. Cost: that of observing the paths.
    public func addDependency<Other: ObservableHost>(
        of property: TypedPath<Root>, on other: Other,
        _ path: TypedPath<Other>, _ more: TypedPath<Other>...
    ) {
        for path in DeclaredPaths([path] + more).list {
            root.withProperty(DeclaredPath(components: PathComponent.list(property)), other) {
                (header, index, root) throws(ObservationError) in
                try path.depend(header, index, on: root)
            }
        }
    }

    /// Takes that back, also for paths that the property declares itself, `other` being this object
    /// then. Without paths: for all from that object. What was not added is nothing to do.
    public func removeDependency<Other: ObservableHost>(
        of property: TypedPath<Root>, on other: Other, _ paths: TypedPath<Other>...
    ) {
        root.remove(
            DeclaredPath(components: PathComponent.list(property)), other, DeclaredPaths(paths).list
        )
    }
}

// MARK: - How

extension ObservableHost {
    fileprivate func remove(
        _ property: DeclaredPath, _ other: some ObservableHost, _ paths: [DeclaredPath]
    ) {
        withProperty(property, other) { (header, index, root) throws(ObservationError) in
            if paths.isEmpty {
                obv_depend_no_more_compiled(header, index, root, nil, nil)
            }
            for path in paths {
                try path.dependNoMore(header, index, on: root)
            }
        }
    }

    /// - Parameter path: leads to the computed property, by one component.
    fileprivate func withProperty(
        _ path: DeclaredPath, _ other: some ObservableHost,
        _ body: (HeaderPointer, UInt32, HeaderPointer) throws(ObservationError) -> Void
    ) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let header = try adopt()
            let root = try other.adopt()
            try body(header, try path.property(of: header), root)
            withExtendedLifetime((self, other)) {}
        }
    }
}

extension DeclaredPath {
    /// The index of the object's own property that the path leads to; `UInt32.max`: there is none.
    fileprivate func property(of header: HeaderPointer) throws(ObservationError) -> UInt32 {
        var found = UInt32.max
        try with(header, keepsComponents: false) { path, error in
            var place = obv_place()
            let status = obv_place_find(header, path, &place, &error)
            if status == OBV_OK, place.object == header, place.line != nil {
                found = place.property
            }
            obv_place_leave(&place)
            return status
        }
        return found
    }
}
