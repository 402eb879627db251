// SPDX-License-Identifier: Apache-2.0

// Pipes are described at their target, which also cuts them off.

extension ObservableHost {
    /// Describes a pipe into a property of this object:
    ///
    ///     binder = label.receive(\.text, from: user, \.address?.zipCode).map { "zip \($0)" }.start()
    ///
    /// - Parameters:
    ///   - path: what is set: it ends at a property that can be.
    ///   - source: the object whose property is followed; not kept.
    ///   - sourcePath: what is followed: an observed or a computed property, through any objects.
    ///   - loop: where this object belongs; nil: see ``ObservationPipe``.
    ///   - label: for diagnostics and debug output.
    ///   - isolation: of the caller; leave it out.
    /// - Returns: a description, which flows once it is started.
    public func receive<Goal, Source: ObservableHost, Value>(
        _ path: ValuePath<Self, Goal>,
        from source: Source, _ sourcePath: ValuePath<Source, Value>,
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationPipe<Self, Goal, Value> {
        let sources = [FollowedEnd(BinderEnd(source, sourcePath))]
        return ObservationPipe(
            ends: PipeEnds(
                self, path, from: sources, .init(loop, [], .declared, label, file, line), isolation)
        ) { $0.value() }
    }

    /// Describes a pipe from several properties, of which a function makes one value:
    ///
    ///     binder = label.receive(\.text, from: (user, \.first), (user, \.last)) { first, last in
    ///         "\(first) \(last)"
    ///     }.start()
    ///
    /// The function is called as the pipe starts, and at most once a turn of the loop in which any of
    /// the properties were set. It sees all values: while one of them is nil, or its path leads nowhere, it
    /// is not called, and the target stays as it is (``ObservationPipe/whenUnreachable(_:)``). The pipe
    /// is over with the first of its objects that is gone.
    ///
    /// - Parameters:
    ///   - sources: the objects and what is followed of each; not kept.
    ///   - converge: makes of their values one.
    public func receive<Goal, each Source: ObservableHost, each Value, Made>(
        _ path: ValuePath<Self, Goal>,
        from sources: repeat (each Source, ValuePath<each Source, each Value>),
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        converge: @escaping @isolated(any) (repeat each Value) throws -> Made
    ) -> ObservationPipe<Self, Goal, Made> {
        var followed: [FollowedEnd] = []
        repeat followed.append(FollowedEnd(BinderEnd((each sources).0, (each sources).1)))
        var ends = PipeEnds(
            self, path, from: followed, .init(loop, [], .declared, label, file, line), isolation)
        ends.note(converge.isolation)
        let plain = uncheckedIsolation(
            IsolatedConvergence(call: converge), as: Convergence<repeat each Value, Made>.self)
        return ObservationPipe(ends: ends) { try plain.flow($0) }
    }

    /// The same for one property of each of several objects:
    ///
    ///     binder = cart.receive(\.total, from: items, \.price) { $0.reduce(0, +) }.start()
    ///
    /// - Parameter converge: is handed the values in the order of the objects.
    public func receive<Goal, Source: ObservableHost, Value, Made>(
        _ path: ValuePath<Self, Goal>,
        from sources: [Source], _ sourcePath: ValuePath<Source, Value>,
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        converge: @escaping @isolated(any) ([Value]) throws -> Made
    ) -> ObservationPipe<Self, Goal, Made> {
        var ends = PipeEnds(
            self, path, from: sources.map { FollowedEnd(BinderEnd($0, sourcePath)) },
            .init(loop, [], .declared, label, file, line), isolation)
        ends.note(converge.isolation)
        let plain = uncheckedIsolation(converge, as: (([Value]) throws -> Made).self)
        let count = sources.count
        return ObservationPipe(ends: ends) { values in
            let present = (0..<count).compactMap { values.value(at: $0, as: Value.self).value }
            return present.count == count ? .reached(try plain(present)) : .unreachable
        }
    }
}

/// A function of several values, as the program gives it; the structs are for the compiler, which
/// cannot convert a function of a parameter pack by itself.
private struct IsolatedConvergence<each Value, Made> {
    let call: @isolated(any) (repeat each Value) throws -> Made
}

/// The same without the isolation.
private struct Convergence<each Value, Made> {
    let call: (repeat each Value) throws -> Made

    func flow(_ values: CarriedValues) throws -> PathValue<Made> {
        var index = 0
        var isWhole = true
        func next<One>(_ type: One.Type) -> One? {
            let value = values.value(at: index, as: type).value
            index += 1
            isWhole = isWhole && value != nil
            return value
        }
        let taken = (repeat next((each Value).self))
        return isWhole ? .reached(try call(repeat (each taken)!)) : .unreachable
    }
}
