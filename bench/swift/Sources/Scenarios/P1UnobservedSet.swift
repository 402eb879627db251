// SPDX-License-Identifier: Apache-2.0
//
// P1: set an int property that nobody observes.
//
//     P1a  nobody observes the object
//     P1b  somebody observes another property of it
//     P1c  P1a for a property that is set in many places of the program
//     P1p  P1a for a property of a public final class
//     P1o  P1a for a property of an open class
//
// Each at four places of the calling loop; the row is the median over them.

import BenchSupport
import ObservableSwift
import Observation

func unobservedSets() -> [Variant] {
    (0..<Int(BENCH_PLACES)).flatMap { place in
        alone(place) + besideObserved(place) + ofVisibleClasses(place)
    }
}

private func alone(_ place: Int) -> [Variant] {
    [
        Variant(id: "P1a", name: "ours") {
            let user = LoneUser()
            return .sets(of: user, by: LoneUser.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1c", name: "ours") {
            let user = User()
            return .sets(of: user, by: User.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1a", name: "floor") {
            let user = PlainUser()
            return .sets(of: user, by: PlainUser.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1a", name: "Observation") {
            let user = ObservationUser()
            return .sets(of: user, by: ObservationUser.setter, at: place) { user.age == $0 }
        },
    ]
}

private func besideObserved(_ place: Int) -> [Variant] {
    [
        Variant(id: "P1b", name: "ours") {
            let user = LoneUser()
            let watcher = ModelWatcher()
            user.tell(watcher, when: \.size, options: .immediate) { watcher, user in
                watcher.tally.add(user.size)
            }
            return .sets(of: user, by: LoneUser.setter, at: place) {
                user.age == $0 && watcher.tally.sawNothing
            }
        },
        Variant(id: "P1b", name: "floor") {
            let user = PlainUser()
            return .sets(of: user, by: PlainUser.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1b", name: "Observation") {
            let user = ObservationUser()
            withObservationTracking {
                _ = user.size
            } onChange: {
                fail("told of another")
            }
            return .sets(of: user, by: ObservationUser.setter, at: place) { user.age == $0 }
        },
    ]
}

private func ofVisibleClasses(_ place: Int) -> [Variant] {
    [
        Variant(id: "P1p", name: "ours") {
            let user = PublicUser()
            return .sets(of: user, by: PublicUser.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1p", name: "floor") {
            let user = PublicPlainUser()
            return .sets(of: user, by: PublicPlainUser.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1o", name: "ours") {
            let user = OpenUser()
            return .sets(of: user, by: OpenUser.setter, at: place) { user.age == $0 }
        },
        Variant(id: "P1o", name: "floor") {
            let user = OpenPlainUser()
            return .sets(of: user, by: OpenPlainUser.setter, at: place) { user.age == $0 }
        },
    ]
}
