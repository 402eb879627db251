// SPDX-License-Identifier: Apache-2.0
//
// Callgrind counts these: sets, and beginnings of observations, by a loop that it knows by its name.

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

/// An observation that begins and is ended.
private let tellByTypedPath: hot_path_setter = { object, _ in
    with(object, DrainedUser.self) { drained in
        drained.user.tell(drained.watcher, when: \.age, on: drained.loop) { watcher, _ in
            watcher.calls += 1
        }.stop()
    }
}

/// The same by a path that the program keeps.
private let tellByKeptPath: hot_path_setter = { object, _ in
    with(object, DrainedUser.self) { drained in
        drained.user.tell(drained.watcher, when: keptPath, on: drained.loop) { watcher, _ in
            watcher.calls += 1
        }.stop()
    }
}

private let keptPath: TypedPath<User> & Sendable = \.age

private let tellByText: hot_path_setter = { object, _ in
    with(object, DrainedUser.self) { drained in
        drained.user.tell(drained.watcher, when: \.[text: "age"], on: drained.loop) { watcher, _ in
            watcher.calls += 1
        }.stop()
    }
}

private let keepToken: hot_path_setter = { object, _ in
    with(object, DrainedUser.self) { drained in
        let watcher = drained.watcher
        drained.user.onChange(of: \.age, on: drained.loop) { _ in watcher.calls += 1 }.cancel()
    }
}

/// The source of a graph is set, and what is at its end is read.
private let setAndRead: hot_path_setter = { object, value in
    with(object, Graph.self) { graph in
        graph.source.value = value
        for cell in graph.ends { graph.sum &+= cell.value }
    }
}

private final class DrainedUser {
    let user: User
    let watcher: Watcher
    let loop: DeliveryLoop

    init(_ user: User, _ watcher: Watcher, _ loop: DeliveryLoop) {
        self.user = user
        self.watcher = watcher
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

/// Runs a loop that begins and ends observations; what is made with the first one is made.
private func begin(_ setter: hot_path_setter, _ watcher: Watcher, _ loop: DeliveryLoop) {
    let drained = DrainedUser(User(), watcher, loop)
    setter(Unmanaged.passUnretained(drained).toOpaque(), 0)
    run(setter, drained)
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
        run(setAndDrainSome, DrainedUser(observed("age", watcher, loop, []), watcher, loop))
        calls = operations / 100
    case "P4":
        run(setAndDrain, DrainedUser(observed("age", watcher, loop, []), watcher, loop))
        calls = operations
    case "P6a": begin(tellByTypedPath, watcher, loop)
    case "P6k": begin(tellByKeptPath, watcher, loop)
    case "P6c": begin(tellByText, watcher, loop)
    case "P6e": begin(keepToken, watcher, loop)
    case "P9a": run(setAndRead, Graph.chain)
    case "P9b": run(setAndRead, Graph.wide)
    case "P9c": run(setAndRead, Graph.diamond)
    default: fatalError("no scenario is called \(scenario)")
    }
    precondition(watcher.calls == calls, "\(watcher.calls) calls")
}
