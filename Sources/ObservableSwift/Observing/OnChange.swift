// SPDX-License-Identifier: Apache-2.0

// Observing with a token. The parameters are those of `tell`.

extension ObservableHost {
    /// Observes as long as the token is kept:
    ///
    ///     token = user.onChange(ofAny: "address.zipCode", "name") { user in show(user) }
    ///
    /// There is no observer; neither end is kept alive by the token or the block. A change that
    /// comes in a drain after the block was called in it is kept for the next drain.
    ///
    /// The label says what is handed over: nothing (`ofAny:`, for paths in the call and for a
    /// list), or of one path its change (`of:`), new value (`valueOf:`) or both values
    /// (`valuesOf:`), or a record (`recordOf:`, of a list `recordOfAny:`).
    ///
    /// - Returns: a token. Dropping it ends the observation, a scheduled call included.
    public func onChange(
        ofAny path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .text([path] + more), Manner(loop, options, comparing, label, file, line), perform)
    }

    /// The same for typed paths, of values of any types, which the compiler checks:
    ///
    ///     token = user.onChange(ofAny: \.address?.zipCode, \.name) { user in show(user) }
    public func onChange<First, each Other>(
        ofAny first: KeyPath<ObservedPath<Self, Self>, First>,
        _ other: repeat KeyPath<ObservedPath<Self, Self>, each Other>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .typed(PathComponent.lists(first, repeat each other)),
            Manner(loop, options, comparing, label, file, line), perform)
    }

    /// The same for paths in a list.
    public func onChange(
        ofAny paths: [TextPath],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(.text(paths), Manner(loop, options, comparing, label, file, line), perform)
    }

    @_disfavoredOverload
    public func onChange(
        ofAny paths: [TypedPath<Self>],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .typed(paths.map(\.components)), Manner(loop, options, comparing, label, file, line),
            perform)
    }

    private func onChange(
        _ paths: AskedPaths, _ manner: Manner, _ perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        let handler = TokenHandler(perform, rootOffset: headerOffset, manner.ofToken)
        return ObservationToken(Registration(self, paths, handler, observer: nil, .none))
    }
}
