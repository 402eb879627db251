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
    user.values(of: \.name).call(Screen.show(exactly:), of: screen)
    user.values(of: \.age).call(Screen.show(_:), of: screen)
    // expect: no exact matches in call to instance method 'call'
    user.values(of: \.name).call(Screen.show(_:_:), of: screen)
    // expect: invalid conversion from 'async' function
    user.values(of: \.name).call(Screen.next, of: screen)
    // expect: cannot convert value of type 'User' to expected argument type 'Screen'
    user.values(of: \.name).call(Screen.refresh, of: user)
    // expect: no exact matches in call to instance method 'call'
    user.values(of: \.name).call(Log.add, of: log)
    // expect: type 'User' has no member 'show'
    // expect: generic parameter 'Result' could not be inferred
    user.values(of: \.name).call(User.show, of: user)
    // expect: no exact matches in call to instance method 'call'
    user.values(of: \.name).call(screen.refresh, of: screen)
}
