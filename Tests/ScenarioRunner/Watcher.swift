// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// An observer object, as any user of the library writes one. It is a model
/// itself, so that its observations end with it at once (LT-3).
final class Watcher: Model, DeallocationAware {
    let observer: Observer

    init(observer: Observer) {
        self.observer = observer
        super.init()
        world.watchersAlive += 1
    }

    func rootDidDeallocate(_ root: ObservationIdentity, path: String) {
        world.watcherTold(observer, path)
    }

    deinit {
        world.watcherEnds(observer)
        observer.watcher = nil
        world.watchersAlive -= 1
    }
}

typealias Block = ObservationBlock<Watcher, Thing>

/// A block of the script, which observations may share.
final class Closure {
    /// How many of its bodies exist.
    fileprivate(set) var live = 0
    /// The block values: what the script may share, or stop by.
    private var blocks: [SharedBlock<Block>] = []

    /// A block value that can serve one more observation. Its options and its loop are the block
    /// value's, and two observations of one observer could not be told apart by what a block is
    /// given: where they differ, or the observer does not, there are several.
    func block(for observation: Observation, _ request: Request) -> Block {
        let free = blocks.first { entry in
            entry.loop === request.loop && entry.options == request.options
                && entry.compare == request.compare
                && entry.body?.users.contains { $0.observer === observation.observer } == false
        }
        if let free {
            free.body?.serve(observation)
            return free.value
        }
        let body = Body(for: observation)
        let made = Block(
            on: request.loop, options: request.options, comparing: request.comparison
        ) { watcher, root in body.called(by: watcher, root) }
        blocks.append(SharedBlock(made, body, request))
        return made
    }

    /// Stops by the block values.
    func stop(at root: Thing) {
        for block in blocks {
            root.stopTelling(block: block.value)
        }
    }

    /// Lets go of the block values that no observation has any more: from here on the library alone
    /// may keep them.
    func releaseEnded() {
        blocks.removeAll(where: \.hasEnded)
    }

    func releaseAll() {
        blocks = []
    }
}

/// A block value, and how it calls.
private final class SharedBlock<Value> {
    let value: Value
    private(set) weak var body: Body?
    let loop: DeliveryLoop
    let options: ObservationOptions
    let compare: String?

    init(_ value: Value, _ body: Body, _ request: Request) {
        self.value = value
        self.body = body
        loop = request.loop
        options = request.options
        compare = request.compare
    }

    var hasEnded: Bool {
        body?.users.allSatisfy { $0.hasEnded && !$0.isBeginning } ?? true
    }
}

/// What a block captures; it lives as long as the block does.
final class Body {
    private let closure: Closure
    /// The observations that it serves.
    fileprivate var users: [Observation]

    init(for observation: Observation) {
        closure = observation.closure
        users = [observation]
        closure.live += 1
        world.bodiesAlive += 1
    }

    deinit {
        closure.live -= 1
        world.bodiesAlive -= 1
    }

    fileprivate func serve(_ observation: Observation) {
        users.append(observation)
    }

    /// What every block does.
    func called(by watcher: Watcher, _ root: Thing?, _ told: Told = .nothing) {
        called(by: watcher.observer, root, told)
    }

    func called(_ root: Thing?, _ told: Told = .nothing) {
        called(by: nil, root, told)
    }

    private func called(by observer: Observer?, _ root: Thing?, _ told: Told) {
        guard !world.isOver else {
            return
        }
        guard let user = users.first(where: { $0.observer === observer }) else {
            fail("a block was called with an observer that is not its own")
        }
        user.called(root?.named, told)
    }
}
