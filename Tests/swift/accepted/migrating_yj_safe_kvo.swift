// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/yj-safe-kvo.md, as they stand there.

import Foundation
import ObservableFoundation
import ObservableSwift

@MainActor final class Address: ObservableModel, Sendable {
    @Observed var zipCode: String?

    nonisolated override init() {}
}

@MainActor final class User: ObservableModel, Sendable {
    @Observed var name = ""
    @Observed var age = 0
    @Observed var address: Address?

    nonisolated override init() {}
}

@MainActor final class Label: ObservableModel, Sendable {
    @Observed var text = ""
    @Observed var number = 0
    var token: ObservationToken?
    let bag = ObservationBag()
    var binder: Binder?

    nonisolated override init() {}

    func observe(_ user: User) {
        token = user.broadcast(\.name, options: .initial) { user, name in }
        user.stopBroadcasting(\.name)
        token?.cancel()
        bag.cancelAll()
    }

    func layout() {}

    func bind(_ user: User, _ other: User, _ users: [User], to label: Label) {
        binder = Binder(from: user, \.name, to: label, \.text)
        binder = label.receive(\.text, from: user, \.name).start()
        binder = label.receive(\.text, from: user, \.age)
            .filter { $0 >= 18 }
            .map { "\($0) years" }
            .after { label in label.layout() }
            .start()
        binder = label.receive(\.number, from: user, \.name).compactMap { Int($0) }.start()
        binder = label.receive(\.text, from: user, \.name).whenUnreachable("–").start()
        binder = label.receive(\.text, from: (user, \.name), (other, \.age)) { name, age in
            "\(name) \(age)"
        }.start()
        binder = label.receive(\.number, from: users, \.age) { $0.reduce(0, +) }.start()
        label.cutOff(\.text, from: user)
        label.cutOff(\.text)
        label.cutOff()
        binder?.cancel()
    }
}

@MainActor func observing(_ user: User, _ other: User, _ label: Label, _ text: String) throws {
    let path: TypedPath<User> = \.address?.zipCode
    user.tell(label, when: path) { _, _ in }
    try TextPath(parsing: text).validate(for: User.self)
    user.tell(label, valueOf: \.name, options: .initial) { label, user, name in }
    user.tell(label, valueOf: \.name, options: [.initial, .immediate]) { _, _, _ in }
    user.tell(label, when: \.name, \.age, options: .initial) { label, user in }
    let handle = user.tell(label, when: \.name, options: [.initial, .extensible]) { _, _ in }
    try handle.also(other, when: \.name)
    user.stopTelling(label, about: \.name)
    user.stopTelling(label)
}

@MainActor func queues(_ user: User, _ label: Label, _ queue: OperationQueue) {
    user.tell(label, of: \.name, on: DeliveryLoop(operationQueue: queue)) {
        @Sendable label, user, change in
    }
}
