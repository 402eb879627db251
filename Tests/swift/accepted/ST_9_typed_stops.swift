// SPDX-License-Identifier: Apache-2.0
//
// Every way to stop, by text and by typed path.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
    @Observed var friend: User?
}

nonisolated func stop(_ user: User, _ observer: AnyObject, _ handle: ObservationHandle) {
    user.stopTelling(observer)
    user.stopTelling(observer, about: \.[text: "name"])
    user.stopTelling(observer, about: \.[text: "name"], \.[text: "friend.age"])
    user.stopTelling(observer, about: \.name)
    user.stopTelling(observer, about: \.friend?.name)
    user.stopTelling(observer, about: \.name, \.friend?.age, \.allProperties)
    user.stopTelling(observer, about: \.name, \.friend?.age)
    handle.stop()
    handle.stop(about: "name")
    handle.stop(about: \.[text: "name"], of: user)
    handle.stop(about: \.friend?.name, of: user)
}

nonisolated func block(_ user: User, _ observer: User) {
    let block = ObservationBlock { (observer: User, user: User) in observer.age = user.age }
    user.tell(observer, when: \.[text: "name"], block: block)
    user.tell(observer, when: \.friend?.age, block: block)
    user.stopTelling(block: block)
}
