// SPDX-License-Identifier: Apache-2.0
//
// P2: set, one immediate observer is called.
//
//     P2   the observer is a model
//     P2o  it is an object of another class
//     P2t  a token, no observer
//     P2m  P2, in a block that is isolated to the main actor

import ObservableSwift

func immediateSets() -> [Variant] {
    let ours = [("P2", Observer.model), ("P2o", .object), ("P2t", .token)].map { id, observer in
        Variant(id: id, name: "ours") {
            let observed = ObservedUser(observer, options: .immediate)
            return .sets(of: observed.user, by: User.setter) { observed.tally.sawEach(to: $0) }
        }
    }
    return ours + [isolated()] + peers()
}

private func isolated() -> Variant {
    Variant(id: "P2m", name: "ours") {
        let user = User()
        let watcher = ModelWatcher()
        user.tell(watcher, when: \.age, options: .immediate) { @MainActor watcher, user in
            watcher.tally.add(user.age)
        }
        return .sets(of: user, by: User.setter) { watcher.tally.sawEach(to: $0) }
    }
}

private func peers() -> [Variant] {
    [
        Variant(id: "P2", name: "floor") {
            let user = CallingUser(observers: 1)
            return .sets(of: user, by: CallingUser.setter) { user.tally.sawEach(to: $0) }
        },
        Variant(id: "P2", name: "Observation") {
            let watcher = ObservationWatcher()
            return .sets(of: watcher, by: ObservationWatcher.setter) {
                watcher.tally.sawEach(to: $0)
            }
        },
    ]
}
