// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A computed property that is kept up to date: once it was read, the end of each change that makes
/// it invalid computes it, whoever observes it.
///
///     final class Document: ObservableModel {
///         @Observed var text = ""
///         @Eager(Document.makeWords) var words: [Substring]
///
///         private func makeWords() -> [Substring] { text.split(separator: " ") }
///     }
///
/// As ``Computed`` in all else. For values that must not be computed where they are read: a read by a
/// view that has no time, or by another thread under the owner's lock. In a batch each change is one.
///
/// Until it is first read or set it depends on nothing, so nothing computes it.
///
/// Threads: it is computed on the thread that reads it first, and from then on the one that changes
/// what it has read. Cost: as ``Computed``, and the function once a change.
@propertyWrapper
public struct Eager<Model: ObservableHost, Value> {
    @usableFromInline var _form: ComputedForm<Model, Value>

    /// Computed by a method of the class, which is named by its type: `Document.makeWords`.
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

    /// Loaded, as one of ``Computed``: `@Eager(loader: Station.load) var name = ""`.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOn paths: TypedPath<Model>...
    ) {
        _form = .declaring(.loader(loader, fallback: wrappedValue), paths)
    }

    @available(*, unavailable, message: "@Eager works in classes only")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Value>,
        storage storage: ReferenceWritableKeyPath<Host, Eager<Model, Value>>
    ) -> Value {
        get {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            return _computedValue(
                object, _offset(of: field, in: object), field, Eager<Model, Value>.self)
        }
        set {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            _setComputed(object, _offset(of: field, in: object), newValue)
        }
    }
}

extension Eager: ObservedStorage {
    static func makeAccess() -> PropertyAccess {
        ComputedAccess<Model, Value>(flags: OBV_EAGER.rawValue)
    }
}
