// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// Tokens: who keeps them, and in which order things end.
@Suite struct TokenTests {
    private let loop = DeliveryLoop()

    /// Keeps what it observes with.
    private final class Screen {
        var token: ObservationToken?
        var seen: [String] = []
        private let died: Probe

        init(_ died: Shared<Int>) {
            self.died = Probe(died)
        }

        deinit { died.stay() }
    }

    private final class Owner: ObservableModel {
        @Observed var name = ""
        var token: ObservationToken?
        private let died: Probe

        init(_ died: Shared<Int>) {
            self.died = Probe(died)
        }
    }

    private let died = Shared(0)

    @Test func OB_6_no_call_of_the_old_one_after_token_is_replaced() {
        let owner = Owner(died)
        var calls: [String] = []
        var token = owner.onChange(of: \.name, on: loop) { _ in calls.append("old") }
        owner.name = "a"
        token = owner.onChange(of: \.name, on: loop) { _ in calls.append("new") }
        #expect(loop.drain() == 0)
        owner.name = "b"
        loop.drain()
        #expect(calls == ["new"])
        withExtendedLifetime(token) {}
    }

    /// The block of the old one replaces it: it returns, and is not entered again.
    @Test func OB_6_replaced_by_its_own_block() {
        let owner = Owner(died)
        var calls: [String] = []
        owner.token = owner.onChange(of: \.name, on: loop) { owner in
            calls.append("old")
            owner.token = owner.onChange(of: \.name, on: self.loop) { _ in calls.append("new") }
            owner.name = "b"
        }
        owner.name = "a"
        loop.drain()
        loop.drain()
        #expect(calls == ["old", "new"])
    }

    @Test func OB_1_dropping_ends_it_and_neither_end_is_kept() {
        weak var root: Owner?
        var token: ObservationToken?
        func begin() {
            let owner = Owner(died)
            root = owner
            token = owner.changes(of: \.name).on(loop).onChange { _ in }
        }
        begin()
        #expect(root == nil && token?.hasEnded == true)
        #expect(died.value == 1)
        let owner = Owner(died)
        token = owner.changes(of: \.name).on(loop).onChange { _ in }
        #expect(owner.numberOfObservers(of: "name") == 1)
        token = nil
        #expect(owner.numberOfObservers(of: "name") == 0)
    }

    @Test func OB_6_kept_by_the_observed_object() {
        var calls = 0
        func begin() {
            let owner = Owner(died)
            owner.token = owner.changes(of: \.name).on(loop).onChange { _ in calls += 1 }
            owner.name = "a"
            loop.drain()
            // Pending at its end: it is held until it has been called.
            owner.name = "b"
        }
        begin()
        loop.drain()
        #expect(calls == 2 && died.value == 1)
    }

    @Test func OB_6_kept_by_the_observer_in_every_order() {
        for order in 0..<3 {
            let died = Shared(0)
            var owner: Owner? = Owner(died)
            var screen: Screen? = Screen(died)
            screen?.token = owner?.changes(of: \.name).map { $0.new }.on(loop).onChange {
                [weak screen] name in
                screen?.seen.append(name ?? "")
            }
            owner?.name = "a"
            loop.drain()
            #expect(screen?.seen == ["a"])
            owner?.name = "b"
            switch order {
            case 0:
                screen = nil
                owner = nil
            case 1:
                owner = nil
                screen = nil
            default:
                screen?.token = nil
                owner = nil
                screen = nil
            }
            loop.drain()
            #expect(died.value == 2)
        }
    }

    /// Two objects that keep each other's tokens.
    @Test func OB_6_kept_crosswise() {
        func begin() {
            let (first, second) = (Owner(died), Owner(died))
            first.token = second.changes(of: \.name).on(loop).onChange { _ in }
            second.token = first.changes(of: \.name).on(loop).onChange { _ in }
            first.name = "a"
            second.name = "b"
        }
        begin()
        loop.drain()
        #expect(died.value == 2)
    }
}
