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

struct Decimal: ValueConverter {
    struct NoNumber: Error {}

    nonisolated init() {}
    nonisolated func convert(_ value: Int) -> String { "\(value)" }
    nonisolated func convertBack(_ value: String) throws -> Int {
        guard let number = Int(value) else { throw NoNumber() }
        return number
    }
}

@MainActor final class Label: Sendable {
    var token: ObservationToken?
    var binder: ObservationToken?

    let bag = ObservationBag()

    func refresh() {}
    func rename(_ name: String?) {}
    func log(_ change: ObservedChange<User, String>) {}
    func add(_ record: ObservationRecord<User>) {}

    func observe(_ user: User) {
        token = user.onChange(of: \.name) { _ in }
        token = user.onChange(of: \.name) { user in }
        token = user.changes(of: \.name).onChange { change in }
        token = user.changes(of: \.name).options(.initial).onChange { change in }
        token = user.values(of: \.name).onChange { name in }
        token = user.changes(of: \.name).options([.immediate, .prior]).onChange { change in
            print(change.isPrior)
        }
        token = user.onChange(of: \.[text: "address.zipCode"]) { _ in }
        token = user.changes(of: \.[text: "address.zipCode"]).onChange { _ in }
        token = user.values(of: \.[text: "address.zipCode"]).onChange { _ in }
        token?.cancel()
        token = nil
    }

    func follow(_ user: User, _ field: Field, _ formatter: Formatter) {
        binder = user.values(of: \.name).assign(to: \.text, of: field)
        binder = user.values(of: \.age).compactMap { $0 }.map { "\($0) years" }
            .assign(to: \.text, of: field)
        binder = user.values(of: \.age).compactMap { $0 }.map { Decimal().convert($0) }
            .assign(to: \.text, of: field)
        binder = user.values(of: \.age).compactMap { $0 }.map { formatter.string(for: $0) ?? "" }
            .assign(to: \.text, of: field)
        binder = user.values(of: \.age).compactMap { $0 }.filter { $0 > 0 }.map { "\($0)" }
            .assign(to: \.text, of: field)
        binder = bind(user, \.name, field, \.text)
        binder = bind(user, \.age, field, \.text, converting: Decimal())
        binder = user.values(of: \.name).replaceUnreachable(with: "")
            .assign(to: \.text, of: field)
        binder?.cancel()
        binder = nil
    }
}

@MainActor func actions(_ user: User, _ label: Label) {
    user.changes(of: \.name).call(Label.refresh, of: label)
    user.values(of: \.name).call(Label.rename, of: label)
    user.changes(of: \.name).call(Label.log, of: label)
    user.changes(of: \.name).map(\.new).call(Label.rename, of: label)
    user.record(of: \.name).call(Label.add, of: label)
    user.tell(label, when: \.name) { label, user in label.refresh() }
    user.changes(of: \.name).tell(label) { label, change in label.log(change) }
}

@MainActor func forks(_ user: User, _ owner: Label, _ queue: DispatchQueue) {
    user.tell(owner, when: \.name) { owner, user in }
    user.tell(owner, when: \.name, on: DeliveryLoop(queue: queue)) { @Sendable _, _ in }
    let operations = OperationQueue()
    user.tell(owner, when: \.name, on: DeliveryLoop(operationQueue: operations)) {
        @Sendable _, _ in
    }
    let bag = ObservationBag()
    user.onChange(of: \.name) { _ in }.store(in: bag)
    bag.cancelAll()
}
