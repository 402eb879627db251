// SPDX-License-Identifier: Apache-2.0

import CObservable

// Telling an observer what has changed. Each form of block has a label of its own: forms that
// differed in their block alone would make the compiler's errors about blocks unreadable.

extension ObservableHost {
    /// Tells an observer the change of one path: old and new value, and whether they could be
    /// reached.
    ///
    ///     user.tell(self, of: \.name) { log, user, change in log.add(change.old, change.new) }
    ///
    /// As `tell(_:when:)`, with an ``ObservedChange`` as the third argument.
    ///
    /// Refused, with an error of kind `options`, for a path with `*`; those have records.
    ///
    /// Cost: a change copies the value, the first one of a cycle the value before it as well, and
    /// allocates. A collection that is mutated in place is copied for it, each time.
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        of path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservedChange<Self, Value>) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, AskedPaths(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform, ObservedChange.init)
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
        perform: @escaping @isolated(any) (Observer, Self, ObservedChange<Self, Any>) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, .text([path]),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform, ObservedChange.init)
    }

    /// The same with the new value alone: what the path leads to after the last change of the cycle.
    ///
    ///     user.tell(self, valueOf: \.address?.zipCode) { cell, user, code in cell.show(code) }
    ///
    /// Nil if it is nil or cannot be reached (``ObservedChange/new``).
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        valueOf path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Value?) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, AskedPaths(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform
        ) { ChangeValue($1.now).value() }
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
        perform: @escaping @isolated(any) (Observer, Self, Any?) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, .text([path]),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform
        ) { ChangeValue($1.now).value() }
    }

    /// The same with the old value and the new one.
    ///
    ///     user.tell(self, valuesOf: \.name) { undo, user, old, new in undo.add(old, new) }
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        valuesOf path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Value?, Value?) -> Void
    ) -> KeyValueObservation {
        let block = unsafeBitCast(
            perform, to: ((Observer, Self, Value?, Value?) -> Void).self)
        return tell(
            observer, AskedPaths(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { block($0, $1, ChangeValue($2.old).value(), ChangeValue($2.now).value()) }
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
        perform: @escaping @isolated(any) (Observer, Self, Any?, Any?) -> Void
    ) -> KeyValueObservation {
        let block = unsafeBitCast(
            perform, to: ((Observer, Self, Any?, Any?) -> Void).self)
        return tell(
            observer, .text([path]),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { block($0, $1, ChangeValue($2.old).value(), ChangeValue($2.now).value()) }
    }

    /// Tells an observer what one call has coalesced, of any number of paths:
    ///
    ///     user.tell(self, recordOf: \.name, \.address?.anyProperty) { log, user, record in
    ///         for entry in record.entries { log.add(entry.way, entry.changes) }
    ///     }
    ///
    /// As `tell(_:when:)`, with an ``ObservationRecord`` as the third argument.
    ///
    /// - Parameter limit: so many entries at most; ``ObservationRecord/missing`` counts the
    ///   rest.
    ///
    /// Cost: a change copies the value and looks for its entry, the first of a cycle makes one.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOf path: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, AskedPaths([path] + more),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
    }

    /// The same for typed paths in a list.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOfAny paths: [TypedPath<Self>],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, AskedPaths(paths),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
    }

    /// The same for paths as text.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOfText path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, .text([path] + more),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
    }

    /// The same for any number of paths.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOfAnyText paths: [TextPath],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tell(
            observer, .text(paths),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
    }

    /// Begins to observe.
    ///
    /// - Parameter handed: what the program's block receives behind the object.
    private func tell<Observer: AnyObject, Handed>(
        _ observer: Observer, _ paths: AskedPaths, _ configuration: ObservationConfiguration,
        _ perform: @escaping @isolated(any) (Observer, Self, Handed) -> Void,
        _ handed: @escaping (Self, obv_call) -> Handed
    ) -> KeyValueObservation {
        let block = unsafeBitCast(perform, to: ((Observer, Self, Handed) -> Void).self)
        return tell(observer, paths, configuration, perform.isolation) {
            block($0, $1, handed($1, $2))
        }
    }

    /// - Parameter block: calls the program's block, of which `isolation` is.
    private func tell<Observer: AnyObject>(
        _ observer: Observer, _ paths: AskedPaths, _ configuration: ObservationConfiguration,
        _ isolation: (any Actor)?, _ block: @escaping (Observer, Self, obv_call) -> Void
    ) -> KeyValueObservation {
        let form = ObserverForm(observer)
        let handler = TellingHandler<Observer, Self>(
            isolation: isolation, rootOffset: headerOffset, configuration, observer: form
        ) { block($0!, $1, $2) }
        return KeyValueObservation(Registration(self, paths, handler, observer: observer, form))
    }
}
