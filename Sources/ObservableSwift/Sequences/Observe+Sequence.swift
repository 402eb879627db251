// SPDX-License-Identifier: Apache-2.0

// Observing an object with a loop of the language. What the parameters mean is said at `tell`.

extension ObservableHost {
    /// What a path leads to, now and after each change, as an asynchronous sequence:
    ///
    ///     for await code in user.values(of: \.address?.zipCode) { label.show(code ?? "no code") }
    ///
    /// The first element is the present value. Nil is an element, too: the value is nil, or cannot
    /// be reached. The newest value alone waits for the consumer. What begins and what ends an
    /// iteration is said at ``ObservationSequence``.
    ///
    /// Changes come by drains of a loop, as to a block. Those that the consumer itself makes are
    /// changes like any other.
    ///
    /// - Parameters:
    ///   - path: as that of `tell(_:of:)`, which says what is refused.
    ///   - loop: where this object belongs; nil: in the isolation of the caller, or if it has none,
    ///     on the main loop. What is made off the main loop with neither is refused.
    ///   - options: see ``ObservationOptions``. With `immediate` a value is there with its change,
    ///     before a drain; `initial` and `prior` change nothing.
    ///   - isolation: of the caller; leave it out.
    ///
    /// Threads: any. The object is observed and read where it belongs; of a manual loop that is
    /// wherever an iteration begins. Cost: an iteration is an observation that is handed values.
    public func values<Value>(
        of path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Value?> {
        // The builder's optional is never nil.
        let path = path(ObservedPath<Self, Self>())!
        return values(
            RequestedPaths.typed([path._components]),
            .init(place(loop, isolation), values(options), comparing, label, file, line)
        ) { root in root.value(of: path).value }
    }

    /// The same for a path as text: the values are of type `Any`, without the optional of an
    /// optional property.
    public func values(
        ofText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Any?> {
        values(
            .text([path]),
            .init(place(loop, isolation), values(options), comparing, label, file, line)
        ) { root in (try? root.value(at: path))?.value }
    }

    /// The changes of what a path leads to, as an asynchronous sequence:
    ///
    ///     for await change in user.changes(of: \.name) { log.add(change.old, change.new) }
    ///
    /// As ``values(of:on:options:comparing:label:file:line:isolation:)``, but it begins with the
    /// first change; with ``ObservationOptions/initial`` the present value as both comes first, by a
    /// drain. Changes that the consumer has not taken are one: from the value before the first to
    /// that after the last.
    public func changes<Value>(
        of path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<PathChange<Value>> {
        changes(
            RequestedPaths(path),
            .init(place(loop, isolation), options, comparing, label, file, line))
    }

    /// The same for a path as text.
    public func changes(
        ofText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<PathChange<Any>> {
        changes(.text([path]), .init(place(loop, isolation), options, comparing, label, file, line))
    }
}

// MARK: - How

extension ObservableHost {
    /// Where this object belongs; nil: nothing says so.
    private func place(_ loop: DeliveryLoop?, _ isolation: (any Actor)?) -> DeliveryLoop? {
        let main = DeliveryLoop.main
        return loop ?? isolation.map(ActorLoops.loop) ?? (main.isCurrent ? main : nil)
    }

    /// The present value comes first by itself.
    private func values(_ options: ObservationOptions) -> ObservationOptions {
        options.subtracting(.initial)
    }

    private func values<Value>(
        _ path: RequestedPaths, _ configuration: ObservationConfiguration,
        present: @escaping (Self) -> Value?
    ) -> ObservationSequence<Value?> {
        ObservationSequence(
            source: Source(
                of: self, path, configuration, { $0.newValue() }, present: present,
                coalesce: { _, next in next }))
    }

    private func changes<Value>(
        _ path: RequestedPaths, _ configuration: ObservationConfiguration
    ) -> ObservationSequence<PathChange<Value>> {
        ObservationSequence(
            source: Source(
                of: self, path, configuration, { PathChange($0) }, present: nil,
                coalesce: PathChange.init(from:to:)))
    }
}
