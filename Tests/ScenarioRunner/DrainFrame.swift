// SPDX-License-Identifier: Apache-2.0

import Glibc
import ObservableSwift

/// A drain that is running.
final class DrainFrame {
    private let loop: DeliveryLoop
    private let thread = pthread_self()
    /// That inside which it runs.
    private let outer = world.drain
    private var called = 0
    /// Of its command.
    let depth = world.depth
    /// An object has died since its last call, as it let go of it: until the next one, immediate
    /// blocks may be called by that.
    private(set) var hasReleased = false
    /// Calls of immediate blocks: its own, or the work of such a death or of what it computes; and
    /// where in the order.
    private var doubtful: [(observation: Observation, place: Int)] = []

    init(of loop: DeliveryLoop) {
        self.loop = loop
    }

    /// Whether another thread was draining its loop when it began: then it is refused, which the
    /// answer 0 does not tell from a drain that found nothing.
    var isRefused: Bool {
        sequence(first: self, next: \.outer).contains {
            $0.loop === loop && pthread_equal($0.thread, thread) == 0
        }
    }

    func calls(_ observation: Observation) {
        called += 1
        hasReleased = false
        world.order.append(observation)
    }

    func mayCall(_ observation: Observation) {
        doubtful.append((observation, world.order.count))
    }

    /// An object dies.
    func thingEnds() {
        hasReleased = hasReleased || depth == world.depth
    }

    /// The drain has answered: what is missing is among the doubtful ones; a call that was pending
    /// comes after those that its change has caused.
    func end(answer: Int) {
        while called < answer, let last = doubtful.popLast() {
            called += 1
            world.order.insert(last.observation, at: last.place)
        }
        if answer != called {
            fail("the drain answers \(answer), but called \(called) blocks")
        }
    }
}
