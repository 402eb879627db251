// SPDX-License-Identifier: Apache-2.0

/// What is to flow into a property: where from, and through which steps.
///
///     binder = label.receive(\.text, from: user, \.address?.zipCode)
///         .filter { $0.count == 5 }
///         .map { "zip \($0)" }
///         .after { label in label.layout() }
///         .start()
///
/// It is a description, which does nothing, and keeps neither object, until it is started. What
/// ``start()`` returns is a ``Binder``, and what is said of binders holds: the present value flows as
/// it starts, and then what the source is set to, at most once a turn of the target's loop; the newest
/// set wins, in chains and rings of pipes and binders too. The description may be started again: that
/// is another pipe.
///
/// Steps come in any number and order, and see values alone: nil passes them by, and sets the target if
/// that is optional; a source that leads nowhere leaves the target as it is. ``whenUnreachable(_:)``
/// puts a value in the place of both.
///
/// Threads: made and started where the sources belong. Steps run where the target belongs: on the loop
/// that `on:` names; else in the isolation of the code that describes the pipe, or of its first step
/// that has one; else on the main loop. Where the pipe ends inside one of its
/// steps, the value is not set any more.
public struct ObservationPipe<Target: ObservableHost, Goal, Value> {
    let ends: PipeEnds<Target, Goal>
    /// What comes out of the steps; nil: nothing passes.
    let flow: (CarriedValues) throws -> PathValue<Value>?
}

// MARK: - Steps

extension ObservationPipe {
    /// Lets only some values pass; of others the target stays as it is.
    ///
    /// What it throws is told to diagnostics (``ObservationDiagnostics/Report/Kind/binder``), and
    /// nothing is set; so it is with each step.
    public func filter(
        _ isIncluded: @escaping @isolated(any) (Value) throws -> Bool
    ) -> ObservationPipe {
        let plain = uncheckedIsolation(isIncluded, as: ((Value) throws -> Bool).self)
        return appending(isIncluded.isolation) { value in
            if case .reached(let reached?) = value, try !plain(reached) { return nil }
            return value
        }
    }

    /// Makes of each value another one, perhaps of another type.
    public func map<Made>(
        _ transform: @escaping @isolated(any) (Value) throws -> Made
    ) -> ObservationPipe<Target, Goal, Made> {
        let plain = uncheckedIsolation(transform, as: ((Value) throws -> Made).self)
        return appending(transform.isolation) { value in try value.mapped(plain) }
    }

    /// The same with a transformer.
    public func map<Change: Transformer>(
        by transformer: Change
    ) -> ObservationPipe<Target, Goal, Change.Output> where Change.Input == Value {
        appending(nil) { value in try value.mapped(transformer.transform) }
    }

    /// Makes of each value another one; a value of which it makes nil does not pass.
    ///
    ///     field.receive(\.number, from: box, \.text).compactMap { Int($0) }.start()
    public func compactMap<Made>(
        _ transform: @escaping @isolated(any) (Value) throws -> Made?
    ) -> ObservationPipe<Target, Goal, Made> {
        let plain = uncheckedIsolation(transform, as: ((Value) throws -> Made?).self)
        return appending(transform.isolation) { value in
            guard case .reached(let reached?) = value else {
                return value.isReachable ? .reached(nil) : .unreachable
            }
            return try plain(reached).map { .reached($0) }
        }
    }

    /// Puts a value where there is none: the source leads nowhere, or to nil. The steps behind it see
    /// that value.
    public func whenUnreachable(_ value: Value) -> ObservationPipe {
        appending(nil) { $0.filled(value) }
    }

    /// Does something once the target has been set, wherever this stands among the steps; several in
    /// their order. Not for a value that does not pass, nor while the target's path leads nowhere.
    ///
    /// A set of an equal value is a set here as well.
    ///
    /// - Parameter action: is handed the target.
    public func after(
        _ action: @escaping @isolated(any) (Target) throws -> Void
    ) -> ObservationPipe {
        var ends = ends
        ends.actions.append(uncheckedIsolation(action, as: ((Target) throws -> Void).self))
        ends.note(action.isolation)
        return ObservationPipe(ends: ends, flow: flow)
    }

    /// - Parameter isolation: of the step.
    private func appending<Made>(
        _ isolation: (any Actor)?, _ step: @escaping (PathValue<Value>) throws -> PathValue<Made>?
    ) -> ObservationPipe<Target, Goal, Made> {
        var ends = ends
        ends.note(isolation)
        return ObservationPipe<Target, Goal, Made>(ends: ends) { [flow] values in
            try flow(values).flatMap(step)
        }
    }
}

// MARK: - Starting

extension ObservationPipe {
    /// Only for the compiler's message.
    @available(
        *, unavailable,
        message: "what flows is of another type than the property that is set: a step makes it that"
    )
    public func start() -> Binder {
        fatalError("unavailable")
    }
}

extension ObservationPipe where Value == Goal {
    /// Starts it: the present value flows, at once where the target's loop can be drained here, else by
    /// that loop.
    ///
    /// - Returns: the pipe, which lasts as long as it is kept, and as all its objects live; it keeps
    ///   none of them. What is refused is told to diagnostics, and in ``Binder/failure``: an
    ///   ``ObservationError`` of kind `kind` if the target's path does not end at a property that can
    ///   be set, `argument` if a source is that property or there is none, `ended` if an object is gone,
    ///   `isolation` if a step would be called where it does not belong, `memory`.
    ///
    /// Cost: an observation for each source and two more; about a microsecond for each value.
    public func start() -> Binder {
        Binder(ends.configuration) { () throws(ObservationError) in
            [try ends.plan(flow)]
        }
    }
}
