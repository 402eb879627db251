// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation

typealias Line = (id: String, name: String, bytes: Double)

/// An observer class of ours, or none.
enum Kind {
    case model, object, token
}

func measured() -> [Line] {
    ours("P8b", "P8c", .model) + ours("P8d", "P8e", .object) + ours("P8f", "P8g", .token)
        + plain() + observation() + combine()
}

/// The object, then a first and a second observer of it, each told of what it observes so that
/// what is made at the first call is there; the names of the rows of both.
private func ours(_ first: String, _ second: String, _ kind: Kind) -> [Line] {
    var users: [User] = []
    var handles: [AnyObject] = []
    let loop = DeliveryLoop()
    let model = ModelWatcher()
    let object = PlainWatcher()
    func observe(_ user: User) {
        switch kind {
        case .model:
            user.tell(model, when: \.[text: "age"], on: loop) { watcher, _ in watcher.calls += 1 }
        case .object:
            user.tell(object, when: \.[text: "age"], on: loop) { watcher, _ in watcher.calls += 1 }
        case .token:
            handles.append(user.onChange(of: \.[text: "age"], on: loop) { _ in object.calls += 1 })
        }
    }
    let lines = bytesOfEach(
        make: { users.append(User()) },
        reserve: {
            users.reserveCapacity($0)
            handles.reserveCapacity(2 * $0)
        }, observe: { observe(users[$0]) })
    for user in users { user.age += 1 }
    loop.drain()
    precondition(model.calls + object.calls == 2 * users.count, "not all were called")
    return [(first, "ours", lines[1]), (second, "ours", lines[2])]
        + (kind == .model ? [("P8a", "ours", lines[0])] : [])
}

#if !OPENCOMBINE
    private func combine() -> [Line] { [] }
#endif

private func plain() -> [Line] {
    var users: [PlainUser] = []
    let lines = bytesOfEach(
        make: { users.append(PlainUser()) },
        reserve: { users.reserveCapacity($0) }, observe: { _ in })
    return [("P8a", "floor", lines[0])]
}

private func observation() -> [Line] {
    var users: [ObservationUser] = []
    nonisolated(unsafe) let watcher = PlainWatcher()
    let lines = bytesOfEach(
        make: { users.append(ObservationUser()) },
        reserve: { users.reserveCapacity($0) },
        observe: { index in
            withObservationTracking {
                _ = users[index].age
            } onChange: {
                watcher.calls += 1
            }
        })
    for user in users { user.age += 1 }
    precondition(watcher.calls == 2 * users.count, "not all were called")
    return named("Observation", lines)
}

func named(_ name: String, _ lines: [Double]) -> [Line] {
    zip(["P8a", "P8b", "P8c"], lines).map { ($0, name, $1) }
}
