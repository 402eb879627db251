// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/combine.md, as they stand there.

import Dispatch
import Foundation
import ObservableFoundation
import ObservableSwift

@MainActor final class Address: ObservableModel, Sendable {
    @Observed var zipCode: String?

    nonisolated override init() {}
}

@MainActor final class User: ObservableHost {
    let observation = ObservationHeader()
    @Observed var name = ""
    @Observed var age = 0
    @Observed var address: Address?
    @Computed(User.makeFullName) var fullName: String

    private func makeFullName() -> String { "\(name), \(age)" }
}

final class Photo: ObservableModel, ObservationAware {
    @Observed var image: String?

    func didBecomeObserved(_ property: String) {}
    func didBecomeUnobserved(_ property: String) {}
}

@MainActor final class Field: ObservableModel, Sendable {
    @Observed var text = ""

    nonisolated override init() {}
}

@MainActor final class Label: Sendable, DeallocationAware {
    var token: ObservationToken?
    var tokens: Set<ObservationToken> = []
    let bag = ObservationBag()
    var binder: ObservationToken?

    nonisolated func rootDidDeallocate(_ root: ObservationIdentity, path: String) {}

    func subscribe(_ user: User, _ field: Field) {
        token = user.onChange(of: \.allProperties) { user in }
        token = user.onChange(of: \.address?.zipCode, \.address?.allProperties) { _ in }
        token = user.values(of: \.name).onChange { name in }
        binder = user.values(of: \.name).assign(to: \.text, of: field)
        binder = user.values(of: \.name).filter { $0 != "" }.map { "Dear \($0 ?? "")" }
            .assign(to: \.text, of: field)
        token?.cancel()
        binder?.cancel()
        user.onChange(of: \.name, \.age) { _ in }.store(in: &tokens)
        user.record(of: \.name, \.age).onChange { _ in }.store(in: &tokens)
        user.onChange(of: \.name) { _ in }.store(in: bag)
        token = user.onChange(
            of: \.name, comparing: .by { (a: String, b: String) in a == b }, label: "name"
        ) { _ in }
        token = user.onChange(of: \.name, options: .immediate) { user in print(user.name) }
        print(ObservationInspector(user))
    }

    func several(_ user: User, _ other: User, _ field: Field) throws {
        binder = user.values(of: \.name).combined(with: other.values(of: \.age)) { name, age in
            "\(name ?? "") \(age ?? 0)"
        }
        .assign(to: \.text, of: field)
        let path: TypedPath<User> = \.name
        let handle = user.tell(self, when: path, options: .allowsMorePaths) { _, _ in }
        try handle.also(other, when: \.name)
    }
}

@MainActor func sequences(_ user: User) async {
    for await name in user.values(of: \.name) { print(name ?? "") }
    let lengths = user.values(of: \.name).map { name in name?.count }
    for await length in lengths { print(length ?? 0) }
    for await name in user.values(of: \.name).dropFirst() { print(name ?? "") }
    _ = await user.values(of: \.name).first { @Sendable name in name != nil }
    _ = await user.values(of: \.name).contains("Ada")
    _ = await user.values(of: \.age).reduce(0) { @Sendable sum, age in sum + (age ?? 0) }
}

@MainActor func queues(_ field: Field, _ label: Label, _ queue: DispatchQueue) {
    field.tell(label, when: \.text, on: DeliveryLoop(queue: queue)) { @Sendable _, _ in }
    let operations = OperationQueue()
    for loop in [DeliveryLoop(operationQueue: operations), DeliveryLoop(runLoop: .current)] {
        field.tell(label, when: \.text, on: loop) { @Sendable _, _ in }
    }
}

@MainActor func notifications(_ name: Notification.Name, _ label: Label) {
    label.token = NotificationCenter.default.onNotification(named: name) { notification in }
}
