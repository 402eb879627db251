// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of a block and of the other arguments: docs/messages.md.

import Dispatch
import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var age = 0
}

final class Cell {
    func show(_ name: String) {}
}

struct Value {}

func blocks(_ user: User, _ cell: Cell, _ token: ObservationToken, _ handle: ObservationHandle) {
    // expect: contextual closure type '@isolated(any) (Cell, User) -> Void' expects 2 arguments, but 1 was used in closure body
    user.tell(cell, when: \.name) { user in print(user) }
    // expect: contextual type for closure argument list expects 2 arguments, which cannot be implicitly ignored
    user.tell(cell, when: \.name) { print("changed") }
    // expect: contextual closure type '@isolated(any) (User) -> Void' expects 1 argument, but 2 were used in closure body
    _ = user.onChange(of: \.name) { old, new in print(old, new) }
    // expect: value of type 'User' has no member 'count'
    _ = user.onChange(of: \.name) { name in print(name.count) }
    // expect: contextual closure type '@isolated(any) (Cell, String?) -> Void' expects 2 arguments, but 1 was used in closure body
    user.values(of: \.name).tell(cell) { name in print(name) }
    // expect: contextual closure type '@isolated(any) (ObservedChange<User, String>) -> Void' expects 1 argument, but 2 were used in closure body
    _ = user.changes(of: \.name).onChange { old, new in print(old, new) }
    // expect: contextual closure type '@isolated(any) (Any?) -> Void' expects 1 argument, but 2 were used in closure body
    _ = user.values(of: \.name, \.age).onChange { name, age in print(name, age) }
    // expect: value of optional type 'User?' must be unwrapped to refer to member 'name' of wrapped base type 'User'
    _ = user.changes(of: \.name).onChange { change in print(change.object.name) }
    // expect: value of optional type 'String?' must be unwrapped to refer to member 'count' of wrapped base type 'String'
    _ = user.values(of: \.name).onChange { name in print(name.count) }
    _ = user.changes(of: \.nickname).onChange { change in print(change.new.count) }
    // expect: cannot convert value of type 'Int?' to expected argument type 'String'
    user.values(of: \.age).tell(cell) { cell, age in cell.show(age) }
    // expect: is unavailable: the method takes an element of the sequence as its only argument, or nothing
    user.values(of: \.name).call(Cell.show, of: cell)
    // expect: value of type 'AllInstances<User>' has no member 'values'
    // expect: cannot infer key path type from context
    User.allInstances.values(of: \.name).tell(cell) { _, _ in }
    // expect: value of optional type 'User?' must be unwrapped to refer to member 'name' of wrapped base type 'User'
    User.allInstances.instances(when: \.name).tell(cell) { cell, user in cell.show(user.name) }
    // expect: value of type 'AllInstances<User>' has no member 'tell'
    // expect: cannot infer key path type from context
    User.allInstances.tell(cell, when: \.name) { _, _ in }
    // expect: instance member 'tell' cannot be used on type 'User'; did you mean to use a value of this type instead?
    User.tell(cell, when: \.name) { _, _ in }
    // expect: instance method 'tell(_:when:_:on:options:comparing:label:file:line:isolation:perform:)' requires that 'Value' be a class type
    user.tell(Value(), when: \.name) { _, _ in }
    // expect: type 'DeliveryLoop?' has no member 'mian'
    user.tell(cell, when: \.name, on: .mian) { _, _ in }
    // expect: cannot convert value of type 'DispatchQueue' to expected argument type 'DeliveryLoop'
    user.tell(cell, when: \.name, on: DispatchQueue.main) { _, _ in }
    // expect: type 'ObservationOptions' has no member 'imediate'
    user.tell(cell, when: \.name, options: .imediate) { _, _ in }
    // expect: argument 'on' must precede argument 'options'
    user.tell(cell, when: \.name, options: .immediate, on: .main) { _, _ in }
    // expect: extra argument 'on' in call
    // expect: cannot infer contextual base in reference to member 'main'
    user.values(of: \.name, on: .main).tell(cell) { _, _ in }
    // expect: cannot convert value of type 'String' to expected argument type 'StaticString'
    user.tell(cell, when: \.name, label: "\(user.age)") { _, _ in }
    // expect: value of type 'ObservationToken' has no member 'stop'
    token.stop()
    // expect: value of type 'ObservationHandle' has no member 'cancel'
    handle.cancel()
}
