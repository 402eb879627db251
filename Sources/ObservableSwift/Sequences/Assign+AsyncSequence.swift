// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence {
    /// Sets a property to each element, as it comes:
    ///
    ///     token = stream.assign(to: \.status, of: mail)
    ///
    /// It reads as `assign` of values, and differs in that every element is set, each as it comes, and in
    /// no other order: a sequence has no stamps, so this is no binder. A path that leads nowhere, as an
    /// element comes, lets it pass.
    ///
    /// - Parameters:
    ///   - path: to what is set: it ends at a property that has a setter.
    ///   - target: not kept.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///   - onFailure: told of the error by which the sequence ends; without it ``ObservationDiagnostics`` is.
    ///     The property keeps the last element.
    /// - Returns: a token: it lasts as long as that is kept, as the target lives and as the sequence goes on;
    ///   its end cancels the task in which the sequence is iterated. A refusal is told to diagnostics, and
    ///   stands in ``AnyObservation/failure``: `unsupportedElement` if the path does not end at one property
    ///   that has a setter, `isolation` off the main loop outside of an actor.
    ///
    /// Threads: begun where the target belongs, in an actor or on the main loop; the sequence is iterated and
    /// the property set in that isolation. Cost: a task and an observation; of an element that of
    /// `set(_:at:)`.
    public func assign<Target: ObservableHost>(
        to path: ValuePath<Target, Element>, of target: Target,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        onFailure: (@isolated(any) (any Error) -> Void)? = nil
    ) -> ObservationToken {
        // The builder's optional is never nil.
        let path = path(ObservedPath<Target>())!
        let home = isolation ?? (DeliveryLoop.main.isCurrent ? MainActor.shared : nil)
        let configuration = ObservationConfiguration(file, line, home)
        // The token is an observation without a path, which ends with the target. Nothing calls its
        // block, which only keeps `running` alive, whose `deinit` cancels the task.
        let running = RunningTask()
        let handler = Handler(
            Callback(home ?? MainActor.shared) { _, _, _ in withExtendedLifetime(running) {} },
            rootOffset: target.headerOffset, configuration, .none)
        let token = ObservationToken(
            Target.self, rootOffset: target.headerOffset, handler, nil
        ) { registration throws(ObservationError) in
            guard home != nil else {
                throw ObservationError(
                    .isolation,
                    "a sequence is assigned in an actor, or on the main loop: its elements are set there"
                )
            }
            // Throws if the path ends at something that cannot be set; sets nothing.
            _ = try target.set(path) { nil }
            try registration.observe(target, RequestedPaths([]))
        }
        if token.failure == nil, let home {
            let assignment: any TaskBody = Assignment(
                self, path, target, token, configuration, onFailure)
            running.begin(Task { await assignment.run(in: home) })
        }
        return token
    }
}

/// Cancels a task with the last reference to it.
private final class RunningTask: Sendable {
    private let task = Locked<Task<Void, Never>?>(nil)

    func begin(_ begun: Task<Void, Never>) {
        task.withLock { $0 = begun }
    }

    deinit {
        task.withLock { $0 }?.cancel()
    }
}

/// The work of a task, with erased types: the task's closure must not capture generic types.
private protocol TaskBody: AnyObject, Sendable {
    func run(in isolation: isolated any Actor) async
}

private final class Assignment<
    Elements: AsyncSequence, Target: ObservableHost
>: TaskBody, @unchecked Sendable {
    // Unchecked: only its own task uses it, in the isolation in which it was made.

    private let elements: Elements
    private let path: ObservedPath<Elements.Element>
    private weak var target: Target?
    private weak var token: ObservationToken?
    private let configuration: ObservationConfiguration
    private let onFailure: (@isolated(any) (any Error) -> Void)?

    init(
        _ elements: Elements, _ path: ObservedPath<Elements.Element>, _ target: Target,
        _ token: ObservationToken, _ configuration: ObservationConfiguration,
        _ onFailure: (@isolated(any) (any Error) -> Void)?
    ) {
        self.elements = elements
        self.path = path
        self.target = target
        self.token = token
        self.configuration = configuration
        self.onFailure = onFailure
    }

    func run(in isolation: isolated any Actor) async {
        do {
            for try await element in elements {
                guard !Task.isCancelled, let target else { break }
                _ = try target.set(path) { element }
            }
            token?.cancel()
        } catch {
            if Task.isCancelled { return }
            token?.cancel()
            if let onFailure {
                await onFailure(error)
            } else {
                configuration.tell(error, of: "a sequence that is assigned")
            }
        }
    }
}

// MARK: - Refused

extension AsyncSequence {
    @available(
        *, unavailable,
        message: "the elements are of another type than the property: `map` makes them that"
    )
    @_disfavoredOverload
    public func assign<Target: ObservableHost, Value>(
        to path: ValuePath<Target, Value>, of target: Target,
        onFailure: (@isolated(any) (any Error) -> Void)? = nil
    ) -> ObservationToken { fatalError("unavailable") }
}
