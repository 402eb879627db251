// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/apps.md, as they stand there, without OpenCombine's.

import Foundation
import ObservableFoundation
import ObservableObservation
import ObservableSwift
import Observation

@MainActor final class User: ObservableModel, Sendable {
    @Observed var name = ""

    nonisolated override init() {}
}

@MainActor final class Document: Sendable {}

@MainActor @Observable final class Counter {
    var count = 0
}

extension Notification.Name {
    static let saved = Notification.Name("saved")
}

@MainActor final class Editor: Sendable {
    var tokens: Set<ObservationToken> = []
    let user = User()
    let document = Document()
    let counter = Counter()

    func deliver(queue: OperationQueue) {
        user.onChange(of: \.name, on: DeliveryLoop(operationQueue: queue)) { user in
            print(user.name)
        }
        .store(in: &tokens)
        let loops = [
            DeliveryLoop(runLoop: .current), DeliveryLoop(runLoop: .current, modes: [.default]),
        ]
        print(loops.count)
    }

    func hear(centre: NotificationCenter) {
        centre.onNotification(named: .saved, object: document) { notification in
            print(notification.name)
        }
        .store(in: &tokens)
        centre.tell(self, named: .saved) { editor, notification in editor.show(notification) }
        centre.onNotification(named: .saved, options: .immediate) { notification in
            print(notification.name)
        }
        .store(in: &tokens)
    }

    func show(_ notification: Notification) {}

    func follow() {
        ObservationBridge.isOn = true
        counter.onChange(valueOf: { $0.count }) { count in print(count) }.store(in: &tokens)
        print(FollowedValue(of: counter) { $0.count }.value)
    }
}
