// SPDX-License-Identifier: Apache-2.0

import CObservable

// Observing with a token, and being told what has changed. What is handed over, and what it costs,
// is said at `tell(_:valueOf:)` and `tell(_:recordOf:)`.

extension ObservableHost {
    /// Observes one path as long as the token is kept, and is told its old and new value:
    ///
    ///     token = user.onChange(of: \.firstName) { change in
    ///         print(change.old ?? "", "→", change.new ?? "")
    ///     }
    ///
    /// As `onChange(ofAny:)`, which is for any number of paths and copies no values. Refused, with
    /// an error of kind `options`, for a path with `*`; those have records.
    ///
    /// Cost: that of `tell(_:valueOf:)`.
    public func onChange<Value>(
        of path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservedChange<Self, Value>) -> Void).self)]
            in
            perform(ObservedChange($0, $1))
        }
    }

    public func onChange<Value>(
        of path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) {
            [perform = unsafeBitCast(perform, to: ((ObservedChange<Self, Value>) -> Void).self)]
            in
            perform(ObservedChange($0, $1))
        }
    }

    /// The same for a path as text: the values are of type `Any`, without the optional of an
    /// optional property.
    public func onChange(
        of path: TextPath,
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
            perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((ObservedChange<Self, Any>) -> Void).self)] in
            perform(ObservedChange($0, $1))
        }
    }

    /// The same with the new value alone:
    ///
    ///     token = user.onChange(valueOf: \.name, options: .initial) { name in label.text = name }
    ///
    /// Nil if it is nil or cannot be reached.
    public func onChange<Value>(
        valueOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value?) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Value?) -> Void).self)] in
            perform(HandedOver($1.now).value())
        }
    }

    public func onChange<Value>(
        valueOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value?) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Value?) -> Void).self)] in
            perform(HandedOver($1.now).value())
        }
    }

    /// The same for a path as text.
    public func onChange(
        valueOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Any?) -> Void
    ) -> ObservationToken {
        onChange(
            .text([path]), Manner(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Any?) -> Void).self)] in
            perform(HandedOver($1.now).value())
        }
    }

    /// The same with the old value and the new one:
    ///
    ///     token = user.onChange(valuesOf: \.name) { old, new in undo.add(old, new) }
    public func onChange<Value>(
        valuesOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value?, Value?) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Value?, Value?) -> Void).self)] in
            perform(HandedOver($1.old).value(), HandedOver($1.now).value())
        }
    }

    public func onChange<Value>(
        valuesOf path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value?, Value?) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([PathComponent.list(end: path)]),
            Manner(loop, options, comparing, label, file, line).withValues, perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Value?, Value?) -> Void).self)] in
            perform(HandedOver($1.old).value(), HandedOver($1.now).value())
        }
    }

    /// The same for a path as text.
    public func onChange(
        valuesOf path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Any?, Any?) -> Void
    ) -> ObservationToken {
        onChange(
            .text([path]), Manner(loop, options, comparing, label, file, line).withValues,
            perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((Any?, Any?) -> Void).self)] in
            perform(HandedOver($1.old).value(), HandedOver($1.now).value())
        }
    }

    /// Observes any number of paths as long as the token is kept, and is told what each call has
    /// coalesced:
    ///
    ///     token = user.onChange(recordOf: "name", "address.*") { record in
    ///         for entry in record.entries { print(entry.way, entry.changes) }
    ///     }
    ///
    /// - Parameter limit: so many entries at most; ``ObservationRecord/missing`` counts the
    ///   rest.
    public func onChange(
        recordOf path: TextPath, _ more: TextPath...,
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
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>) -> Void).self)] in
            perform(ObservationRecord($0, $1))
        }
    }

    /// The same for typed paths, of values of any types.
    public func onChange<First, each Other>(
        recordOf first: KeyPath<ObservedPath<Self, Self>, First>,
        _ other: repeat KeyPath<ObservedPath<Self, Self>, each Other>,
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
            .typed(PathComponent.lists(first, repeat each other)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>) -> Void).self)] in
            perform(ObservationRecord($0, $1))
        }
    }

    /// The same for paths in a list.
    public func onChange(
        recordOfAny paths: [TextPath],
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
            perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>) -> Void).self)] in
            perform(ObservationRecord($0, $1))
        }
    }

    @_disfavoredOverload
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
            .typed(paths.map(\.components)),
            Manner(loop, options, comparing, label, file, line).withRecord(limit), perform.isolation
        ) { [perform = unsafeBitCast(perform, to: ((ObservationRecord<Self>) -> Void).self)] in
            perform(ObservationRecord($0, $1))
        }
    }

    /// - Parameter block: calls the program's block, of which `isolation` is.
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
