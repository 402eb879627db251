// SPDX-License-Identifier: Apache-2.0
//
// P6: add one observer and remove it.
//
//     P6a, P6b  a typed path, the observer is a model; no other, 100 others
//     P6c, P6d  the same with a text path
//     P6e, P6f  a token, a typed path
//     P6k       as P6a, with a path that the program keeps
//
// The floor is one allocation and its end. Observation takes nothing back: there an observation is
// begun, and used up by a set.

import Glibc
import ObservableSwift
import Observation

func addedAndRemoved() -> [Variant] {
    let ours = [
        typed("P6a", 0), typed("P6b", 100), text("P6c", 0), text("P6d", 100), token("P6e", 0),
        token("P6f", 100), keptPath("P6k", 0),
    ]
    return ours + peers("P6a", 0) + peers("P6b", 100)
}

private func typed(_ id: String, _ others: Int) -> Variant {
    Variant(id: id, name: "ours") {
        let observed = ObservedUser(.model, observers: others)
        let watcher = ModelWatcher()
        return .operations { _ in
            observed.user.tell(watcher, when: \.age, on: observed.loop) { watcher, user in
                watcher.tally.add(user.age)
            }.stop()
        } verify: { _ in
            ObservationInspector(observed.user).numberOfObservers(of: "age") == others
                && watcher.tally.sawNothing
        }
    }
}

private let kept: TypedPath<User> & Sendable = \.age

private func keptPath(_ id: String, _ others: Int) -> Variant {
    Variant(id: id, name: "ours") {
        let observed = ObservedUser(.model, observers: others)
        let watcher = ModelWatcher()
        return .operations { _ in
            observed.user.tell(watcher, when: kept, on: observed.loop) { watcher, user in
                watcher.tally.add(user.age)
            }.stop()
        } verify: { _ in
            ObservationInspector(observed.user).numberOfObservers(of: "age") == others
                && watcher.tally.sawNothing
        }
    }
}

private func text(_ id: String, _ others: Int) -> Variant {
    Variant(id: id, name: "ours") {
        let observed = ObservedUser(.model, observers: others)
        let watcher = ModelWatcher()
        return .operations { _ in
            observed.user.tell(watcher, when: \.[text: "age"], on: observed.loop) { watcher, user in
                watcher.tally.add(user.age)
            }.stop()
        } verify: { _ in
            ObservationInspector(observed.user).numberOfObservers(of: "age") == others
                && watcher.tally.sawNothing
        }
    }
}

private func token(_ id: String, _ others: Int) -> Variant {
    Variant(id: id, name: "ours") {
        let observed = ObservedUser(.token, observers: others)
        let tally = Tally()
        return .operations { _ in
            observed.user.onChange(of: \.age, on: observed.loop) { tally.add($0.age) }.cancel()
        } verify: { _ in
            ObservationInspector(observed.user).numberOfObservers(of: "age") == others
                && tally.sawNothing
        }
    }
}

private func peers(_ id: String, _ others: Int) -> [Variant] {
    [
        Variant(id: id, name: "floor") {
            .operations { _ in
                free(allocated(64))
            } verify: { _ in
                true
            }
        },
        Variant(id: id, name: "Observation, used up") {
            let user = ObservationUser()
            let told = Tally()
            let others = (0..<others).map { _ in Unobserved(user) }
            return .operations { value in
                observeOnce(user, told)
                user.age = value
            } verify: { last in
                withExtendedLifetime(others) { told.calls == last }
            }
        },
    ]
}

@inline(never)
private func allocated(_ bytes: Int) -> UnsafeMutableRawPointer? {
    malloc(bytes)
}

/// The others, which observe another property: what observes this one is used up with it.
private struct Unobserved {
    init(_ user: ObservationUser) {
        withObservationTracking {
            _ = user.size
        } onChange: {
        }
    }
}

private func observeOnce(_ user: ObservationUser, _ told: Tally) {
    nonisolated(unsafe) let told = told
    withObservationTracking {
        _ = user.age
    } onChange: {
        told.add(1)
    }
}
