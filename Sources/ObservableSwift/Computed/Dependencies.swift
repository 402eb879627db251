// SPDX-License-Identifier: Apache-2.0

import CObservable

// Declared dependencies of computed properties: of a class with the property, of one object at any
// other by a call.

extension Computed {
    /// Computed by a method, and by what these paths lead to as well, from the object:
    ///
    ///     @Computed(Order.makeTotal, dependsOn: \.rate, \.items.each.price) var total: Double
    ///
    /// For what the function reads by other ways than observable properties, and for a property
    /// that is set before it is ever computed, which has read nothing yet. The paths are followed as
    /// an observation would follow them, through nil, replaced objects and elements; where that would
    /// be called, the property becomes invalid. They hold from the time on when the property is
    /// first read or set, beside what the function reads. They keep nothing alive, are in no count,
    /// and no stop ends them.
    ///
    /// What is refused, and what is no observable property, is told to ``ObservationDiagnostics``;
    /// ``ObservationDiagnostics/checkDependencies(_:)`` tells where what is declared is not what is
    /// read.
    ///
    /// Cost: an array an instance; once the property was read, what observing the paths costs.
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(.method(method), DeclaredPaths([path] + more))
    }

    /// The same for paths as text: `dependsOnText: "rate", "items.*.price"`.
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(.method(method), DeclaredPaths([path] + more))
    }

    /// The same, computed by a closure.
    @inlinable
    public init(
        _ closure: @escaping (Model) -> Value,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(.closure(closure), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        _ closure: @escaping (Model) -> Value,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(.closure(closure), DeclaredPaths([path] + more))
    }

    /// The same, loaded.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(
            .loader(loader, fallback: wrappedValue), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(
            .loader(loader, fallback: wrappedValue), DeclaredPaths([path] + more))
    }
}

extension Lazy {
    /// Computed by a method, and anew when what these paths lead to has changed; what the function
    /// reads is no dependency. See ``Computed``.
    ///
    ///     @Lazy(Document.makeIndex, dependsOn: \.text) var index: Index
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(.method(method), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(.method(method), DeclaredPaths([path] + more))
    }

    /// The same, computed by a closure.
    @inlinable
    public init(
        _ closure: @escaping (Model) -> Value,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(.closure(closure), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        _ closure: @escaping (Model) -> Value,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(.closure(closure), DeclaredPaths([path] + more))
    }

    /// The same, loaded.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(
            .loader(loader, fallback: wrappedValue), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(
            .loader(loader, fallback: wrappedValue), DeclaredPaths([path] + more))
    }
}

extension Eager {
    /// Computed by a method, and by what these paths lead to as well. See ``Computed``.
    ///
    ///     @Eager(Document.makeWords, dependsOn: \.text) var words: [Substring]
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(.method(method), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(.method(method), DeclaredPaths([path] + more))
    }

    /// The same, computed by a closure.
    @inlinable
    public init(
        _ closure: @escaping (Model) -> Value,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(.closure(closure), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        _ closure: @escaping (Model) -> Value,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(.closure(closure), DeclaredPaths([path] + more))
    }

    /// The same, loaded.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOn path: TypedPath<Model>, _ more: TypedPath<Model>...
    ) {
        _form = .declaring(
            .loader(loader, fallback: wrappedValue), DeclaredPaths([path] + more))
    }

    /// The same for paths as text.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOnText path: TextPath, _ more: TextPath...
    ) {
        _form = .declaring(
            .loader(loader, fallback: wrappedValue), DeclaredPaths([path] + more))
    }
}

extension ObservableHost {
    /// Makes a computed property of this object depend on what paths from another object lead to:
    ///
    ///     order.addDependency(of: \.gross, on: taxes, \.rate, \.region?.rate)
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
        of property: TypedPath<Self>, on other: Other,
        _ path: TypedPath<Other>, _ more: TypedPath<Other>...
    ) {
        for path in DeclaredPaths([path] + more).list {
            withProperty(.typed(PathComponent.list(property)), other) {
                (header, index, root) throws(ObservationError) in
                try path.depend(header, index, on: root)
            }
        }
    }

    /// The same for paths as text.
    ///
    ///     order.addDependency(ofText: "gross", on: taxes, "rate", "region.rate")
    public func addDependency<Other: ObservableHost>(
        ofText property: TextPath, on other: Other, _ path: TextPath, _ more: TextPath...
    ) {
        for path in [path] + more {
            withProperty(.text(property), other) {
                (header, index, root) throws(ObservationError) in
                try DeclaredPath.text(path).depend(header, index, on: root)
            }
        }
    }

    /// Takes that back, also for paths that the property declares itself, `other` being this object
    /// then. Without paths: for all from that object. What was not added is nothing to do.
    public func removeDependency<Other: ObservableHost>(
        of property: TypedPath<Self>, on other: Other, _ paths: TypedPath<Other>...
    ) {
        remove(.typed(PathComponent.list(property)), other, DeclaredPaths(paths).list)
    }

    /// The same for paths as text.
    public func removeDependency<Other: ObservableHost>(
        ofText property: TextPath, on other: Other, _ paths: TextPath...
    ) {
        remove(.text(property), other, paths.map { .text($0) })
    }
}

// MARK: - How

extension ObservableHost {
    private func remove(
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

    /// - Parameter path: of one component, the property.
    private func withProperty(
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
    /// The number of the property that it is, if it is one.
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
