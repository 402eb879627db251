// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/observers-and-binders.md, as they stand there.

import Dispatch
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
    var binder: Binder?

    let bag = ObservationBag()

    func refresh() {}
    func show(_ user: User) {}
    func note(_ user: User, _ path: String) {}
    func add(_ user: User, _ path: String, _ record: ObservationRecord<User>) {}
    func log(_ user: User, _ path: String, _ old: String?, _ new: String?) {}
    func rename(_ name: String?) {}
    func replace(_ old: String?, _ new: String?) {}

    func observe(_ user: User) {
        token = user.onChange(to: \.name) {}
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
        binder = field.receive(\.text, from: user, \.age).filter { $0 > 0 }.map { "\($0)" }.start()
        binder = Binder(between: user, \.name, and: field, \.text)
        binder = Binder(between: user, \.age, and: field, \.text, by: Decimal())
        binder = Binder(from: user, \.name, to: field, \.text, whenUnreachable: "")
        binder?.cancel()
        binder = nil
    }
}

@MainActor func actions(_ user: User, _ label: Label) {
    var token: ObservationToken?
    token = user.onChange(of: \.name, call: TargetMethod(Label.refresh, of: label))
    token = user.onChange(of: \.name, call: TargetMethod(Label.show, of: label))
    token = user.onChange(of: \.name, call: TargetMethod(Label.note, of: label))
    token = user.onChange(of: \.name, call: TargetMethod(Label.add, of: label))
    token = user.onChange(of: \.name, call: TargetMethod(Label.log, of: label))
    token = user.onChange(
        of: \.name, options: .initial, call: TargetMethod(Label.rename, of: label))
    token = user.onChange(of: \.name, call: TargetMethod(Label.replace, of: label))
    token?.cancel()
    user.tell(label, when: \.name) { label, user in label.show(user) }
    user.tell(label, valuesOf: \.name) { label, user, old, new in }
}

@MainActor func forks(_ user: User, _ owner: Label, _ queue: DispatchQueue) {
    user.tell(owner, when: \.name) { owner, user in }
    user.tell(owner, when: \.name, on: DeliveryLoop(queue: queue)) { @Sendable _, _ in }
    let operations = OperationQueue()
    user.tell(owner, when: \.name, on: DeliveryLoop(operationQueue: operations)) {
        @Sendable _, _ in
    }
    let bag = ObservationBag()
    user.onChange(when: \.name) { _ in }.store(in: bag)
    bag.cancelAll()
}
