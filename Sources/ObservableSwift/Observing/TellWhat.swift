// SPDX-License-Identifier: Apache-2.0

import CObservable

// Telling an observer what has changed: the new value, old and new value, or a record. Each has a
// label of its own: forms that differed in their block alone would make the compiler's errors about
// blocks unreadable.

extension ObservableHost {
    /// Tells an observer the new value of one path:
    ///
    ///     user.tell(self, valueOf: \.address?.zipCode) { cell, user, code in cell.show(code) }
    ///
    /// As `tell(_:when:)`, with what the path leads to after the last change of the cycle as the
    /// third argument: nil if it is nil or cannot be reached (``ObservedChange/new``).
    ///
    /// Refused, with an error of kind `options`, for a path with `*`; those have records.
    ///
    /// Cost: a change copies the value, the first one of a cycle the value before it as well, and
    /// allocates. A collection that is mutated in place is copied for it, each time.
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        valueOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Value?) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Observer, Self, Value?) -> Void).self)] in
            perform($0, $1, HandedOver($2.now).value())
        }
    }

    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        valueOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Value?) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Observer, Self, Value?) -> Void).self)] in
            perform($0, $1, HandedOver($2.now).value())
        }
    }

    /// The same for a path as text: what is there is of type `Any`, without the optional of an
    /// optional property.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        valueOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Any?) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .text([path]), Manner(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Observer, Self, Any?) -> Void).self)] in
            perform($0, $1, HandedOver($2.now).value())
        }
    }

    /// The same with the whole change: old and new value, and whether they could be reached.
    ///
    ///     user.tell(self, changeOf: \.name) { log, user, change in
    ///         log.add(change.old, change.new)
    ///     }
    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        changeOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservedChange<Self, Value>) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservedChange<Self, Value>) -> Void).self)
            ] in
            perform($0, $1, ObservedChange($1, $2))
        }
    }

    @discardableResult
    public func tell<Observer: AnyObject, Value>(
        _ observer: Observer,
        changeOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservedChange<Self, Value>) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservedChange<Self, Value>) -> Void).self)
            ] in
            perform($0, $1, ObservedChange($1, $2))
        }
    }

    /// The same for a path as text.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        changeOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservedChange<Self, Any>) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .text([path]), Manner(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservedChange<Self, Any>) -> Void).self)
            ] in
            perform($0, $1, ObservedChange($1, $2))
        }
    }

    /// Tells an observer what one call has coalesced, of any number of paths:
    ///
    ///     user.tell(self, recordOf: "name", "address.*") { log, user, record in
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
        recordOf path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .text([path] + more),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservationRecord<Self>) -> Void).self)
            ] in
            perform($0, $1, ObservationRecord($1, $2))
        }
    }

    /// The same for typed paths, of values of any types.
    @discardableResult
    public func tell<Observer: AnyObject, First, each Other>(
        _ observer: Observer,
        recordOf first: KeyPath<ObservedPath<Self, Self>, First>,
        _ other: repeat KeyPath<ObservedPath<Self, Self>, each Other>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .typed(PathComponent.lists(first, repeat each other)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservationRecord<Self>) -> Void).self)
            ] in
            perform($0, $1, ObservationRecord($1, $2))
        }
    }

    /// The same for paths in a list.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        recordOfAny paths: [TextPath],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservationRecord<Self>) -> Void
    ) -> KeyValueObservation {
        tellOne(
            observer, .text(paths),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservationRecord<Self>) -> Void).self)
            ] in
            perform($0, $1, ObservationRecord($1, $2))
        }
    }

    @_disfavoredOverload
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
        tellOne(
            observer, .typed(paths.map(\.components)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) {
            [
                perform = unsafeBitCast(
                    perform, to: ((Observer, Self, ObservationRecord<Self>) -> Void).self)
            ] in
            perform($0, $1, ObservationRecord($1, $2))
        }
    }

    /// - Parameter block: calls the program's block, of which `isolation` is.
    private func tellOne<Observer: AnyObject>(
        _ observer: Observer, _ paths: AskedPaths, _ manner: Manner,
        _ isolation: (any Actor)?,
        _ block: @escaping (Observer, Self, obv_call) -> Void
    ) -> KeyValueObservation {
        let form = ObserverForm(observer)
        let handler = TellingHandler<Observer, Self>(
            isolation: isolation, rootOffset: headerOffset, manner, observer: form
        ) { block($0!, $1, $2) }
        return KeyValueObservation(Registration(self, paths, handler, observer: observer, form))
    }
}
