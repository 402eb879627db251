// SPDX-License-Identifier: Apache-2.0
//
// The calls of the README's table, as they stand there.

import Dispatch
import ObservableSwift

@MainActor final class Address: ObservableModel, Sendable {
    @Observed var zipCode: String?

    // With the main actor as default isolation the compiler makes an isolated one, and refuses it.
    nonisolated override init() {}
}

@MainActor final class User: ObservableModel, Sendable {
    @Observed var name = ""
    @Observed var age = 0
    @Observed var address: Address?

    nonisolated override init() {}

    func growOld() {
        let before = age
        for _ in 1...1_000_000 {
            _age.unobserved += 1
        }
        trigger(\.age, old: before)
    }
}

@MainActor final class Label: Sendable {
    var token: ObservationToken?
    var tokens: Set<ObservationToken> = []
}

final class Photo: ObservableModel, ObservationAware {
    @Observed var image: String?

    func didBecomeObserved(_ property: String) {}
    func didBecomeUnobserved(_ property: String) {}
}

@MainActor func everyCall(_ text: String, _ queue: DispatchQueue) throws {
    let user = User(), label = Label()
    user.tell(label, when: \.address?.zipCode, \.name) { label, user in }
    user.tell(label, whenText: try TextPath(parsing: text)) { _, _ in }
    user.tell(label, when: \.anyProperty) { _, _ in }
    user.tell(label, whenText: "*") { _, _ in }
    user.stopTelling(label)
    user.stopTelling(label, about: \.name)
    let handle: KeyValueObservation = user.tell(label, when: \.name) { _, _ in }
    handle.stop()
    label.token = user.onChange(when: \.name) { user in }
    label.token?.cancel()
    user.onChange(of: \.name) { _ in }.store(in: &label.tokens)
    print(user.value(at: \.address?.zipCode).value ?? "", user.value(at: \.name).isReachable)
    print(try user.value(at: "address.zipCode").value ?? "")
    label.token = user.onChange(of: \.name) { change in print(change.old ?? "", change.new ?? "") }
    user.tell(label, valueOf: \.name) { label, user, name in }
    user.tell(label, recordOf: \.name, \.address?.anyProperty) { label, user, record in
        print(record.entries.count)
    }
    User.anyInstance.tell(label, when: \.name) { label, user in }
    User.anyInstance.tell(label, valueOf: \.name) { label, user, name in }
    label.token = User.anyInstance.onChange(valuesOf: \.name) { user, old, new in }
    let show = ObservationBlock { (label: Label, user: User) in }
    user.tell(label, whenAny: [\.name], block: show)
    user.stopTelling(block: show)
    let showEvery = ClassObservationBlock { (label: Label, user: User?) in }
    User.anyInstance.tell(label, whenText: "name", block: showEvery)
    User.anyInstance.stopTelling(block: showEvery)
    let showToken = TokenObservationBlock { (user: User) in }
    label.token = user.onChange(whenAny: [\.name], block: showToken)
    user.stopTelling(block: showToken)
    user.tell(label, whenText: "address.*.name", options: .net) { _, _ in }
    user.tell(label, when: \.name, comparing: .alwaysDifferent) { _, _ in }
    let caseless = ObservationComparison.by { (a: String, b: String) in
        a.lowercased() == b.lowercased()
    }
    user.tell(label, when: \.name, comparing: caseless) { _, _ in }
    let behind = (\.anyProperty as TypedPath<User>).appending(\.zipCode as TypedPath<Address>)
    user.tell(label, when: behind) { _, _ in }
    user.tell(label, when: \.name, options: .immediate) { _, _ in }
    user.tell(label, when: \.name, options: [.initial, .immediate]) { _, _ in }
    let loop = DeliveryLoop()
    user.tell(label, when: \.name, on: DeliveryLoop(queue: queue)) { _, _ in }
    user.tell(label, when: \.name, on: loop, options: .deferred) { _, _ in }
    loop.drain()
    withObservationBatch { user.age = 3 }
    try TextPath(parsing: text).validate(for: User.self)
    let path: TypedPath<User> = \.address?.zipCode
    user.tell(label, when: path) { _, _ in }
    DeliveryLoop.main.drain()
}
