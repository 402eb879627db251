// SPDX-License-Identifier: Apache-2.0

/// What a typed path is built over: the compiler sees key paths of it where it sees
/// `\.address?.zipCode`, and so hands the components over one by one, without an object. Programs
/// do not use it by name, except in signatures of their own:
///
///     typealias Path<Root, Value> = KeyPath<ObservedPath<Root, Root>, ObservedPath<Root, Value>>
@dynamicMemberLookup
public struct ObservedPath<Root, Value> {
    /// The components before the last one, and `*` as nil.
    let _done: [ComponentReader?]
    /// The last one; nil at the root.
    let _last: TypedReader<Value>?
    let _endsWithAny: Bool

    init(_done: [ComponentReader?], _last: TypedReader<Value>?, _endsWithAny: Bool = false) {
        self._done = _done
        self._last = _last
        self._endsWithAny = _endsWithAny
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
    ) -> ([ComponentReader?], TypedReader<Next>) {
        guard let last = _last else {
            return (_done, PropertyReader(keyPath))
        }
        // Into a value: the value is the last component's still.
        if !HostValues.leadOn(Value.self) {
            return (_done, field(last, keyPath))
        }
        return (_done + [last], PropertyReader(keyPath))
    }
}

extension ObservedPath where Root == Value {
    init() {
        self.init(_done: [], _last: nil)
    }
}

extension ObservedPath where Value: ObservableHost {
    /// Every property of the object: the typed spelling of `*` at the end.
    public var anyProperty: ObservedPath<Root, AnyProperty> {
        let done = _last.map { _done + [$0] } ?? _done
        return ObservedPath<Root, AnyProperty>(_done: done, _last: nil, _endsWithAny: true)
    }
}

/// The end of a path to every property of an object.
public struct AnyProperty {}

extension HostValues {
    /// Whether a path through a value of this type goes on in an object of its own: it is
    /// observable, or may be.
    static func leadOn(_ type: Any.Type) -> Bool {
        type is any ObservableHost.Type || _isExistential(type)
    }
}
