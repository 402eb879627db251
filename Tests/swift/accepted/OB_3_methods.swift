// SPDX-License-Identifier: Apache-2.0
//
// Methods of a target, isolated as their class is or to nothing, from every isolation.

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
    func note(_ user: User, _ path: String) { text = path + user.name }
    func note(_ user: User, _ path: String, _ old: String?, _ new: String?) { text = old ?? new }
    func add(_ user: User, _ path: String, _ record: ObservationRecord<User>) {
        text = record.entries.first?.path
    }
    func replace(_ old: String?, _ new: String?) { text = new ?? old }
    func greet(_ friend: User?) { text = friend?.name }
    func any(_ old: Any?, _ new: Any?) { text = new as? String }
    nonisolated func ignore() {}

    func begin(_ user: User) {
        bag.cancelAll()
        user.onChange(of: \.name, call: TargetMethod(Cell.refresh, of: self)).store(in: bag)
        user.onChange(of: \.name, call: TargetMethod(Cell.ignore, of: self)).store(in: bag)
        user.onChange(
            of: \.friend?.nickname, options: .initial,
            call: TargetMethod(Cell.replace, of: self)
        ).store(in: bag)
        user.onChange(of: \.friend, call: TargetMethod(Cell.greet, of: self)).store(in: bag)
        user.onChange(
            of: \.name, call: TargetMethod(Cell.show as (Cell) -> (User) -> Void, of: self)
        ).store(in: bag)
        user.onChange(
            of: \.name, call: TargetMethod(Cell.note(_:_:_:_:), of: self)
        ).store(in: bag)
        user.onChange(ofText: "name", call: TargetMethod(Cell.note(_:_:), of: self))
            .store(in: bag)
        user.onChange(ofText: "name", call: TargetMethod(Cell.any, of: self)).store(in: bag)
        user.onChange(ofText: "*", call: TargetMethod(Cell.add, of: self)).store(in: bag)
        user.onChange(to: \.name, \.friend?.name) { [weak self] in self?.refresh() }
            .store(in: bag)
        user.onChange(toText: "name", "nickname") { [weak self] in self?.refresh() }
            .store(in: bag)
        bag.insert { print("ended") }
    }
}

/// From another isolation than the method's.
nonisolated func observe(_ user: User, _ cell: Cell) -> ObservationToken {
    user.onChange(of: \.name, call: TargetMethod(Cell.refresh, of: cell))
}
