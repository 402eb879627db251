// SPDX-License-Identifier: Apache-2.0

import CObservable

// Observing with a token, and being told what has changed.

extension ObservableHost {
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
            AskedPaths(path), Manner(loop, options, comparing, label, file, line).withValues,
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
            .text([path]), Manner(loop, options, comparing, label, file, line).withValues,
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
            AskedPaths(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform
        ) { HandedOver($1.now).value() }
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
            .text([path]), Manner(loop, options, comparing, label, file, line).withValues, perform
        ) { HandedOver($1.now).value() }
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
            AskedPaths(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { block(HandedOver($1.old).value(), HandedOver($1.now).value()) }
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
            .text([path]), Manner(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { block(HandedOver($1.old).value(), HandedOver($1.now).value()) }
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
            Manner(loop, options, comparing, label, file, line).withRecord(limit),
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
            Manner(loop, options, comparing, label, file, line).withRecord(limit),
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
            Manner(loop, options, comparing, label, file, line).withRecord(limit),
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
            .text(paths), Manner(loop, options, comparing, label, file, line).withRecord(limit),
            perform, ObservationRecord.init)
    }

    /// Begins to observe; as for `tell`.
    private func onChange<Handed>(
        _ paths: AskedPaths, _ manner: Manner,
        _ perform: @escaping @isolated(any) (Handed) -> Void,
        _ handed: @escaping (Self, obv_call) -> Handed
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Handed) -> Void).self)
        return onChange(paths, manner, perform.isolation) { block(handed($0, $1)) }
    }

    private func onChange(
        _ paths: AskedPaths, _ manner: Manner, _ isolation: (any Actor)?,
        _ block: @escaping (Self, obv_call) -> Void
    ) -> ObservationToken {
        let handler = TellingHandler<AnyObject, Self>(
            isolation: isolation, rootOffset: headerOffset, manner.ofToken, observer: .none
        ) { block($1, $2) }
        return ObservationToken(Registration(self, paths, handler, observer: nil, .none))
    }
}
