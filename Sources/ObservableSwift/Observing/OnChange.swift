// SPDX-License-Identifier: Apache-2.0

// Observing with a token. The parameters and the labels are those of `tell`.

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
            AskedPaths([path] + more), Manner(loop, options, comparing, label, file, line), perform)
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
        onChange(AskedPaths(paths), Manner(loop, options, comparing, label, file, line), perform)
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
        onChange(.text([path] + more), Manner(loop, options, comparing, label, file, line), perform)
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
        onChange(.text(paths), Manner(loop, options, comparing, label, file, line), perform)
    }

    private func onChange(
        _ paths: AskedPaths, _ manner: Manner, _ perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        let handler = TokenHandler(perform, rootOffset: headerOffset, manner.ofToken)
        return ObservationToken(Registration(self, paths, handler, observer: nil, .none))
    }
}
