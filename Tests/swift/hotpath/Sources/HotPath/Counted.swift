// SPDX-License-Identifier: Apache-2.0
//
// What callgrind counts: sets by a loop that it knows by its name.

import Counts
import ObservableSwift

private let operations = Int(HOT_PATH_OPERATIONS)

private let setNothing: hot_path_setter = { object, value in
    with(object, PlainUser.self) { nothing($0, value) }
}

private let setStored: hot_path_setter = { object, value in
    with(object, PlainUser.self) { setPlain($0, value) }
}

private let setObserved: hot_path_setter = { object, value in
    with(object, User.self) { set($0, value) }
}

/// A set, and a drain each hundredth time, or each time.
private let setAndDrainSome: hot_path_setter = { object, value in
    with(object, DrainedUser.self) { drained in
        set(drained.user, value)
        if value % 100 == 0 { drained.loop.drain() }
    }
}

private let setAndDrain: hot_path_setter = { object, value in
    with(object, DrainedUser.self) { drained in
        set(drained.user, value)
        drained.loop.drain()
    }
}

private final class DrainedUser {
    let user: User
    let loop: DeliveryLoop

    init(_ user: User, _ loop: DeliveryLoop) {
        self.user = user
        self.loop = loop
    }
}

@inline(__always)
private func with<Object: AnyObject>(
    _ object: UnsafeRawPointer, _ type: Object.Type, _ body: (Object) -> Void
) {
    Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
}

/// Calls a setter with an object, so many times.
private func run(_ setter: hot_path_setter, _ object: AnyObject) {
    withExtendedLifetime(object) {
        hot_path_count(setter, Unmanaged.passUnretained(object).toOpaque())
    }
}

/// A user of which a model observes a property; what is made at the first call is made.
private func observed(
    _ path: TextPath, _ watcher: Watcher, _ loop: DeliveryLoop, _ options: ObservationOptions
) -> User {
    let user = User()
    user.tell(watcher, when: \.[text: path], on: loop, options: options) { watcher, _ in
        watcher.calls += 1
    }
    set(user, -1)
    loop.drain()
    watcher.calls = 0
    return user
}

/// Runs the loop of one scenario.
func runCountedLoop(of scenario: String) {
    let watcher = Watcher()
    let loop = DeliveryLoop()
    var calls = 0
    switch scenario {
    case "loop": run(setNothing, PlainUser())
    case "floor": run(setStored, PlainUser())
    case "P1a": run(setObserved, User())
    case "P1b": run(setObserved, observed("size", watcher, loop, .immediate))
    case "P2":
        run(setObserved, observed("age", watcher, loop, .immediate))
        calls = operations
    case "P3":
        run(setAndDrainSome, DrainedUser(observed("age", watcher, loop, []), loop))
        calls = operations / 100
    case "P4":
        run(setAndDrain, DrainedUser(observed("age", watcher, loop, []), loop))
        calls = operations
    default: fatalError("no scenario is called \(scenario)")
    }
    precondition(watcher.calls == calls, "\(watcher.calls) calls")
}
