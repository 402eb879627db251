// SPDX-License-Identifier: Apache-2.0

// Observing every instance of a class with a token. Parameters and labels are those of `tell` of a
// class, which also says what the block is handed and what that costs.

extension AnyInstance {
    /// Observes every instance as long as the token is kept:
    ///
    ///     token = Document.anyInstance.onChange(when: \.text) { document in … }
    ///
    /// As `tell(_:when:)` of a class, without an observer. A change that comes in a drain after the
    /// block was called in it for the instance is kept for the next drain.
    ///
    /// - Returns: a token. Dropping it ends the observation, the scheduled calls included.
    public func onChange(
        when path: TypedPath<Root>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Root?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, RequestedPaths([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform) { _, root, _ in root })
    }

    /// The same for a path as text.
    public func onChange(
        whenText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Root?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform) { _, root, _ in root })
    }

    /// The same, and is told the change; nil: a call for no instance.
    public func onChange<Value>(
        of path: ValuePath<Root, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Root, Value>?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ObservedChange($1, $2) })
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
        perform: @escaping @isolated(any) (ObservedChange<Root, Any>?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ObservedChange($1, $2) })
    }

    /// The same, and is told the instance and the new value:
    ///
    ///     token = Document.anyInstance.onChange(valueOf: \.title) { document, title in … }
    ///
    /// Nil if it is nil or cannot be reached. In a call for no instance both are nil.
    public func onChange<Value>(
        valueOf path: ValuePath<Root, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Root?, Value?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ($1, $2.newValue()) })
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
        perform: @escaping @isolated(any) (Root?, Any?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ($1, $2.newValue()) })
    }

    /// The same, and is told the instance, the old value and the new one:
    ///
    ///     token = Document.anyInstance.onChange(valuesOf: \.title) { document, old, new in … }
    public func onChange<Value>(
        valuesOf path: ValuePath<Root, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Root?, Value?, Value?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, RequestedPaths(path), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ($1, $2.oldValue(), $2.newValue()) })
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
        perform: @escaping @isolated(any) (Root?, Any?, Any?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .values) { ($1, $2.oldValue(), $2.newValue()) })
    }

    /// The same, and is told what one call for one instance has coalesced.
    public func onChange(
        recordOf path: TypedPath<Root>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Root>?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, RequestedPaths([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .record(limit)) { ObservationRecord($1, $2) })
    }

    /// The same for a path as text.
    public func onChange(
        recordOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        limit: Int = 16,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservationRecord<Root>?) -> Void
    ) -> ObservationToken {
        ObservationToken(
            every: type, .text([path]), .init(loop, options, comparing, label, file, line),
            Callback(perform, .record(limit)) { ObservationRecord($1, $2) })
    }
}
