// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/observers-and-binders.md, as they stand there.

import Dispatch
import Foundation
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

@MainActor final class Field: ObservableModel, Sendable {
    @Observed var text = ""

    nonisolated override init() {}
}

struct Decimal: ReversibleTransformer {
    struct NoNumber: Error {}

    nonisolated init() {}
    nonisolated func transform(_ value: Int) -> String { "\(value)" }
    nonisolated func reverse(_ value: String) throws -> Int {
        guard let number = Int(value) else { throw NoNumber() }
        return number
    }
}

@MainActor final class Label: Sendable {
    var token: ObservationToken?
    var tokens: Set<ObservationToken> = []
    var binder: Binder?

    func refresh() {}
    func show(_ user: User) {}
    func show(_ user: User, _ path: String) {}
    func show(_ name: String?) {}
    func log(_ change: ObservedChange<User, String>) {}
    func log(_ old: String?, _ new: String?) {}
    func log(_ user: User, _ old: String?, _ new: String?) {}

    func observe(_ user: User) {
        token = user.onChange(when: \.name) { user in }
        token = user.onChange(valuesOf: \.name) { old, new in }
        token = user.onChange(of: \.name, options: .initial) { change in }
        token = user.onChange(valueOf: \.name) { name in }
        token = user.onChange(of: \.name, options: [.immediate, .prior]) { change in
            print(change.isPrior)
        }
        token = user.onChange(whenText: "address.zipCode") { _ in }
        token = user.onChange(ofText: "address.zipCode") { _ in }
        token = user.onChange(valueOfText: "address.zipCode") { _ in }
        token = user.onChange(valuesOfText: "address.zipCode") { _, _ in }
        token?.cancel()
        token = nil
    }

    func bind(_ user: User, _ field: Field, _ formatter: Formatter) {
        binder = Binder(from: user, \.name, to: field, \.text)
        binder = Binder(from: user, \.age, to: field, \.text) { "\($0) years" }
        binder = Binder(from: user, \.age, to: field, \.text, by: Decimal())
        binder = Binder(from: user, \.age, to: field, \.text) { formatter.string(for: $0) ?? "" }
        binder = Binder(between: user, \.name, and: field, \.text)
        binder = Binder(between: user, \.age, and: field, \.text, by: Decimal())
        binder = Binder(from: user, \.name, to: field, \.text, whenUnreachable: "")
        binder?.cancel()
        binder = nil
    }
}

@MainActor func actions(_ user: User, _ label: Label) {
    user.tell(label, when: \.name) { label, _ in label.refresh() }
    user.tell(label, when: \.name) { label, user in label.show(user) }
    user.tell(label, when: \.name) { label, user in label.show(user, "name") }
    user.tell(label, of: \.name) { label, user, change in label.log(change) }
    user.tell(label, valuesOf: \.name) { label, user, old, new in label.log(user, old, new) }
    user.tell(label, when: \.name, options: .initial) { label, _ in label.refresh() }
    user.tell(label, valueOf: \.name) { label, _, name in label.show(name) }
    user.tell(label, valuesOf: \.name) { label, _, old, new in label.log(old, new) }
}

@MainActor func forks(_ user: User, _ owner: Label, _ queue: DispatchQueue) {
    user.tell(owner, when: \.name) { owner, user in }
    user.tell(owner, when: \.name, on: DeliveryLoop(queue: queue)) { @Sendable _, _ in }
    var tokens: Set<ObservationToken> = []
    user.onChange(when: \.name) { _ in }.store(in: &tokens)
    tokens.removeAll()
}
