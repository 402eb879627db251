// SPDX-License-Identifier: Apache-2.0

// Observing with a token. The forms and their parameters are those of `tell`.

extension ObservableHost {
    /// Observes as long as the token is kept:
    ///
    ///     token = user.onChange(of: "address.zipCode") { user in print(user.address?.zipCode ?? "") }
    ///
    /// There is no observer; neither end is kept alive by the token or the block. A change that
    /// comes in a drain after the block was called in it is kept for the next drain.
    ///
    /// - Returns: a token. Dropping it ends the observation, a scheduled call included.
    public func onChange(
        of path: TextPath, _ more: TextPath...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .text([path] + more), loop, options, label, SourceLocation(file: file, line: line),
            perform)
    }

    /// The same for any number of paths.
    public func onChange(
        ofAny paths: [TextPath],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .text(paths), loop, options, label, SourceLocation(file: file, line: line), perform)
    }

    /// The same for a typed path.
    public func onChange<Value>(
        of path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([TypedPath<Self>(path).components]), loop, options, label,
            SourceLocation(file: file, line: line), perform)
    }

    public func onChange<Value>(
        of path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .typed([TypedPath<Self>(path).components]), loop, options, label,
            SourceLocation(file: file, line: line), perform)
    }

    /// The same for several typed paths, of values of any types.
    public func onChange<First, Second, each Other>(
        of first: KeyPath<ObservedPath<Self, Self>, First>,
        _ second: KeyPath<ObservedPath<Self, Self>, Second>,
        _ other: repeat KeyPath<ObservedPath<Self, Self>, each Other>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .typed(PathComponent.lists(first, second, repeat each other)), loop, options, label,
            SourceLocation(file: file, line: line), perform)
    }

    /// The same for typed paths in a list.
    @_disfavoredOverload
    public func onChange(
        ofAny paths: [TypedPath<Self>],
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        onChange(
            .typed(paths.map(\.components)), loop, options, label,
            SourceLocation(file: file, line: line), perform)
    }

    private func onChange(
        _ paths: AskedPaths, _ loop: DeliveryLoop?, _ options: ObservationOptions,
        _ label: StaticString?, _ source: SourceLocation,
        _ perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken {
        let handler = TokenHandler(
            perform, rootOffset: headerOffset, on: loop, options: options, label: label,
            source: source)
        return ObservationToken(
            Registration(
                self, paths, handler, observer: nil, .none,
                flags: options.rawValue | Registration.token))
    }
}
