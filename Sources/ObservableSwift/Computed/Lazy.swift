// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A property that a function makes when it is first read, and that is kept from then on:
///
///     final class Document: ObservableModel {
///         @Lazy(Document.makeIndex) var index: Index
///
///         private func makeIndex() -> Index { … }
///     }
///
/// As ``Computed``, but nothing that the function reads is a dependency: only
/// ``ComputedProperties/invalidate(_:)`` makes it invalid, or what it declares (`dependsOn:`), and the
/// next read computes it again. It can be observed and set, and other computed properties may depend on it.
@propertyWrapper
public struct Lazy<Model: ObservableHost, Value> {
    @usableFromInline var _form: ComputedForm<Model, Value>

    /// Computed by a method of the class, which is named by its type: `Document.makeIndex`.
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value, dependsOn paths: TypedPath<Model>...
    ) {
        _form = .declaring(.method(method), paths)
    }

    /// Computed by a closure that is given the object.
    @inlinable
    public init(_ closure: @escaping (Model) -> Value, dependsOn paths: TypedPath<Model>...) {
        _form = .declaring(.closure(closure), paths)
    }

    /// Loaded: one method for many properties is given the name of each, as one of ``Computed`` is.
    /// Where it returns nil, the value of the declaration is used.
    ///
    ///     @Lazy(loader: Station.load) var name = ""
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOn paths: TypedPath<Model>...
    ) {
        _form = .declaring(.loader(loader, fallback: wrappedValue), paths)
    }

    @available(*, unavailable, message: "@Lazy works in classes only")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Value>,
        storage storage: ReferenceWritableKeyPath<Host, Lazy<Model, Value>>
    ) -> Value {
        get {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            return _computedValue(
                object, _offset(of: field, in: object), field, Lazy<Model, Value>.self)
        }
        set {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            _setComputed(object, _offset(of: field, in: object), newValue)
        }
    }
}

extension Lazy: ObservedStorage {
    static func makeAccess() -> PropertyAccess {
        ComputedAccess<Model, Value>(flags: OBV_LAZY.rawValue)
    }
}
