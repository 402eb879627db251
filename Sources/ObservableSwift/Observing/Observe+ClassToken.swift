// SPDX-License-Identifier: Apache-2.0

import CObservable

// Observing every instance of a class, with a token. What is handed over, and what it costs, is
// said at `tell` of a class; the parameters and the labels are those of there.

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
        onEveryChange(
            AskedPath(path), ObservationConfiguration(loop, options, comparing, label, file, line),
            perform
        ) { object, _ in object }
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
        onEveryChange(
            .text(path), ObservationConfiguration(loop, options, comparing, label, file, line),
            perform
        ) { object, _ in object }
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
        onEveryChange(
            AskedPath(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform,
            ObservedChange.init)
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
        onEveryChange(
            .text(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform,
            ObservedChange.init)
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
        onEveryValue(
            AskedPath(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform)
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
        onEveryValue(
            .text(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform)
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
        onEveryValues(
            AskedPath(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform)
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
        onEveryValues(
            .text(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withValues,
            perform)
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
        onEveryChange(
            AskedPath(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform,
            ObservationRecord.init)
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
        onEveryChange(
            .text(path),
            ObservationConfiguration(loop, options, comparing, label, file, line).withRecord(limit),
            perform,
            ObservationRecord.init)
    }

    /// Begins to observe; as for `tell`.
    private func onEveryChange<Handed>(
        _ path: AskedPath, _ configuration: ObservationConfiguration,
        _ perform: @escaping @isolated(any) (Handed?) -> Void,
        _ handed: @escaping (Root, obv_call) -> Handed
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Handed?) -> Void).self)
        return onEveryChange(path, configuration, perform.isolation) { object, call in
            block(object.map { handed($0, call) })
        }
    }

    private func onEveryValue<Value>(
        _ path: AskedPath, _ configuration: ObservationConfiguration,
        _ perform: @escaping @isolated(any) (Root?, Value?) -> Void
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Root?, Value?) -> Void).self)
        return onEveryChange(path, configuration, perform.isolation) { object, call in
            block(object, ChangeValue(call.now).value())
        }
    }

    private func onEveryValues<Value>(
        _ path: AskedPath, _ configuration: ObservationConfiguration,
        _ perform: @escaping @isolated(any) (Root?, Value?, Value?) -> Void
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Root?, Value?, Value?) -> Void).self)
        return onEveryChange(path, configuration, perform.isolation) { object, call in
            block(object, ChangeValue(call.old).value(), ChangeValue(call.now).value())
        }
    }

    private func onEveryChange(
        _ path: AskedPath, _ configuration: ObservationConfiguration, _ isolation: (any Actor)?,
        _ block: @escaping (Root?, obv_call) -> Void
    ) -> ObservationToken {
        let handler = InstanceHandler<AnyObject, Root>(
            isolation: isolation, configuration.ofToken, observer: .none
        ) { block($1, $2) }
        return ObservationToken(
            Registration(every: type, path, handler, observer: nil, .none))
    }
}
