// SPDX-License-Identifier: Apache-2.0
//
// A method that takes what no observation hands over, or of another object than the observer.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
}

final class Screen {
    func refresh() {}
    func show(_ name: String?) {}
    func show(exactly name: String) {}
    func show(_ user: User, _ path: Int) {}
    func next() async {}
}

actor Log {
    func add(_ name: String?) {}
}

func observe(_ user: User, _ screen: Screen, _ log: Log) {
    // expect: is unavailable: the method takes an element of the sequence as its only argument, or nothing
    user.values(of: \.name).tell(screen, calling: Screen.show(exactly:))
    user.values(of: \.age).tell(screen, calling: Screen.show(_:))
    // expect: no exact matches in call to instance method 'tell'
    user.values(of: \.name).tell(screen, calling: Screen.show(_:_:))
    // expect: invalid conversion from 'async' function
    user.values(of: \.name).tell(screen, calling: Screen.next)
    // expect: cannot convert value of type 'User' to expected argument type 'Screen'
    user.values(of: \.name).tell(user, calling: Screen.refresh)
    // expect: no exact matches in call to instance method 'tell'
    user.values(of: \.name).tell(log, calling: Log.add)
    // expect: type 'User' has no member 'show'
    // expect: generic parameter 'Result' could not be inferred
    user.values(of: \.name).tell(user, calling: User.show)
    // expect: no exact matches in call to instance method 'tell'
    user.values(of: \.name).tell(screen, calling: screen.refresh)
}
