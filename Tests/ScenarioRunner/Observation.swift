// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What an observing call has returned.
enum Handle {
    case observation(ObservationHandle)
    case token(ObservationToken)

    /// Why it was refused.
    var failure: ObservationError? {
        switch self {
        case .observation(let observation): observation.failure
        case .token(let token): token.failure
        }
    }

    var hasEnded: Bool {
        switch self {
        case .observation(let observation): observation.hasEnded
        case .token(let token): token.hasEnded
        }
    }

    func value(at path: TextPath, from root: Thing) throws(ObservationError) -> PathValue<Any> {
        switch self {
        case .observation(let observation): try observation.value(at: path, from: root)
        case .token(let token): try token.value(at: path, from: root)
        }
    }

    var unresolvedPaths: [String] {
        switch self {
        case .observation(let observation): observation.unresolvedPaths
        case .token(let token): token.unresolvedPaths
        }
    }

    func stop() {
        switch self {
        case .observation(let observation): observation.stop()
        case .token(let token): token.cancel()
        }
    }

    func schedule() {
        switch self {
        case .observation(let observation): observation.schedule()
        case .token(let token): token.schedule()
        }
    }

    func makeImmediate() {
        switch self {
        case .observation(let observation): observation.makeImmediate()
        case .token(let token): token.makeImmediate()
        }
    }

    func execute() -> Bool {
        switch self {
        case .observation(let observation): observation.execute()
        case .token(let token): token.execute()
        }
    }
}

/// An observation of the script, by its name.
final class Observation {
    let name: String
    private(set) var isImmediate: Bool
    /// An immediate one that a drain may call: it was scheduled by hand, or was turned immediate.
    private var mayBeDue = false
    /// nil: a token has none.
    let observer: Observer?
    let closure: Closure
    /// The first first; none: every instance of a class is observed.
    var roots: [NamedThing]
    /// nil: there is none, or it cannot be read (`*`).
    let firstPath: [PathName]?
    /// As they are written, also those that were added later; the empty one, if it began with none.
    var paths: [String]
    /// nil before the observing call has returned, and after `cancel`.
    var handle: Handle? {
        didSet { isBeginning = false }
    }
    private(set) var isBeginning = true
    let onCall = CommandList()
    private(set) var calls = 0
    private(set) var saw = Value.unreachable
    private(set) var root: NamedThing?
    private(set) var told = Told.nothing
    let wantsValues: Bool

    init(_ request: Request, observer: Observer?, closure: Closure) {
        name = request.name
        wantsValues = request.wantsValues
        isImmediate = request.options.contains(.immediate)
        self.observer = observer
        self.closure = closure
        roots = request.root.map { [$0] } ?? []
        paths = request.paths.isEmpty ? [""] : request.paths
        let path = request.paths.first.map(pathNames)
        firstPath = path?.contains { $0.name == "*" && $0.isPlain } == true ? nil : path
    }

    /// Its observer, alive; the test fails if there is none.
    var watcher: Watcher {
        guard let observer else {
            fail("the token \(name) has no observer object")
        }
        guard let watcher = observer.watcher else {
            fail("the observer object of \(name) is dead")
        }
        return watcher
    }

    /// Its handle; the test fails if it was given back.
    var given: Handle {
        guard let handle else {
            fail("\(name) is not held any more")
        }
        return handle
    }

    var hasEnded: Bool {
        handle?.hasEnded ?? true
    }

    /// Whether a notice may name this path. A key path may not know its properties' names before
    /// they are used.
    func isToldOf(_ path: String) -> Bool {
        paths.contains { $0 == path || isNameless(path, of: $0) }
    }

    /// Whether it is `Thing.<computed (Int)>` where the other has a name, and the same elsewhere.
    private func isNameless(_ path: String, of written: String) -> Bool {
        var rest = elements(of: path)[...]
        return elements(of: written).allSatisfy { name in
            let isUnknown = rest.dropFirst().first?.hasPrefix("<computed (") == true
            let first = rest.first
            rest = rest.dropFirst(isUnknown ? 2 : 1)
            return isUnknown || first == name
        } && rest.isEmpty
    }

    func makeImmediate() {
        isImmediate = true
        mayBeDue = true
        given.makeImmediate()
    }

    func schedule() {
        mayBeDue = true
        handle?.schedule()
    }

    /// Its block was called.
    func called(_ root: NamedThing?, _ told: Told) {
        calls += 1
        noteKind()
        self.root = root
        self.told = told
        if let firstPath, let first = roots.first ?? root, let value = read(firstPath, from: first)
        {
            saw = value.copy
        }
        onCall.run()
    }

    /// An element that is followed is read where it stands; nil: the path holds a `*`.
    private func read(_ path: [PathName], from root: NamedThing) -> Value? {
        let follows = path.contains { $0.isPlain && isNumber($0.name) }
        guard follows, let handle, let thing = root.thing, let text = paths.first else {
            return readPath(root, path)
        }
        return (try? handle.value(at: TextPath(parsing: text), from: thing)).map { Value($0) }
            ?? .unreachable
    }

    /// Notes what kind of call this is: by hand, immediate, or by a drain. A drain calls immediate
    /// ones too: what was scheduled by hand, or was pending when it was turned. Inside no command
    /// but the drain, two things are changes: what it computes, and the death of an object that it
    /// let go of.
    private func noteKind() {
        if world.executing === self {
            world.executing = nil
        } else if let drain = world.drain, drain.depth == world.depth {
            if !isImmediate {
                drain.calls(self)
            } else if !drain.hasReleased || mayBeDue {
                drain.mayCall(self)
            }
        } else if !isImmediate {
            fail("the delayed block of \(name) was called outside a drain")
        }
    }
}
