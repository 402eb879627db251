// SPDX-License-Identifier: Apache-2.0
//
// One label, one form of block: an error in a block is told as one, not as one of the call.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var nickname: String?
}

func observe(_ user: User, _ observer: User) {
    // expect: value of type 'ObservedChange<User, String>' has no member 'previous'
    _ = user.onChange(of: \.name) { change in print(change.previous) }
    // expect: value of type 'User' has no member 'nmae'
    _ = user.onChange(when: \.name, \.nickname) { user in print(user.nmae) }
    // expect: value of type 'ObservationRecord<User>' has no member 'old'
    _ = user.onChange(recordOf: \.name, \.nickname) { record in print(record.old) }
    // expect: value of optional type 'String?' must be unwrapped to refer to member 'count'
    user.tell(observer, valueOf: \.nickname) { _, _, name in print(name.count) }
    // expect: value of type 'ObservedChange<User, String>' has no member 'previous'
    User.anyInstance.tell(observer, of: \.name) { _, change in print(change!.previous) }
    // expect: value of type 'User' has no member 'nmae'
    _ = User.anyInstance.onChange(valueOf: \.name) { user, name in print(user!.nmae) }
    // expect: value of optional type 'String?' must be unwrapped to refer to member 'count'
    _ = User.anyInstance.onChange(valuesOf: \.nickname) { _, old, new in print(old.count) }
}

/// A block without a place for nil is none of a class.
func share(_ observer: User) {
    let block = ObservationBlock { (_: User, _: User) in }
    // expect: cannot convert value of type 'ObservationBlock<User, User>'
    User.anyInstance.tell(observer, whenText: "name", block: block)
}
