// SPDX-License-Identifier: Apache-2.0

import CObservable

// Reading and setting by path. A typed path is read by its key paths, a path as text by the core,
// like the value that a block is handed. A typed path sets by a key path, and so by the property's
// own setter. A path as text cannot set, since names lead to no setter.

/// A protocol of every ``ObservableHost``, so that the members below stand in an extension with a
/// constraint. Because they do, the compiler looks for a proxy's dynamic members as well, and finds a
/// property `value` of its object.
public protocol _ReadByPath: AnyObject {}

extension _ReadByPath where Self: ObservableHost {
    /// What a path leads to now, through the values that are there:
    ///
    ///     let code = user.value(at: \.address?.zipCode).value
    ///
    /// as `user.address?.zipCode` would read it, and whether the path leads anywhere. Nothing is
    /// observed: a model that loads a value only while it is observed (``ObservationAware``) does not
    /// load it for this.
    ///
    /// The path may go on into values, and through properties that cannot be observed. Inside a
    /// value nil on the way and nil at the end are one: unreachable. A path to every property
    /// (`\.allProperties`) is many values, and stops the program.
    ///
    /// Threads: where the properties on the path may be read. Cost: a few microseconds for the path,
    /// and its getters.
    public func value<Value>(at path: ValuePath<Self, Value>) -> PathValue<Value> {
        // The builder's optional is never nil.
        value(of: path(ObservedPath<Self>())!)
    }

    /// The same, of a path that is kept.
    func value<Value>(of path: ObservedPath<Value>) -> PathValue<Value> {
        path._leadsThroughElements ? valueOfElement(path) : path.value(from: self)
    }

    /// Sets the property that a path leads to now, through the values that are there:
    ///
    ///     user.set("1010", at: \.address?.zipCode)
    ///     user.set(nil, at: \.address?.floor)
    ///
    /// as `user.address?.zipCode = "1010"` would: by its setter, with `willSet` and `didSet`, and told as any
    /// set. A path may end at a part of a property's value (`\.frame.width`), of which the whole is
    /// set, and may lead through elements of collections (`\.songs[0].title`).
    ///
    /// - Parameters:
    ///   - value: of the property's type; nil only where that is optional, which the compiler checks.
    ///   - path: from this object to one property that has a setter. Else it is refused, and
    ///     ``ObservationDiagnostics`` is told: a constant, a computed property that is only read, an element
    ///     itself, `each`, a rest as text.
    /// - Returns: whether it was set; false where something on the way is nil or not there, or the path was
    ///   refused.
    ///
    /// Threads: where the property may be set. Cost: that of the path, some microseconds, and of the set.
    @discardableResult
    public func set<Value>(_ value: Value, at path: ValuePath<Self, Value>) -> Bool {
        // The builder's optional is never nil.
        let path = path(ObservedPath<Self>())!
        do {
            return try set(path) { value }
        } catch {
            ObservationDiagnostics.tellRefused(
                error, path: error.path.isEmpty ? nil : error.path)
            return false
        }
    }

    /// The same, of a path that is kept.
    ///
    /// - Parameter value: made where there is something to set; nil: nothing is set.
    /// - Returns: whether it was set.
    func set<Value>(
        _ path: ObservedPath<Value>, to value: () -> Value?
    ) throws(ObservationError) -> Bool {
        guard let last = path._last, last.canBeSet else {
            throw ObservationError(
                .unsupportedElement, path: try CompiledPath(path._components, from: adopt()).text,
                "a path that is set ends at one property that has a setter")
        }
        guard let object = try object(behind: path._done), let value = value() else { return false }
        return last.set(value, in: object)
    }

    /// The object that components lead to; nil: something on the way is nil.
    private func object(
        behind components: ArraySlice<PathComponent>
    ) throws(ObservationError) -> AnyObject? {
        if let readers = ComponentReader.list(components) {
            return ComponentReader.object(behind: readers[...], from: self)
        }
        let object: PathValue<AnyObject> = try valueByCore(Array(components))
        return object.value
    }

    /// Reads an element by the core. A path that cannot be followed leads nowhere.
    private func valueOfElement<Value>(_ path: ObservedPath<Value>) -> PathValue<Value> {
        (try? valueByCore(path._components)) ?? .unreachable
    }

    private func valueByCore<Value>(
        _ components: [PathComponent]
    ) throws(ObservationError) -> PathValue<Value> {
        let header = try adopt()
        let compiled = try CompiledPath(components, from: header)
        var (value, error) = (obv_value(), obv_error())
        let status = obv_value_at_compiled(header, compiled.pointer, &value, &error)
        guard status == OBV_OK else {
            throw ObservationError(status, error, path: compiled.text)
        }
        defer {
            obv_value_deinit(Context.shared, &value)
            withExtendedLifetime((self, compiled)) {}
        }
        return PathValue(ChangeValue(value))
    }

    /// The same for a path as text: what an observation by this path would be handed as the new
    /// value.
    ///
    ///     let code = try user.value(at: "address.zipCode").value as? String
    ///
    /// An object on the way that does not have the next property makes the path unreachable;
    /// ``TextPath/validate(for:)`` finds what is misspelt.
    ///
    /// - Throws: ``ObservationError`` of kind `unknown` if this object's class does not have the
    ///   first property, `unsupportedElement` for a path with `*`, `memory`.
    ///
    /// Threads: where the properties on the path may be read, for which the program vouches: of a
    /// text the compiler knows no isolation. Cost: under a microsecond, and a copy of the value.
    public func value(at path: TextPath) throws(ObservationError) -> PathValue<Any> {
        let header = try adopt()
        let compiled = try path.compiled()
        defer {
            obv_path_destroy(compiled)
            withExtendedLifetime(self) {}
        }
        return try .read(at: path) { obv_value_at_compiled(header, compiled, &$0, &$1) }
    }
}

// MARK: - How

extension PathValue<Any> {
    /// The value that `read` fetches from the core, whose own copy is released.
    static func read(
        at path: TextPath, by read: (inout obv_value, inout obv_error) -> obv_status
    ) throws(ObservationError) -> Self {
        var value = obv_value()
        var error = obv_error()
        let status = read(&value, &error)
        guard status == OBV_OK else {
            throw ObservationError(status, error, path: path.description)
        }
        defer { obv_value_deinit(Context.shared, &value) }
        return Self(ChangeValue(value))
    }
}

extension ObservedPath {
    fileprivate var _leadsThroughElements: Bool {
        _done.contains { component in
            switch component {
            case .element, .text, .anyOf, .refused: true
            case .reader, .any: false
            }
        }
    }

    fileprivate func value(from root: AnyObject) -> PathValue<Value> {
        guard let readers = ComponentReader.list(_done), Value.self != _AllProperties.self else {
            stopTheProgram("every property is many values, not one")
        }
        guard let last = _last else { return .reached(root as? Value) }
        guard let object = ComponentReader.object(behind: readers[...], from: root) else {
            return .unreachable
        }
        return last.reached(on: object, last.value(in: object))
    }
}

extension ComponentReader {
    /// The readers of a path's components; nil: a component is no property (an element, text, every
    /// property).
    static func list(_ components: some Collection<PathComponent>) -> [ComponentReader]? {
        let readers = components.compactMap { component -> ComponentReader? in
            if case .reader(let reader) = component { reader } else { nil }
        }
        return readers.count == components.count ? readers : nil
    }

    /// The object that components lead to; nil: something on the way is nil.
    static func object(
        behind readers: ArraySlice<ComponentReader>, from root: AnyObject
    ) -> AnyObject? {
        var object: AnyObject? = root
        for reader in readers {
            object = object.flatMap(reader.any(in:)).map { $0 as AnyObject }
        }
        return object
    }

    /// Nil is a value of a whole property. For a part of a property's value, nil means unreachable
    /// (KP-18).
    fileprivate func reached<Value>(on object: AnyObject, _ value: Value?) -> PathValue<Value> {
        mayRead(object) && (isPlain || value != nil) ? .reached(value) : .unreachable
    }
}
