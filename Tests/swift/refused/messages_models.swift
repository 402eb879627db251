// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told of a model and of a proxy: docs/messages.md.

import ObservableSwift

/// The compiler has no place for it: the accessors are its own.
final class Plain {
    // expect: requires that 'Plain' conform to 'ObservableHost'
    @Observed var count = 0
}

// expect: type 'Row' does not conform to protocol 'ObservableHost'
final class Row: ObservableHost {
    @Observed var title = ""
}

final class Shared: ObservableModel, @unchecked Sendable {
    // expect: 'nonisolated' cannot be applied to mutable stored properties
    @Observed var count = 0
}

struct Size {
    // expect: 'wrappedValue' is unavailable: @Observed works in classes only
    @Observed var width = 0
}

// expect: type 'Account' does not conform to protocol 'Decodable'
// expect: type 'Account' does not conform to protocol 'Encodable'
final class Account: ObservableModel, Codable {
    @Observed var net = 0
    @Computed({ (account: Account) in account.net * 2 }) var gross: Int
}

protocol Delegate: AnyObject {}

final class User: ObservableModel {
    var plain = ""
    @Observed var name = ""
    @Observed lazy var age = 0  // expect: property 'age' with a wrapper cannot also be lazy
    @Observed let id = 0  // expect: property wrapper can only be applied to a 'var'
    // expect: property 'friend' with a wrapper cannot also be weak
    @Observed weak var friend: User?
    // expect: generic struct 'ObservedWeak' requires that 'any Delegate' be a class type
    @ObservedWeak var delegate: (any Delegate)?
    // expect: type 'Holder' does not conform to the 'Sendable' protocol
    @ObservedAtomic var holder = Holder()
}

final class Holder {
    var title = ""
}

func models(_ holder: Holder, _ observer: Holder, _ proxy: ObservableProxy<Holder>) {
    // expect: value of type 'Holder' has no member 'tell'
    // expect: cannot infer key path type from context
    holder.tell(observer, when: \.title) { _, _ in }
    // expect: setter for 'subscript(dynamicMember:)' is unavailable: a proxy sets by `set(\.title, to: value)`
    proxy.title = "x"
    // expect: value of type 'ObservableProxy<Holder>' has no dynamic member 'titel' using key path from root type 'Holder'
    print(proxy.titel ?? "")
}
