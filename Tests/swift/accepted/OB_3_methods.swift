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
        user.values(of: \.name).tell(self, calling: Cell.refresh)
        user.values(of: \.name).tell(self, calling: Cell.ignore)
        user.values(of: \.friend?.nickname).tell(self, calling: Cell.show)
        user.values(of: \.friend).tell(self, calling: Cell.greet)
        user.values(of: \.friend).compactMap { $0 }.tell(self, calling: Cell.show)
        user.changes(of: \.name).options(.initial).tell(self, calling: Cell.note)
        user.values(of: \.[text: "name"]).tell(self, calling: Cell.any)
        user.record(of: \.[text: "*"]).tell(self, calling: Cell.add)
        user.record(of: \.name, \.friend?.name).tell(self, calling: Cell.refresh)
        user.tracking { user in user.name }.map { $0 as String? }
            .tell(self, calling: Cell.show)
        User.anyInstance.changes(of: \.name).tell(self, calling: Cell.every)
        user.onChange(of: \.name, \.friend?.name) { [weak self] _ in self?.refresh() }
            .store(in: bag)
        bag.insert { print("ended") }
    }
}

/// From another isolation than the method's.
nonisolated func observe(_ user: User, _ cell: Cell) -> KeyValueObservation {
    user.values(of: \.name).tell(cell, calling: Cell.refresh)
}
