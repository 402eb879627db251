// SPDX-License-Identifier: Apache-2.0
//
// P4: set, schedule, drain, call: one delayed observer, safe from any thread.
//
//     P4   the observer is a model
//     P4o  it is an object of another class
//     P4t  a token, no observer

import ObservableSwift
import Synchronization

func deliveredSets() -> [Variant] {
    let ours = [("P4", Observer.model), ("P4o", .object), ("P4t", .token)].map { id, observer in
        Variant(id: id, name: "ours") {
            let observed = ObservedUser(observer)
            return .sets(of: observed, by: ObservedUser.setAndDrain) {
                observed.tally.sawEach(to: $0)
            }
        }
    }
    let exchange = Variant(id: "exchange", name: "floor") {
        let user = ExchangedUser()
        return .sets(of: user, by: ExchangedUser.setter) {
            user.age.load(ordering: .relaxed) == $0
        }
    }
    return ours + [exchange] + peers()
}

private func peers() -> [Variant] {
    [
        Variant(id: "P4", name: "Observation") {
            let watcher = ObservationOnQueue()
            return .sets(of: watcher, by: ObservationOnQueue.setAndDrain) {
                watcher.tally.sawEach(to: $0)
            }
        },
        Variant(id: "P4", name: "mutex, flag and list") {
            let user = ListedUser()
            return .sets(of: user, by: ListedUser.setAndDrain) { user.tally.sawEach(to: $0) }
        },
    ]
}
