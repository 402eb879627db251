// SPDX-License-Identifier: Apache-2.0

import Counts
import ObservableSwift

private let notifications = 1_000

/// Prints, for each way of observing, the allocations of a thousand notifications of an Int
/// property, each of which calls the block: `what<TAB>allocations`.
func printAllocations() {
    let ways: [(String, ObservationOptions)] = [("immediate", .immediate), ("delayed", [])]
    for (name, options) in ways {
        print("\(name), a model", ofModel(options), separator: "\t")
        print("\(name), another object", ofObject(options), separator: "\t")
        print("\(name), a token", ofToken(options), separator: "\t")
    }
    // The counter counts.
    let kept = Kept()
    print("a block that allocates", counted { _ in kept.object = Watcher() }, separator: "\t")
}

private final class Kept {
    var object: AnyObject?
}

private func counted(_ notify: (Int) -> Void) -> Int64 {
    // What the library makes once, and what the first calls make grow.
    for value in 1...notifications { notify(value) }
    let before = allocation_count()
    for value in 1...notifications { notify(-value) }
    return allocation_count() - before
}

private func counted(_ user: User, _ loop: DeliveryLoop, calls: () -> Int) -> Int64 {
    let allocations = counted { value in
        set(user, value)
        loop.drain()
    }
    precondition(calls() == 2 * notifications, "\(calls()) calls")
    return allocations
}

private func ofModel(_ options: ObservationOptions) -> Int64 {
    let user = User()
    let watcher = Watcher()
    let loop = DeliveryLoop()
    user.tell(watcher, when: \.age, on: loop, options: options) { watcher, _ in
        watcher.calls += 1
    }
    return counted(user, loop) { watcher.calls }
}

private func ofObject(_ options: ObservationOptions) -> Int64 {
    let user = User()
    let watcher = PlainWatcher()
    let loop = DeliveryLoop()
    user.tell(watcher, when: \.age, on: loop, options: options) { watcher, _ in
        watcher.calls += 1
    }
    return counted(user, loop) { watcher.calls }
}

private func ofToken(_ options: ObservationOptions) -> Int64 {
    let user = User()
    let watcher = PlainWatcher()
    let loop = DeliveryLoop()
    let token = user.onChange(of: \.age, on: loop, options: options) { _ in watcher.calls += 1 }
    return withExtendedLifetime(token) { counted(user, loop) { watcher.calls } }
}
