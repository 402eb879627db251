// SPDX-License-Identifier: Apache-2.0
//
// A method that takes what no observation hands over, or of another object than the target.

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
    // expect: no exact matches in call to initializer
    _ = user.onChange(of: \.name, call: TargetMethod(Screen.show(exactly:), of: screen))
    // expect: cannot convert value of type '@Sendable (Screen) -> (String?) -> ()' to expected argument type
    _ = user.onChange(of: \.age, call: TargetMethod(Screen.show(_:), of: screen))
    // expect: no exact matches in call to initializer
    _ = user.onChange(of: \.name, call: TargetMethod(Screen.show(_:_:), of: screen))
    // expect: invalid conversion from 'async' function
    _ = user.onChange(of: \.name, call: TargetMethod(Screen.next, of: screen))
    // expect: cannot convert value of type 'User' to expected argument type 'Screen'
    _ = user.onChange(of: \.name, call: TargetMethod(Screen.refresh, of: user))
    // expect: no exact matches in call to initializer
    _ = user.onChange(of: \.name, call: TargetMethod(Log.add, of: log))
    // expect: type 'User' has no member 'show'
    _ = user.onChange(of: \.name, call: TargetMethod(User.show, of: user))
    // expect: cannot convert value of type '() -> ()' to expected argument type
    _ = user.onChange(of: \.name, call: screen.refresh)
}
