// SPDX-License-Identifier: Apache-2.0

import CObservable

// Observing every instance of a class, with a token. What is handed over, and what it costs, is
// said at `tell` of a class; the parameters and the labels are those of there.

extension ObservableHost {
    /// Observes every instance as long as the token is kept:
    ///
    ///     token = Document.onChange(when: \.text) { document in … }
    ///
    /// As `tell(_:when:)` of a class, without an observer. A change that comes in a drain after the
    /// block was called in it for the instance is kept for the next drain.
    ///
    /// - Returns: a token. Dropping it ends the observation, the scheduled calls included.
    public static func onChange(
        when path: TypedPath<Self>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            AskedPath(path), Manner(loop, options, comparing, label, file, line), perform
        ) { object, _ in object }
    }

    /// The same for a path as text.
    public static func onChange(
        whenText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .text(path), Manner(loop, options, comparing, label, file, line), perform
        ) { object, _ in object }
    }

    /// The same, and is told the change; nil: a call for no instance.
    public static func onChange<Value>(
        of path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            AskedPath(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform,
            ObservedChange.init)
    }

    /// The same for a path as text: the values are of type `Any`, without the optional of an
    /// optional property.
    public static func onChange(
        ofText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Any>?) -> Void
    ) -> ObservationToken {
        onEveryChange(
            .text(path), Manner(loop, options, comparing, label, file, line).withValues, perform,
            ObservedChange.init)
    }

    /// The same, and is told the instance and the new value:
    ///
    ///     token = Document.onChange(valueOf: \.title) { document, title in … }
    ///
    /// Nil if it is nil or cannot be reached. In a call for no instance both are nil.
    public static func onChange<Value>(
        valueOf path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?, Value?) -> Void
    ) -> ObservationToken {
        onEveryValue(
            AskedPath(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform)
    }

    /// The same for a path as text.
    public static func onChange(
        valueOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?, Any?) -> Void
    ) -> ObservationToken {
        onEveryValue(
            .text(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform)
    }

    /// The same, and is told the instance, the old value and the new one:
    ///
    ///     token = Document.onChange(valuesOf: \.title) { document, old, new in … }
    public static func onChange<Value>(
        valuesOf path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?, Value?, Value?) -> Void
    ) -> ObservationToken {
        onEveryValues(
            AskedPath(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform)
    }

    /// The same for a path as text.
    public static func onChange(
        valuesOfText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self?, Any?, Any?) -> Void
    ) -> ObservationToken {
        onEveryValues(
            .text(path), Manner(loop, options, comparing, label, file, line).withValues,
            perform)
    }

    /// The same, and is told what one call for one instance has coalesced.
    public static func onChange(
        recordOf path: TypedPath<Self>,
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
            AskedPath(path), Manner(loop, options, comparing, label, file, line).withRecord(limit),
            perform,
            ObservationRecord.init)
    }

    /// The same for a path as text.
    public static func onChange(
        recordOfText path: TextPath,
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
            .text(path), Manner(loop, options, comparing, label, file, line).withRecord(limit),
            perform,
            ObservationRecord.init)
    }

    /// Begins to observe; as for `tell`.
    private static func onEveryChange<Handed>(
        _ path: AskedPath, _ manner: Manner,
        _ perform: @escaping @isolated(any) (Handed?) -> Void,
        _ handed: @escaping (Self, obv_call) -> Handed
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Handed?) -> Void).self)
        return onEveryChange(path, manner, perform.isolation) { object, call in
            block(object.map { handed($0, call) })
        }
    }

    private static func onEveryValue<Value>(
        _ path: AskedPath, _ manner: Manner,
        _ perform: @escaping @isolated(any) (Self?, Value?) -> Void
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Self?, Value?) -> Void).self)
        return onEveryChange(path, manner, perform.isolation) { object, call in
            block(object, HandedOver(call.now).value())
        }
    }

    private static func onEveryValues<Value>(
        _ path: AskedPath, _ manner: Manner,
        _ perform: @escaping @isolated(any) (Self?, Value?, Value?) -> Void
    ) -> ObservationToken {
        let block = unsafeBitCast(perform, to: ((Self?, Value?, Value?) -> Void).self)
        return onEveryChange(path, manner, perform.isolation) { object, call in
            block(object, HandedOver(call.old).value(), HandedOver(call.now).value())
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
