// SPDX-License-Identifier: Apache-2.0
//
// The same call from main-actor code, from code without an isolation, and from an actor; blocks
// use what is theirs.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var friend: User?
}

final class Progress: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var fraction = 0.0
}

@MainActor final class Window {
    var title = ""
    let user = User()
    var tokens: [ObservationToken] = []

    func observe(_ progress: Progress) {
        var shown = 0
        user.tell(self, when: \.name) { window, user in
            window.title = user.name
            shown += 1
        }
        user.tell(self, when: \.[text: "friend.name"], \.[text: "name"]) { window, user in
            window.title = user.name
        }
        user.tell(self, when: \.friend?.name, \.name, options: .immediate) { window, _ in
            window.title = "friend"
        }
        tokens.append(user.onChange(of: \.name) { user in self.title = user.name })
        tokens.append(
            progress.onChange(of: \.fraction) { [weak self] progress in
                self?.title = "\(progress.fraction)"
            })
    }

    func stop() {
        user.stopTelling(self)
        user.stopTelling(self, about: \.friend?.name, \.name)
        tokens = []
    }
}

nonisolated final class Plain {
    var seen: [String] = []

    func observe(_ user: User, on loop: DeliveryLoop) -> ObservationHandle {
        user.tell(self, when: \.name, on: loop) { plain, user in
            plain.seen.append(user.name)
        }
    }
}

actor Store {
    private let user = User()
    private var names: [String] = []

    func observe(_ progress: Progress) {
        user.tell(self, when: \.name) { _, user in self.names.append(user.name) }
        progress.tell(self, when: \.fraction) { _, progress in
            self.names.append("\(progress.fraction)")
        }
    }

    func stop() {
        user.stopTelling(self)
    }
}
