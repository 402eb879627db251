// SPDX-License-Identifier: Apache-2.0

// Observing an object with a token. The parameters and the labels are those of `tell`.

extension ObservableHost {
    /// Observes as long as the token is kept:
    ///
    ///     token = user.onChange(when: \.address?.zipCode, \.name) { user in show(user) }
    ///
    /// There is no observer; neither end is kept alive by the token or the block. A change that
    /// comes in a drain after the block was called in it is kept for the next drain.
    ///
    /// - Returns: a token. Dropping it ends the observation, a scheduled call included.
    public func onChange(
        when path: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths([path] + more), .init(loop, options, comparing, label, file, line),
            perform)
    }

    /// The same for typed paths in a list.
    public func onChange(
        whenAny paths: [TypedPath<Self>],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(paths), .init(loop, options, comparing, label, file, line),
            perform)
    }

    /// The same for paths as text.
    public func onChange(
        whenText path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path] + more), .init(loop, options, comparing, label, file, line), perform)
    }

    /// The same for any number of paths.
    public func onChange(
        whenAnyText paths: [TextPath],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text(paths), .init(loop, options, comparing, label, file, line), perform)
    }

    /// Observes as long as the token is kept, with a block that is handed nothing:
    ///
    ///     token = user.onChange(to: \.name, \.age) { needsUpdate = true }
    ///
    /// As `onChange(when:)`.
    public func onChange(
        to path: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) () -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths([path] + more), .init(loop, options, comparing, label, file, line),
            Callback(perform))
    }

    /// The same for paths as text.
    public func onChange(
        toText path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) () -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path] + more), .init(loop, options, comparing, label, file, line),
            Callback(perform))
    }

    /// Observes one path as long as the token is kept, and is told its change: old and new value, and
    /// whether they could be reached.
    ///
    ///     token = user.onChange(of: \.firstName) { change in
    ///         print(change.old ?? "", "→", change.new ?? "")
    ///     }
    ///
    /// As `onChange(when:)`, which is for any number of paths and copies no values. What is refused,
    /// and what it costs, is said at `tell(_:of:)`.
    public func onChange<Value>(
        of path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ObservedChange($1!, $2) })
    }

    /// The same for a path as text: the values are of type `Any`, without the optional of an
    /// optional property.
    public func onChange(
        ofText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Any>) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ObservedChange($1!, $2) })
    }

    /// The same with the new value alone:
    ///
    ///     token = user.onChange(valueOf: \.name, options: .initial) { name in label.text = name }
    ///
    /// Nil if it is nil or cannot be reached.
    public func onChange<Value>(
        valueOf path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { $2.newValue() })
    }

    /// The same for a path as text.
    public func onChange(
        valueOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Any?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { $2.newValue() })
    }

    /// The same with the old value and the new one:
    ///
    ///     token = user.onChange(valuesOf: \.name) { old, new in undo.add(old, new) }
    public func onChange<Value>(
        valuesOf path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value?, Value?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ($2.oldValue(), $2.newValue()) })
    }

    /// The same for a path as text.
    public func onChange(
        valuesOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Any?, Any?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ($2.oldValue(), $2.newValue()) })
    }

    /// Observes any number of paths as long as the token is kept, and is told what each call has
    /// coalesced:
    ///
    ///     token = user.onChange(recordOf: \.name, \.address?.anyProperty) { record in
    ///         for entry in record.entries { print(entry.way, entry.changes) }
    ///     }
    ///
    /// - Parameter limit: so many entries at most; ``ObservationRecord/missing`` counts the
    ///   rest.
    public func onChange(
        recordOf path: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths([path] + more), .init(loop, options, comparing, label, file, line),
            Callback(perform, .record(limit)) { ObservationRecord($1!, $2) })
    }

    /// The same for typed paths in a list.
    public func onChange(
        recordOfAny paths: [TypedPath<Self>],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(paths), .init(loop, options, comparing, label, file, line),
            Callback(perform, .record(limit)) { ObservationRecord($1!, $2) })
    }

    /// The same for paths as text.
    public func onChange(
        recordOfText path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path] + more), .init(loop, options, comparing, label, file, line),
            Callback(perform, .record(limit)) { ObservationRecord($1!, $2) })
    }

    /// The same for any number of paths.
    public func onChange(
        recordOfAnyText paths: [TextPath],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Self>) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, .text(paths), .init(loop, options, comparing, label, file, line),
            Callback(perform, .record(limit)) { ObservationRecord($1!, $2) })
    }
}
