// SPDX-License-Identifier: Apache-2.0

// Observing an object with a token. The parameters are those of `tell`.

extension ObservableHost {
    /// Observes as long as the token is kept:
    ///
    ///     token = user.onChange(of: \.address?.zipCode, \.name) { user in show(user) }
    ///
    /// There is no observer; neither end is kept alive by the token or the block. A change that
    /// comes in a drain after the block was called in it is kept for the next drain.
    ///
    /// - Returns: a token. Dropping it ends the observation, a scheduled call included.
    public func onChange(
        of path: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(path, more, from: self),
            Callback(perform),
            .init(loop, options, comparing, label, file, line, isolation), nil)
    }
}
