// SPDX-License-Identifier: Apache-2.0

/// A drain that is running.
final class DrainFrame {
    private var called = 0
    /// Of its command.
    let depth = world.depth
    /// An object has died since its last call, as it let go of it: until the next one, immediate
    /// blocks may be called by that.
    private(set) var hasReleased = false
    /// Calls that were its own, or the work of such a death, and where in the order.
    private var doubtful: [(observation: Observation, place: Int)] = []

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
