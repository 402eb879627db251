// SPDX-License-Identifier: Apache-2.0

import CObservable

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
        onChange(
            AskedPaths([path] + more),
            ObservationConfiguration(loop, options, comparing, label, file, line), perform)
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
        onChange(
            AskedPaths(paths),
            ObservationConfiguration(loop, options, comparing, label, file, line), perform)
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
        onChange(
            .text([path] + more),
            ObservationConfiguration(loop, options, comparing, label, file, line), perform)
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
        onChange(
            .text(paths), ObservationConfiguration(loop, options, comparing, label, file, line),
            perform)
    }

    private func onChange(
        _ paths: AskedPaths, _ configuration: ObservationConfiguration,
        _ perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        let handler = TokenHandler(perform, rootOffset: headerOffset, configuration.ofToken)
        return ObservationToken(Registration(self, paths, handler, observer: nil, .none))
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
        onChange(
            AskedPaths(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform, ObservedChange.init)
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
        onChange(
            .text([path]),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform, ObservedChange.init)
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
        onChange(
            AskedPaths(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform
        ) { ChangeValue($1.now).value() }
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
        onChange(
            .text([path]),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform
        ) { ChangeValue($1.now).value() }
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
        let block = unsafeBitCast(perform, to: ((Value?, Value?) -> Void).self)
        return onChange(
            AskedPaths(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { block(ChangeValue($1.old).value(), ChangeValue($1.now).value()) }
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
        let block = unsafeBitCast(perform, to: ((Any?, Any?) -> Void).self)
        return onChange(
            .text([path]),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { block(ChangeValue($1.old).value(), ChangeValue($1.now).value()) }
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
        onChange(
            AskedPaths([path] + more),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
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
        onChange(
            AskedPaths(paths),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
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
        onChange(
            .text([path] + more),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
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
        onChange(
            .text(paths),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
    }

    /// Begins to observe; as for `tell`.
    private func onChange<Handed>(
        _ paths: AskedPaths, _ configuration: ObservationConfiguration,
        _ perform: @escaping @isolated(any) (Handed) -> Void,
        _ handed: @escaping (Self, obv_call) -> Handed
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Handed) -> Void).self)
        return onChange(paths, configuration, perform.isolation) { block(handed($0, $1)) }
    }

    private func onChange(
        _ paths: AskedPaths, _ configuration: ObservationConfiguration, _ isolation: (any Actor)?,
        _ block: @escaping (Self, obv_call) -> Void
    ) -> ObservationToken {
        let handler = TellingHandler<AnyObject, Self>(
            isolation: isolation, rootOffset: headerOffset, configuration.ofToken, observer: .none
        ) { block($1, $2) }
        return ObservationToken(Registration(self, paths, handler, observer: nil, .none))
    }
}
