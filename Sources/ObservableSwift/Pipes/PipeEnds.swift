// SPDX-License-Identifier: Apache-2.0

/// What a pipe leads from and to, where it is called, and what is done after it. Keeps no object.
struct PipeEnds<Target: ObservableHost, Goal> {
    private let sources: [Source]
    private weak var target: Target?
    private let path: ObservedPath<Target, Goal>
    let configuration: ObservationConfiguration
    /// Of the code that describes the pipe.
    private let isolation: (any Actor)?
    /// Of the steps that have one.
    private var isolations: [any Actor] = []
    /// Of the target, once it has been set.
    var actions: [(Target) throws -> Void] = []

    private struct Source {
        weak var root: (any ObservableHost)?
        let path: [PathComponent]
    }

    init(
        _ target: Target, _ path: ValuePath<Target, Goal>, from sources: [FollowedEnd],
        _ configuration: ObservationConfiguration, _ isolation: (any Actor)?
    ) {
        self.target = target
        // The builder's optional is never nil.
        self.path = path(ObservedPath<Target, Target>())!
        self.sources = sources.map { Source(root: $0.root, path: $0.path) }
        self.configuration = configuration
        self.isolation = isolation
    }

    /// Notes where a step belongs; nil: anywhere.
    mutating func note(_ isolation: (any Actor)?) {
        if let isolation, !isolations.contains(where: { $0 === isolation }) {
            isolations.append(isolation)
        }
    }

    func plan(
        _ flow: @escaping (CarriedValues) throws -> PathValue<Goal>?
    ) throws(ObservationError) -> BinderPlan {
        guard let target else { throw .endOfPipeIsGone }
        var followed: [FollowedEnd] = []
        for source in sources {
            guard let root = source.root else { throw .endOfPipeIsGone }
            followed.append(FollowedEnd(root, source.path))
        }
        if followed.isEmpty {
            throw ObservationError(.argument, "a pipe has at least one source")
        }
        let end = BinderEnd(target, of: path)
        let actions = actions
        return try BinderPlan(
            followed, FollowedEnd(end), try form(),
            forth: try Place(end).setter(
                then: { root in
                    for action in actions { try action(root as! Target) }
                }, flow))
    }
}

// MARK: - Where

extension PipeEnds {
    private func form() throws(ObservationError) -> BinderForm {
        let loop = try loop()
        let source = configuration.source
        var form = BinderForm(loop, configuration.label, source.file, source.line)
        for isolation in isolations {
            let home = ActorLoops.loop(of: isolation)
            if loop.isApart(from: home) {
                throw ObservationError(
                    .isolation,
                    "a step that is isolated to \(home.isolation) cannot be called on \(loop.place): "
                        + "leave `on:` out")
            }
            if home !== loop { form.homes.append(home) }
        }
        return form
    }

    /// Where the target belongs.
    private func loop() throws(ObservationError) -> DeliveryLoop {
        if let named = configuration.loop {
            guard let loop = named.living else {
                throw ObservationError(.ended, "the delivery loop has ended")
            }
            return loop
        }
        if let isolation = isolation ?? isolations.first {
            return ActorLoops.loop(of: isolation)
        }
        if DeliveryLoop.main.isCurrent { return .main }
        throw .withoutLoop("a pipe", begun: "started", whose: "its target belongs")
    }
}

extension ObservationError {
    fileprivate static let endOfPipeIsGone = ObservationError(
        .ended, "an object of the pipe is gone")
}
