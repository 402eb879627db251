// SPDX-License-Identifier: Apache-2.0
//
// P5: set with many immediate observers.
//
//     P5a  10, models
//     P5b  100, models
//     P5c  100 objects of another class
//
// The floor is a walk of so many pointers to functions.

import ObservableSwift

func manyObservers() -> [Variant] {
    many("P5a", 10, .model) + many("P5b", 100, .model) + many("P5c", 100, .object)
}

private func many(_ id: String, _ observers: Int, _ observer: Observer) -> [Variant] {
    [
        Variant(id: id, name: "ours") {
            let observed = ObservedUser(observer, options: .immediate, observers: observers)
            return .sets(of: observed.user, by: User.setter) {
                observed.tally.sawEach(to: $0, observers: observers)
            }
        },
        Variant(id: id, name: "floor") {
            let user = CallingUser(observers: observers)
            return .sets(of: user, by: CallingUser.setter) {
                user.tally.sawEach(to: $0, observers: observers)
            }
        },
        Variant(id: id, name: "Observation") {
            let watcher = ObservationWatcher(observers: observers)
            return .sets(of: watcher, by: ObservationWatcher.setter) {
                watcher.tally.sawEach(to: $0, observers: observers)
            }
        },
    ]
}
