// SPDX-License-Identifier: Apache-2.0
//
// Methods of an observer, isolated as their class is or to nothing, from every isolation.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var friend: User?

    nonisolated override init() {}
}

@MainActor
final class Cell {
    var text: String?
    private let bag = ObservationBag()

    func refresh() { text = nil }
    func show(_ name: String?) { text = name }
    func show(_ user: User) { text = user.name }
    func note(_ change: ObservedChange<User, String>) { text = change.new ?? change.old }
    func add(_ record: ObservationRecord<User>) { text = record.entries.first?.path }
    func greet(_ friend: User?) { text = friend?.name }
    func any(_ value: Any?) { text = value as? String }
    func every(_ change: ObservedChange<User, String>?) { text = change?.new }
    nonisolated func ignore() {}

    func begin(_ user: User) {
        user.values(of: \.name).call(Cell.refresh, of: self)
        user.values(of: \.name).call(Cell.ignore, of: self)
        user.values(of: \.friend?.nickname).call(Cell.show, of: self)
        user.values(of: \.friend).call(Cell.greet, of: self)
        user.values(of: \.friend).compactMap { $0 }.call(Cell.show, of: self)
        user.changes(of: \.name).options(.initial).call(Cell.note, of: self)
        user.values(of: \.[text: "name"]).call(Cell.any, of: self)
        user.record(of: \.[text: "*"]).call(Cell.add, of: self)
        user.record(of: \.name, \.friend?.name).call(Cell.refresh, of: self)
        user.tracking { user in user.name }.map { $0 as String? }
            .call(Cell.show, of: self)
        User.allInstances.changes(of: \.name).call(Cell.every, of: self)
        user.onChange(of: \.name, \.friend?.name) { [weak self] _ in self?.refresh() }
            .store(in: bag)
        bag.insert { print("ended") }
    }
}

/// From another isolation than the method's.
nonisolated func observe(_ user: User, _ cell: Cell) -> ObservationHandle {
    user.values(of: \.name).call(Cell.refresh, of: cell)
}
