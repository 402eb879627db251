// SPDX-License-Identifier: Apache-2.0
//
// The toolchain's Observation. It tells once, before the change, that something will change; who
// wants the value, and the next change, reads again and so observes again. So do its users.

import Observation

@Observable
final class ObservationUser {
    var age = 0
    var size = 0
    var weight = 0
    var height = 0

    static var setter: Setter {
        { context, value in context.with(ObservationUser.self) { $0.age = value } }
    }
}

/// Observes the age of a user with so many observations, each renewed when it has told.
final class ObservationWatcher: @unchecked Sendable {
    let user = ObservationUser()
    let tally = Tally()
    /// Those that have told.
    private var told: [Int] = []

    init(observers: Int = 1) {
        told.reserveCapacity(observers)
        for observer in 0..<observers { observe(observer) }
        tally.calls = 0
    }

    private func observe(_ observer: Int) {
        withObservationTracking {
            tally.add(user.age)
        } onChange: { [unowned self] in
            told.append(observer)
        }
    }

    @inline(never)
    func deliver() {
        while let observer = told.popLast() { observe(observer) }
    }

    /// One set, and the observers that it has told.
    static var setter: Setter {
        { context, value in
            context.with(ObservationWatcher.self) { watcher in
                watcher.user.age = value
                watcher.deliver()
            }
        }
    }
}

/// The same with a queue that any thread may append to.
final class ObservationOnQueue: @unchecked Sendable {
    private let user = ObservationUser()
    let tally = Tally()
    private let queue = ManualQueue()

    init() {
        observe()
        tally.calls = 0
    }

    private func observe() {
        withObservationTracking {
            tally.add(user.age)
        } onChange: { [unowned self] in
            queue.append { [unowned self] in observe() }
        }
    }

    static var setAndDrain: Setter {
        { context, value in
            context.with(ObservationOnQueue.self) { watcher in
                watcher.user.age = value
                watcher.queue.drain()
            }
        }
    }
}
