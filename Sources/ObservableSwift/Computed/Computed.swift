// SPDX-License-Identifier: Apache-2.0

public import CObservable

/// A property whose value a function makes of other properties. The value is kept until one of them
/// changes:
///
///     final class Order: ObservableModel {
///         @Observed var net = 0.0
///         @Observed var rate = 0.2
///         @Computed(Order.makeGross) var gross: Double
///
///         private func makeGross() -> Double { net * (1 + rate) }
///     }
///
/// A closure serves as well, with its parameter's type: `@Computed({ (order: Order) in … })`.
///
/// Dependencies are what the function reads: observed and computed properties of any object, and the
/// content of observable collections. They are found anew each time it runs, so they may come and
/// go, and they keep nothing alive. Anything else that the function reads is not seen; where that
/// changes, call ``ComputedProperties/invalidate(_:)``, or declare it: `dependsOn:`.
///
/// A change of a dependency computes nothing: it makes invalid what depends on it. The next read
/// computes each property at most once, and not at all if none of its dependencies has another
/// value than before. A stored property that was set counts as changed, also if it was set back.
///
/// It is observed, stands in paths, and is compared as an ``Observed`` property is. While it is
/// observed, the drain that is about to deliver computes it, and calls whoever observes it if the
/// value is another one; of an immediate observation the end of each change does.
///
/// It can be set: it has that value then until it becomes invalid. Declare it `private(set)` to keep
/// that from others. Where the function sets its own property, that is the value, and
/// ``ObservationDiagnostics`` is told.
///
/// Properties that need each other have the last valid value; a read of one that never had any stops
/// the program. ``ObservationDiagnostics`` is told their names.
///
/// Works in classes as ``Observed`` does, in subclasses too: of generic classes, and of those that
/// an actor isolates if they are `Sendable`. In others that an actor isolates a closure does. Taking
/// the wrapper away, as in `var gross: Double { makeGross() }`, leaves the same values.
///
/// Threads: it is computed on the thread that reads it, begins to observe it, changes what an
/// immediate observation of it depends on, or drains. Beside that as ``Observed``.
///
/// The last value is kept until there is another, also while it is invalid: a function that returns its
/// own model keeps that for ever.
///
/// Cost: 24 bytes an instance; once it was read, 190 bytes, and 48 for each dependency but the first. A
/// whole number, a `Bool` and a `Double` lie in the object's record, and a read of a valid one is a look
/// at that; any other value lies in a box of its own, made anew with each value.
public typealias Computed<Model: ObservableHost, Value> = ComputedProperty<Model, Value, _OnRead>

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
public typealias Lazy<Model: ObservableHost, Value> = ComputedProperty<Model, Value, _Once>

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
public typealias Eager<Model: ObservableHost, Value> = ComputedProperty<Model, Value, _OnChange>

/// The wrapper of ``Computed``, ``Lazy`` and ``Eager``, which differ by when the value is computed.
@propertyWrapper
public struct ComputedProperty<Model: ObservableHost, Value, Kind: _ComputedKind> {
    @usableFromInline var _form: ComputedForm

    /// Computed by a method of the class, which is named by its type: `Order.makeGross`.
    ///
    /// A value that depends on more than what the function reads declares that:
    ///
    ///     @Computed(Order.makeTotal, dependsOn: \.rate, \.items.each.price) var total: Double
    ///
    /// For what the function reads by other ways than observable properties, and for a property
    /// that is set before it is ever computed, which has read nothing yet. The paths are followed as
    /// an observation would follow them, through nil, replaced objects and elements; where that would
    /// be called, the property becomes invalid. They hold from the time on when the property is
    /// first read or set, beside what the function reads. They keep nothing alive, are in no count,
    /// and no stop ends them. What is refused, and what is no observable property, is told to
    /// ``ObservationDiagnostics``; ``ObservationDiagnostics/checkDependencies(_:)`` tells where what is
    /// declared is not what is read. Cost: an array an instance; once the property was read, what
    /// observing the paths costs.
    ///
    /// - Parameters:
    ///   - method: computes the value.
    ///   - paths: from the object; none: what the function reads is all.
    @inlinable
    public init(
        _ method: @escaping (Model) -> () -> Value, dependsOn paths: TypedPath<Model>...
    ) {
        _form = ComputedForm(dependsOn: paths) { object, _, value in
            _initialize(value, object, Model.self) { method($0)() }
        }
    }

    /// Computed by a closure that is given the object.
    @inlinable
    public init(_ closure: @escaping (Model) -> Value, dependsOn paths: TypedPath<Model>...) {
        _form = ComputedForm(dependsOn: paths) { object, _, value in
            _initialize(value, object, Model.self) { closure($0) }
        }
    }

    /// Loaded: one method for many properties is given the name of each. What it returns is the
    /// value; where that is nil, the value of the declaration:
    ///
    ///     final class Station: ObservableModel {
    ///         @Observed var answer: [String: Any] = [:]
    ///         @Computed(loader: Station.load) var name = ""
    ///         @Computed(loader: Station.load) var height: Double? = nil
    ///
    ///         private func load(_ property: String) -> Any? { answer[property] }
    ///     }
    ///
    /// A value of another type is told to ``ObservationDiagnostics`` as refused, and counts as nil.
    /// A loader that comes to read the property that it is loading is told of as a cycle; the
    /// property has its last valid value then, or else that of the declaration.
    @inlinable
    public init(
        wrappedValue: Value, loader: @escaping (Model) -> (String) -> Any?,
        dependsOn paths: TypedPath<Model>...
    ) {
        _form = ComputedForm(dependsOn: paths, hasFallback: true) { object, name, value in
            _initialize(value, object, Model.self) {
                _loaded(loader($0), $0, name, or: wrappedValue)
            }
        }
    }

    @available(*, unavailable, message: "@Computed, @Lazy and @Eager work in classes only")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Value>,
        storage storage: ReferenceWritableKeyPath<Host, ComputedProperty>
    ) -> Value {
        get {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            let offset = _offset(of: field, in: object)
            var status = OBV_OK
            if let kept = obv_detail_kept_value_at(object._observationObject, offset, &status) {
                return _value(kept, as: Value.self)
            }
            return _computedValue(object, offset, field, ComputedProperty.self, status)
        }
        set {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            _setComputed(object, _offset(of: field, in: object), newValue)
        }
    }
}

extension ComputedProperty: ObservedStorage {
    static func makeAccess() -> PropertyAccess { ComputedAccess<Value>(flags: Kind._flags) }
}

/// When a value is computed: the `obv_computed_flags`.
public protocol _ComputedKind {
    static var _flags: UInt32 { get }
}

public enum _OnRead: _ComputedKind {
    public static var _flags: UInt32 { 0 }
}

public enum _Once: _ComputedKind {
    public static var _flags: UInt32 { OBV_LAZY.rawValue }
}

public enum _OnChange: _ComputedKind {
    public static var _flags: UInt32 { OBV_EAGER.rawValue }
}
