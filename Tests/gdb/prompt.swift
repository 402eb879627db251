// SPDX-License-Identifier: Apache-2.0

// A program in Swift that is looked at in gdb: swift.sh. At rest() it has something of each
// sort; then it goes on into a set and a drain.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String? = "1010"
    @Observed var city = "a name of a city that has no room in two words"
}
final class User: ObservableModel {
    @Observed var name = "Ada"
    @Observed var age = 40
    @Observed var address: Address?
    @Observed var none: Address?
    @Observed var songs: ObservableArray<Address> = []
    @Computed({ (user: User) in 2 * user.age }) var twice: Int
    @Computed({ (user: User) in 2 * user.twice }) var four: Int
    @Computed({ (user: User) in 3 * user.age }) var never: Int
}
class Shape { var sides = 4 }
final class Square: Shape, ObservableHost {
    let observation = ObservationHeader()
    @Observed var side = 1
}

@inline(never) func rest(_ user: User, _ token: ObservationToken, _ gone: ObservationToken) {}

@inline(never) func moveHouse(_ user: User, _ home: Address) {
    withObservationCause { user.address = home }
}

@main struct Prompt {
    static func main() {
        let user = User(), first = Address(), second = Address(), square = Square(), unmet = User()
        second.zipCode = "1020"
        user.address = first
        user.songs.append(second)
        let token = user.record(of: \.address?.zipCode).named("zip").onChange { _ in }
        let gone = user.onChange(of: \.name) { _ in }
        let doubled = user.values(of: \.twice).named("doubled").onChange { _ in }
        let side = square.onChange(of: \.side) { _ in }
        let song = user.onChange(of: \.songs.each.zipCode) { _ in }
        _ = user.four
        gone.cancel()
        user.age = 41
        moveHouse(user, second)
        rest(user, token, gone)
        moveHouse(user, first)
        DeliveryLoop.main.drain()
        withExtendedLifetime((token, gone, doubled, side, song, unmet)) {}
        print("went on to its end")
    }
}
