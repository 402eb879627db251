// SPDX-License-Identifier: Apache-2.0

/// What a typed path is built over: the compiler sees key paths of it where it sees
/// `\.address?.zipCode`, and so hands the components over one by one, without an object. Programs
/// do not use it by name: for signatures of their own there are ``TypedPath`` and ``ValuePath``.
@dynamicMemberLookup
public struct ObservedPath<Root, Value> {
    /// The components before the last one.
    let _done: [PathComponent]
    /// The last one; nil at the root, and behind what is no property.
    let _last: TypedReader<Value>?

    init(_done: [PathComponent], _last: TypedReader<Value>?) {
        self._done = _done
        self._last = _last
    }

    /// All of them.
    var _components: [PathComponent] {
        _last.map { _done + [.reader($0)] } ?? _done
    }

    /// The next component: a property of the object, or a part of a value.
    public subscript<Next>(dynamicMember keyPath: KeyPath<Value, Next>) -> ObservedPath<Root, Next>
    {
        let (done, reader) = _appending(keyPath)
        return ObservedPath<Root, Next>(_done: done, _last: reader)
    }

    /// The same for one that is optional: the path goes on with `?`.
    public subscript<Next>(
        dynamicMember keyPath: KeyPath<Value, Next?>
    ) -> ObservedPath<Root, Next>? {
        let (done, reader) = _appending(keyPath)
        return ObservedPath<Root, Next>(_done: done, _last: UnwrappingReader(reader))
    }

    /// - Parameter field: reads what lies in a value otherwise than through the key path.
    func _appending<Next>(
        _ keyPath: KeyPath<Value, Next>,
        field: (TypedReader<Value>, KeyPath<Value, Next>) -> TypedReader<Next> = FieldReader.init
    ) -> ([PathComponent], TypedReader<Next>) {
        guard let last = _last else {
            return (_done + _refused, PropertyReader(keyPath))
        }
        // Into a value: the value is the last component's still.
        if !HostValues.leadOn(Value.self) {
            return (_done, field(last, keyPath))
        }
        return (_components + _refused, PropertyReader(keyPath))
    }

    /// What stands for a component that no path can have.
    private var _refused: [PathComponent] {
        if Value.self is ObservableContainer.Type {
            return [
                .refused(
                    "of a collection a path has `count`, `each` and its elements, and nothing else")
            ]
        }
        let isInside = _last == nil && !_done.isEmpty && !HostValues.leadOn(Value.self)
        return isInside
            ? [.refused("a path ends at an element that is no observable object: observe that")]
            : []
    }
}

extension ObservedPath where Root == Value {
    init() {
        self.init(_done: [], _last: nil)
    }

    /// What was put together: its components, whatever their last one leads to.
    subscript(_joined joined: JoinedPath) -> ObservedPath<Root, AllProperties> {
        ObservedPath<Root, AllProperties>(_done: joined.components, _last: nil)
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
    public subscript(text path: TextPath) -> ObservedPath<Root, Any> {
        ObservedPath<Root, Any>(_done: _components + [.text(path)], _last: nil)
    }
}

extension ObservedPath where Value: ObservableHost {
    /// Every property of the object: the typed spelling of `*` at the end.
    public var allProperties: ObservedPath<Root, AllProperties> {
        ObservedPath<Root, AllProperties>(_done: _components + [.any], _last: nil)
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
public struct AllProperties {}

extension HostValues {
    /// Whether a path through a value of this type goes on in an object of its own: it is
    /// observable, or may be.
    static func leadOn(_ type: Any.Type) -> Bool {
        type is any ObservableHost.Type || _isExistential(type)
    }
}
