// SPDX-License-Identifier: Apache-2.0

// Telling an observer what has changed. Each form of block has a label of its own: if forms differed
// in their block alone, the compiler's errors about blocks would be unreadable.

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
        KeyValueObservation(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1!, ObservedChange($1!, $2)) })
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
        KeyValueObservation(
            self, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1!, ObservedChange($1!, $2)) })
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
        KeyValueObservation(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1!, $2.newValue()) })
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
        KeyValueObservation(
            self, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1!, $2.newValue()) })
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
        KeyValueObservation(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1!, $2.oldValue(), $2.newValue()) })
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
        KeyValueObservation(
            self, .text([path]), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .values) { ($0!, $1!, $2.oldValue(), $2.newValue()) })
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
        KeyValueObservation(
            self, RequestedPaths([path] + more), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .record(limit)) { ($0!, $1!, ObservationRecord($1!, $2)) })
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
        KeyValueObservation(
            self, RequestedPaths(paths), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .record(limit)) { ($0!, $1!, ObservationRecord($1!, $2)) })
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
        KeyValueObservation(
            self, .text([path] + more), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .record(limit)) { ($0!, $1!, ObservationRecord($1!, $2)) })
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
        KeyValueObservation(
            self, .text(paths), .init(loop, options, comparing, label, file, line),
            observer, Callback(perform, .record(limit)) { ($0!, $1!, ObservationRecord($1!, $2)) })
    }
}
