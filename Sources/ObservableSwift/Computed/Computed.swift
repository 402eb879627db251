// SPDX-License-Identifier: Apache-2.0

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
/// Cost: 16 bytes an instance; once it was read, 190 bytes, a box of 32 with the value, and 56 for each
/// dependency. A read of a valid one is a look at the object's record.
@propertyWrapper
public struct Computed<Model: ObservableHost, Value> {
    @usableFromInline var _form: ComputedForm<Model, Value>

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
        _form = .declaring(.method(method), paths)
    }

    /// Computed by a closure that is given the object.
    @inlinable
    public init(_ closure: @escaping (Model) -> Value, dependsOn paths: TypedPath<Model>...) {
        _form = .declaring(.closure(closure), paths)
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
        _form = .declaring(.loader(loader, fallback: wrappedValue), paths)
    }

    @available(*, unavailable, message: "@Computed works in classes only")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Value>,
        storage storage: ReferenceWritableKeyPath<Host, Computed<Model, Value>>
    ) -> Value {
        get {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            return _computedValue(
                object, _offset(of: field, in: object), field, Computed<Model, Value>.self)
        }
        set {
            let field = withUnsafeMutablePointer(to: &object[keyPath: storage]._form) { $0 }
            _setComputed(object, _offset(of: field, in: object), newValue)
        }
    }
}

extension Computed: ObservedStorage {
    static func makeAccess() -> PropertyAccess { ComputedAccess<Model, Value>(flags: 0) }
}
