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
    var binder: ObservationToken?

    nonisolated override init() {}

    func observe(_ user: User) {
        user.values(of: \.name).tell(user) { user, name in }
        user.stopTelling(user, about: \.name)
        token = user.values(of: \.name).onChange { name in }
        token?.cancel()
        bag.cancelAll()
    }

    func layout() {}

    func bind(_ user: User, _ other: User, _ users: [User], to label: Label) {
        binder = user.values(of: \.name).assign(to: \.text, of: label)
        binder = user.values(of: \.age).compactMap { $0 }.filter { $0 >= 18 }
            .map { "\($0) years" }
            .assign(to: \.text, of: label) { label in label.layout() }
        binder = user.values(of: \.name).compactMap { $0 }.compactMap { Int($0) }
            .assign(to: \.number, of: label)
        binder = user.values(of: \.name).replaceUnreachable(with: "–")
            .assign(to: \.text, of: label)
        binder = user.values(of: \.name).combined(with: other.values(of: \.age)) { name, age in
            "\(name ?? "") \(age ?? 0)"
        }
        .assign(to: \.text, of: label)
        binder = users.map { $0.values(of: \.age).replaceUnreachable(with: 0) }.combined()
            .map { $0.reduce(0, +) }
            .assign(to: \.number, of: label)
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
    user.values(of: \.name).tell(label) { label, name in }
    user.values(of: \.name).options(.immediate).tell(label) { _, _ in }
    user.tell(label, when: \.name, \.age, options: .initial) { label, user in }
    let handle = user.tell(label, when: \.name, options: [.initial, .allowsMorePaths]) { _, _ in }
    try handle.also(other, when: \.name)
    user.stopTelling(label, about: \.name)
    user.stopTelling(label)
}

@MainActor func queues(_ user: User, _ label: Label, _ queue: OperationQueue) {
    user.changes(of: \.name).on(DeliveryLoop(operationQueue: queue)).tell(label) {
        @Sendable label, change in
    }
}
