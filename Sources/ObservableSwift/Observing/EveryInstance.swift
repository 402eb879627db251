// SPDX-License-Identifier: Apache-2.0

import CObservable

// Observing every instance of a class. What the parameters mean is said at `tell(_:when:)` of an
// object; labels are those of there.

extension ObservableHost {
    /// Tells an observer when something at the end of a path from any instance of this class has
    /// changed, those of its subclasses included, present and to come:
    ///
    ///     Document.tell(autosaver, when: "text") { autosaver, document in
    ///         if let document { autosaver.note(document) } else { autosaver.noteAll() }
    ///     }
    ///
    /// The block is called once a cycle for each changed instance, which it receives. Nothing is
    /// stored in an instance before it changes; it has then what an observation of its own needs,
    /// until it or this observation ends. It is known to no ``numberOfObservers(of:)``, to no
    /// ``allObservedProperties`` and to no ``ObservationAware``. A generic class is a class for each
    /// of its arguments.
    ///
    /// An instance is followed from its first change of a property that begins the path. So the end
    /// of a longer path, `address.zipCode`, is followed below an address that is set from now on,
    /// not below one that is there already; of `*.name`, from the first set of any property, below
    /// all that is there then. A weak property that was set before does not tell of becoming nil.
    ///
    /// The block receives nil in a call that is for no instance: by ``ObservationOptions/initial``,
    /// ``KeyValueObservation/schedule()`` and ``KeyValueObservation/execute()``; and when there was
    /// no memory to follow an instance that changed: then any may have changed.
    ///
    /// While anybody observes a class, every set of an observable object in the process costs what
    /// a set of an observed one does.
    ///
    /// - Parameters:
    ///   - path: is looked up on each instance: a property that only a subclass has is observed in
    ///     the subclass's instances, though it is told to ``ObservationDiagnostics``.
    ///   - loop: as for an object: a block without isolation belongs to the loop, and so do the
    ///     instances.
    ///   - options: all but ``ObservationOptions/extensible``, which is refused.
    ///   - perform: receives the observer and the instance.
    /// - Returns: a handle, which may be dropped. It ends with the observer, or by being stopped.
    ///
    /// Threads: any. An instance is looked at where it is changed.
    @discardableResult
    public static func tell<Observer: AnyObject>(
        _ observer: Observer,
        when path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .text(path), Manner(loop, options, comparing, label, file, line),
            perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((Observer, Self?) -> Void).self)]
            observer, object, _ in
            perform(observer, object)
        }
    }

    /// The same for a typed path, which the compiler checks:
    ///
    ///     Document.tell(autosaver, when: \.author?.name) { … }
    @discardableResult
    public static func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        when path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line), perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((Observer, Self?) -> Void).self)]
            observer, object, _ in
            perform(observer, object)
        }
    }

    @discardableResult
    public static func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        when path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line), perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((Observer, Self?) -> Void).self)]
            observer, object, _ in
            perform(observer, object)
        }
    }

    /// Tells an observer the old and the new value at the end of one path of each instance. Each has
    /// its own; the instance is the change's ``ObservedChange/object``. nil: a call for no instance.
    ///
    /// Refused, with an error of kind `options`, for a path with `*`; those have records. Cost: that
    /// of `tell(_:changeOf:)` of an object.
    @discardableResult
    public static func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        changeOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservedChange<Self, Value>?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, ObservedChange<Self, Value>?) -> Void).self)
            ] observer, object, call in
            perform(observer, object.map { ObservedChange($0, call) })
        }
    }

    @discardableResult
    public static func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        changeOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservedChange<Self, Value>?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, ObservedChange<Self, Value>?) -> Void).self)
            ] observer, object, call in
            perform(observer, object.map { ObservedChange($0, call) })
        }
    }

    /// The same for a path as text.
    @discardableResult
    public static func tell<Observer: AnyObject>(
        _ observer: Observer,
        changeOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservedChange<Self, Any>?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .text(path),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, ObservedChange<Self, Any>?) -> Void).self)
            ] observer, object, call in
            perform(observer, object.map { ObservedChange($0, call) })
        }
    }

    /// Tells an observer what one call for one instance has coalesced. nil: a call for no instance.
    ///
    /// - Parameter limit: so many entries at most, for each instance.
    @discardableResult
    public static func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservationRecord<Self>?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .text(path),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, ObservationRecord<Self>?) -> Void).self)
            ] observer, object, call in
            perform(observer, object.map { ObservationRecord($0, call) })
        }
    }

    @discardableResult
    public static func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        recordOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservationRecord<Self>?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, ObservationRecord<Self>?) -> Void).self)
            ] observer, object, call in
            perform(observer, object.map { ObservationRecord($0, call) })
        }
    }

    @discardableResult
    public static func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        recordOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservationRecord<Self>?) -> Void
    ) -> KeyValueObservation {
        tellEvery(
            observer, .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, ObservationRecord<Self>?) -> Void).self)
            ] observer, object, call in
            perform(observer, object.map { ObservationRecord($0, call) })
        }
    }

    private static func tellEvery<Observer: AnyObject>(
        _ observer: Observer, _ path: AskedPath, _ manner: Manner, _ isolation: (any Actor)?,
        _ block: @escaping (Observer, Self?, obv_call) -> Void
    ) -> KeyValueObservation {
        let form = ObserverForm(observer)
        let handler = InstanceHandler<Observer, Self>(
            isolation: isolation, manner, observer: form
        ) { block($0!, $1, $2) }
        return KeyValueObservation(
            Registration(every: self, path, handler, observer: observer, form))
    }
}

// MARK: - With a token

extension ObservableHost {
    /// Observes every instance as long as the token is kept:
    ///
    ///     token = Document.onChange(ofAny: "text") { document in … }
    ///
    /// As `tell(_:when:)` of a class, without an observer. A change that comes in a drain after the
    /// block was called in it for the instance is kept for the next drain.
    ///
    /// - Returns: a token. Dropping it ends the observation, the scheduled calls included.
    public static func onChange(
        ofAny path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .text(path), Manner(loop, options, comparing, label, file, line), perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Self?) -> Void).self)] object, _ in
            perform(object)
        }
    }

    public static func onChange<Value>(
        ofAny path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line), perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Self?) -> Void).self)] object, _ in
            perform(object)
        }
    }

    public static func onChange<Value>(
        ofAny path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line), perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Self?) -> Void).self)] object, _ in
            perform(object)
        }
    }

    /// The same, and is told the old and the new value; nil: a call for no instance.
    public static func onChange<Value>(
        of path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservedChange<Self, Value>?) -> Void).self)]
            object, call in
            perform(object.map { ObservedChange($0, call) })
        }
    }

    public static func onChange<Value>(
        of path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservedChange<Self, Value>?) -> Void).self)]
            object, call in
            perform(object.map { ObservedChange($0, call) })
        }
    }

    public static func onChange(
        of path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Any>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .text(path),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservedChange<Self, Any>?) -> Void).self)]
            object, call in
            perform(object.map { ObservedChange($0, call) })
        }
    }

    /// The same, and is told what one call for one instance has coalesced.
    public static func onChange(
        recordOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .text(path),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>?) -> Void).self)]
            object, call in
            perform(object.map { ObservationRecord($0, call) })
        }
    }

    public static func onChange<Value>(
        recordOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>?) -> Void).self)]
            object, call in
            perform(object.map { ObservationRecord($0, call) })
        }
    }

    public static func onChange<Value>(
        recordOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .typed(PathComponent.list(end: path)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>?) -> Void).self)]
            object, call in
            perform(object.map { ObservationRecord($0, call) })
        }
    }

    private static func onEveryChange(
        _ path: AskedPath, _ manner: Manner, _ isolation: (any Actor)?,
        _ block: @escaping (Self?, obv_call) -> Void
    ) -> ObservationToken {
        let handler = InstanceHandler<AnyObject, Self>(
            isolation: isolation, manner.ofToken, observer: .none
        ) { block($1, $2) }
        return ObservationToken(
            Registration(every: self, path, handler, observer: nil, .none))
    }
}

// MARK: - Stopping

extension ObservableHost {
    /// Ends what an observer observes of every instance of this class. What it observes of a
    /// superclass or a subclass goes on, and what it observes from single objects. Calls that are
    /// scheduled already still come, once for each instance.
    ///
    /// Threads: any.
    public static func stopTelling(_ observer: AnyObject) {
        stopEvery(observer) { cls, address in
            _ = obv_stop_class_observer(cls, address, nil, 0, nil)
        }
    }

    /// The same for these paths alone, however they were spelt. Text finds a typed one, and a typed
    /// one text, once an instance has changed.
    public static func stopTelling(
        _ observer: AnyObject, about path: TextPath, _ more: TextPath...
    ) {
        withCStrings(([path] + more).map(\.text)) { texts in
            stopEvery(observer) { cls, address in
                texts.withUnsafeBufferPointer {
                    ObservationDiagnostics.tellShort(
                        obv_stop_class_observer(cls, address, $0.baseAddress, $0.count, nil))
                }
            }
        }
    }

    public static func stopTelling<Value>(
        _ observer: AnyObject,
        about path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>
    ) {
        stopEvery(observer, TypedPath<Self>(path))
    }

    public static func stopTelling<Value>(
        _ observer: AnyObject,
        about path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>
    ) {
        stopEvery(observer, TypedPath<Self>(path))
    }

    private static func stopEvery(_ observer: AnyObject, _ path: TypedPath<Self>) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            try CompiledPaths([path.components], from: nil).withPointers { paths in
                stopEvery(observer) { cls, address in
                    paths.withUnsafeBufferPointer {
                        _ = obv_stop_class_observer_compiled(cls, address, $0.baseAddress, $0.count)
                    }
                }
            }
        }
    }

    private static func stopEvery(
        _ observer: AnyObject, _ stop: (OpaquePointer, UnsafeMutableRawPointer) -> Void
    ) {
        let address = ObserverForm(observer, begins: false).address(of: observer)
        for cls in ModelClasses.observed(self) {
            stop(cls, address)
        }
    }
}
