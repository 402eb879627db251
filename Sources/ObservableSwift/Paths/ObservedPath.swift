// SPDX-License-Identifier: Apache-2.0

/// What a typed path is built over: the compiler sees key paths of it where it sees
/// `\.address?.zipCode`, and so hands the components over one by one, without an object. Programs
/// do not use it by name: for signatures of their own there are ``TypedPath`` and ``ValuePath``.
@dynamicMemberLookup
public struct ObservedPath<Value> {
    let _components: [PathComponent]

    init(_ components: [PathComponent]) {
        _components = components
    }

    /// The reader of the last component; nil: there is no component, the last one is no property,
    /// or the path was joined of several.
    var _last: TypedReader<Value>? {
        guard case .reader(let last)? = _components.last else { return nil }
        return last as? TypedReader<Value>
    }

    /// The components before `_last`; all of them if `_last` is nil.
    var _done: ArraySlice<PathComponent> {
        _components.dropLast(_last == nil ? 0 : 1)
    }

    /// The next component: a property of the object, or a part of a value.
    public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> ObservedPath<Next> {
        _appending(keyPath) { $0 }
    }

    /// The same for one that is optional: the path goes on with `?`.
    public subscript<Next>(
        dynamicMember keyPath: KeyPath<Value, Next?>
    ) -> ObservedPath<Next>? {
        _appending(keyPath, UnwrappingReader.init)
    }

    /// - Parameters:
    ///   - field: makes the reader of a part of a value, if the path goes on inside a value.
    ///   - reader: makes the component's reader from the reader of the key path's end, e.g. unwraps
    ///     an optional.
    func _appending<Found, Next>(
        _ keyPath: KeyPath<Value, Found>,
        field: (TypedReader<Value>, KeyPath<Value, Found>) -> TypedReader<Found> = FieldReader.init,
        _ reader: (TypedReader<Found>) -> TypedReader<Next>
    ) -> ObservedPath<Next> {
        var components = _components
        let found: TypedReader<Found>
        if let last = _last, !HostValues.leadOn(Value.self) {
            // The path goes on inside the last component's value, so the longer reader replaces the
            // last component.
            components.removeLast()
            found = field(last, keyPath)
        } else {
            if let refusal = _refusal { components.append(.refused(refusal)) }
            found = PropertyReader(keyPath)
        }
        components.append(.reader(reader(found)))
        return .init(components)
    }

    /// The reason why no path may go on from here; nil: a path may.
    private var _refusal: StaticString? {
        if Value.self is ObservableContainer.Type {
            return "of a collection a path has `count`, `each` and its elements, and nothing else"
        }
        let isInside = !_components.isEmpty && !HostValues.leadOn(Value.self)
        return isInside
            ? "a path ends at an element that is no observable object: observe that" : nil
    }
}

extension ObservedPath {
    /// The root.
    init() {
        self.init([])
    }

    /// A path with given components, whose end is untyped: the target of joined key paths.
    subscript(_joined joined: JoinedPath) -> ObservedPath<_AllProperties> {
        ObservedPath<_AllProperties>(joined.components)
    }
}

extension ObservedPath {
    /// The rest of a path as text, from here on:
    ///
    ///     user.tell(self, when: \.[text: "address.zipCode"], \.address?[text: "floor"]) { … }
    ///
    /// The value at its end is of type `Any`, without the optional of an optional property. It is the
    /// same path as the typed one: each finds, counts and stops what was begun with the other.
    ///
    /// Cost: as a typed path.
    public subscript(text path: TextPath) -> ObservedPath<Any> {
        ObservedPath<Any>(_components + [.text(path)])
    }
}

extension ObservedPath where Value: ObservableHost {
    /// Every property of the object: the typed spelling of `*` at the end.
    public var allProperties: ObservedPath<_AllProperties> {
        ObservedPath<_AllProperties>(_components + [.any])
    }
}

/// What a key path of the builder ends at, so that one form serves a value and an optional one.
public protocol _ObservedEnd {
    /// The type of the property there.
    associatedtype Stored
}

extension ObservedPath: _ObservedEnd {
    public typealias Stored = Value
}

extension Optional: _ObservedEnd where Wrapped: _ObservedEnd {
    public typealias Stored = Wrapped.Stored?
}

/// The end of a path to every property of an object.
public struct _AllProperties {}

extension HostValues {
    /// Whether a path through a value of this type goes on in another object: the type is
    /// observable, or an existential that may hold an observable object.
    static func leadOn(_ type: Any.Type) -> Bool {
        type is any ObservableHost.Type || _isExistential(type)
    }
}
