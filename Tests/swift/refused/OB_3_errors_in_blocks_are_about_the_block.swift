// SPDX-License-Identifier: Apache-2.0
//
// An error in a block or a step is told as one, not as one of the call.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var nickname: String?
}

final class Cell {}

func observe(_ user: User, _ cell: Cell) {
    // expect: value of type 'ObservedChange<User, String>' has no member 'previous'
    _ = user.changes(of: \.name).onChange { change in print(change.previous) }
    _ = User.allInstances.changes(of: \.name).onChange { change in print(change!.previous) }
    // expect: value of type 'User' has no member 'nmae'
    _ = user.onChange(of: \.name, \.nickname) { user in print(user.nmae) }
    user.tell(cell, when: \.name) { _, user in print(user.nmae) }
    _ = user.tracking { user in user.nmae }.onChange { name in print(name) }
    // expect: value of type 'ObservationRecord<User>' has no member 'old'
    _ = user.record(of: \.name, \.nickname).onChange { record in print(record.old) }
    // expect: value of optional type 'String?' must be unwrapped to refer to member 'count'
    user.values(of: \.nickname).tell(cell) { _, name in print(name.count) }
    // expect: value of optional type 'ObservedChange<User, String>?' must be unwrapped to refer to member 'new'
    User.allInstances.changes(of: \.name).tell(cell) { _, change in print(change.new) }
    // expect: value of type 'Cell' has no member 'shwo'
    user.tell(cell, when: \.name) { cell, user in cell.shwo(user) }
    user.values(of: \.name).tell(cell) { cell, name in cell.shwo(name) }
}

/// Steps, and what is behind them.
func step(_ user: User, _ cell: Cell, _ observer: User) {
    // expect: value of type 'Cell' has no member 'shwo'
    user.values(of: \.name).map { $0 ?? "" }.tell(cell) { cell, name in cell.shwo(name) }
    user.tracking { user in user.name }.tell(cell) { cell, name in cell.shwo(name) }
    // expect: value of type 'User' has no member 'shwo'
    _ = user.values(of: \.name).assign(to: \.nickname, of: observer) { user in user.shwo() }
    // expect: reference to member 'shwo' cannot be resolved without a contextual type
    user.values(of: \.name).tell(observer) { observer, name in observer.shwo(name) }
    // expect: value of type 'String' has no member 'cuont'
    _ = user.values(of: \.name).replaceUnreachable(with: "").map { $0.cuont }.onChange { print($0) }
    _ = user.values(of: \.name).map { $0?.cuont }.onChange { count in print(count) }
    // expect: value of type 'ObservedChange<User, String>' has no member 'previous'
    _ = user.changes(of: \.name).compactMap { $0.previous }.onChange { print($0) }
    // expect: cannot convert value of type 'Int' to closure result type 'Bool'
    _ = user.values(of: \.name).compactMap { $0 }.filter { $0.count }.onChange { print($0) }
    // expect: contextual closure type '@isolated(any) (Cell, String) -> Void' expects 2 arguments, but 1 was used
    user.values(of: \.name).map { $0 ?? "" }.tell(cell) { name in print(name) }
}
