// SPDX-License-Identifier: Apache-2.0
//
// Models without an isolation, of the main actor, of any thread, in actors.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
}

class User: ObservableModel {
    @Observed var name = ""
    @Observed var address: Address?
    @Observed private(set) var age = 0
    @ObservedWeak var friend: User?
    let home = Address()

    init(name: String) {
        super.init()
        self.name = name
    }
}

final class Child: User {
    @Observed var parent: User?
}

@MainActor final class Page: ObservableModel, Sendable {
    @Observed var text = ""
    @Observed var next: Page?

    nonisolated override init() {
        super.init()
    }
}

final class Progress: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var fraction = 0.0
    @ObservedAtomic var title = ""
}

class GaugeProperties: ObservableModel {
    @ObservedAtomic var level = 0
}

final class Gauge: GaugeProperties, @unchecked Sendable {}

final class Box<Value>: ObservableModel {
    @Observed var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

actor Account: ObservableHost {
    nonisolated let observation = ObservationHeader()
    @Observed private(set) var balance = 0

    func pay(_ amount: Int) {
        balance += amount
    }
}

nonisolated func keep<Value: Sendable>(_ value: Value) {}

nonisolated func plain() {
    let user = User(name: "a")
    user.name = "b"
    user.address?.zipCode = "1"
    let child = Child(name: "c")
    child.parent = user
    Box(1).value = 2
}

nonisolated func everywhere(_ page: Page, _ progress: Progress, _ gauge: Gauge, _ account: Account)
    async
{
    keep(page)
    keep(progress)
    keep(gauge)
    keep(account)
    Task.detached {
        progress.fraction = 1
        gauge.level += 1
        gauge.$level.update { $0 += 1 }
        await account.pay(1)
    }
}

@MainActor func onMain(_ page: Page) {
    page.text = "a"
    page.next = Page()
    plain()
}
