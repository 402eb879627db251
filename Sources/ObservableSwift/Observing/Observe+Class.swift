// SPDX-License-Identifier: Apache-2.0

// Observing every instance of a class with an observer. Parameters and labels are those of `tell` of
// an object. The forms differ in how the path is written and in what the block is handed.

extension AnyInstance {
    /// Tells an observer when something at the end of a path from any instance of this class has
    /// changed, those of its subclasses included, present and to come:
    ///
    ///     Document.anyInstance.tell(autosaver, when: \.text) { autosaver, document in
    ///         if let document { autosaver.note(document) } else { autosaver.noteAll() }
    ///     }
    ///
    /// The block is called once a cycle for each changed instance, which it receives. Nothing is
    /// stored in an instance before it changes; it has then what an observation of its own needs,
    /// until it or this observation ends. It is known to no ``numberOfObservers(of:)``, to no
    /// ``allObservedProperties`` and to no ``ObservationAware``. A generic class is a class for
    /// each of its arguments.
    ///
    /// An instance is followed from its first change of a property that begins the path. So the end
    /// of a longer path, `address.zipCode`, is followed below an address that is set from now on,
    /// not below one that is there already; of `*.name`, from the first set of any property, below
    /// all that is there then. A weak property that was set before does not tell of becoming nil.
    ///
    /// The block receives nil in a call that is for no instance: by ``ObservationOptions/initial``,
    /// ``ObservationHandle/schedule()`` and ``ObservationHandle/execute()``; and when there was
    /// no memory to follow an instance that changed: then any may have changed.
    ///
    /// The labels are those of an object; a class-level observation follows one path.
    ///
    /// While anybody observes a class, every set of an observable object in the process costs what
    /// a set of an observed one does.
    ///
    /// - Parameters:
    ///   - path: as text (`whenText:`) it is looked up on each instance: a property that only a
    ///     subclass has is observed in the subclass's instances, though it is told to
    ///     ``ObservationDiagnostics``.
    ///   - loop: as for an object: a block without isolation belongs to the loop, and so do the
    ///     instances; begun elsewhere than on the main loop it names one.
    ///   - options: all but ``ObservationOptions/extensible``, which is refused.
    ///   - perform: receives the observer and the instance.
    /// - Returns: a handle, which may be dropped. It ends with the observer, or by being stopped.
    ///
    /// Threads: any. An instance is looked at where it is changed.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        when path: TypedPath<Root>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Root?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, RequestedPaths([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform) { observer, root, _ in (observer!, root) })
    }

    /// The same for a path as text.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        whenText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Root?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform) { observer, root, _ in (observer!, root) })
    }

    /// Tells an observer the old and the new value at the end of one path of each instance. Each
    /// has its own; the instance is the change's ``ObservedChange/object``. nil: a call for no
    /// instance.
    ///
    /// Refused, with an error of kind `options`, for a path with `*`; those have records. Cost:
    /// that of `tell(_:of:)` of an object, for each instance that changes.
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        of path: ValuePath<Root, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservedChange<Root, Value>?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, ObservedChange($1, $2)) })
    }

    /// The same for a path as text: the values are of type `Any`, without the optional of an
    /// optional property.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        ofText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservedChange<Root, Any>?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, ObservedChange($1, $2)) })
    }

    /// The same with the instance and the new value:
    ///
    ///     Document.anyInstance.tell(index, valueOf: \.title) { index, document, title in
    ///         if let document { index.enter(document, title) } else { index.renew() }
    ///     }
    ///
    /// The instance comes with the value, which it does not need for an object: no block could know
    /// it. The value is nil if it is nil or cannot be reached, and in a call for no instance, in
    /// which the instance is nil too.
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        valueOf path: ValuePath<Root, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Root?, Value?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1, $2.newValue()) })
    }

    /// The same for a path as text.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        valueOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Root?, Any?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1, $2.newValue()) })
    }

    /// The same with the instance, the old value and the new one.
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        valuesOf path: ValuePath<Root, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Root?, Value?, Value?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1, $2.oldValue(), $2.newValue()) })
    }

    /// The same for a path as text.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        valuesOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Root?, Any?, Any?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1, $2.oldValue(), $2.newValue()) })
    }

    /// Tells an observer what one call for one instance has coalesced. nil: a call for no instance.
    ///
    /// - Parameter limit: so many entries at most, for each instance.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOf path: TypedPath<Root>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservationRecord<Root>?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, RequestedPaths([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .record(limit)) { ($0!, ObservationRecord($1, $2)) })
    }

    /// The same for a path as text.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservationRecord<Root>?) -> Void
    ) -> KeyValueObservation {
        KeyValueObservation(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .record(limit)) { ($0!, ObservationRecord($1, $2)) })
    }
}
