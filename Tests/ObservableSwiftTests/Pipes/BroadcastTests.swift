// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct BroadcastTests {
    private let loop = DeliveryLoop()
    private let user = PipeUser()

    @Test func BI_4_an_object_posts_the_changes_of_its_property() {
        var posted: [String] = []
        let token = user.broadcast(\.first, on: loop) { user, name in
            posted.append("\(name ?? "–") \(user.last)")
        }
        loop.settle()
        #expect(posted.isEmpty)
        user.first = "Bea"
        user.first = "Cay"
        user.last = "Dee"
        loop.settle()
        #expect(posted == ["Cay Dee"])
        user.first = "Cay"
        loop.settle()
        #expect(posted.count == 1)
        token.cancel()
        user.first = "Eve"
        loop.settle()
        #expect(posted.count == 1)
    }

    @Test func BI_4_a_path_may_lead_through_objects_and_the_present_value_be_asked_for() {
        var posted: [String?] = []
        let token = user.broadcast(\.address?.zipCode, on: loop, options: .initial) { _, code in
            posted.append(code)
        }
        loop.settle()
        user.address = PipeAddress()
        loop.settle()
        #expect(posted == [nil, "10115"])
        withExtendedLifetime(token) {}
    }

    @Test func BI_8_stopping_a_path_ends_all_its_posts_and_nothing_else() {
        var called: [String] = []
        let tokens = [
            user.broadcast(\.first, on: loop) { _, _ in called.append("first") },
            user.broadcast(\.first, on: loop) { _, _ in called.append("again") },
            user.broadcast(\.last, on: loop) { _, _ in called.append("last") },
            user.broadcast(\.address?.zipCode, on: loop) { _, _ in called.append("zip") },
            user.onChange(when: \.first, on: loop) { _ in called.append("token") },
        ]
        let handle = user.tell(user, when: \.first, on: loop) { _, _ in called.append("tell") }
        let binder = PipeLabel().receive(\.text, from: user, \.first, on: loop).start()
        user.first = "Bea"
        user.stopBroadcasting(\.first)
        user.stopBroadcasting(\.first)
        user.last = "Cox"
        user.address = PipeAddress()
        loop.settle()
        #expect(called == ["token", "tell", "last", "zip"])
        #expect(tokens.map(\.hasEnded) == [true, true, false, false, false])
        called = []
        user.stopBroadcasting(\.address?.zipCode)
        user.address?.zipCode = "1"
        loop.settle()
        #expect(called == [])
        user.stopBroadcasting()
        user.last = "Dee"
        loop.settle()
        #expect(called == [])
        withExtendedLifetime((tokens, handle, binder)) {}
    }

    @Test func BI_4_a_post_keeps_nobody() {
        let died = Shared(0)
        var owner: PipeUser? = PipeUser(probe: Probe(died))
        let probe = Probe(died)
        var token: ObservationToken? = owner!.broadcast(\.first, on: loop) { [probe] owner, _ in
            probe.stay()
            owner.first = "never"
        }
        owner = nil
        #expect(died.value == 1)
        #expect(token?.hasEnded == true)
        token = nil
        loop.settle()
        withExtendedLifetime(probe) {}
    }

    @Test func BI_4_a_token_may_be_dropped_inside_its_own_block() {
        var calls = 0
        var token: ObservationToken?
        token = user.broadcast(\.first, on: loop) { user, _ in
            calls += 1
            token = nil
            user.first = "again"
        }
        user.first = "Bea"
        loop.settle()
        #expect(calls == 1)
        #expect(token == nil)
        let other = user.broadcast(\.first, on: loop) { user, _ in
            calls += 1
            user.stopBroadcasting(\.first)
            user.first = "once more"
        }
        user.first = "Cay"
        loop.settle()
        #expect(calls == 2)
        #expect(other.hasEnded)
    }

    @Test @MainActor func BI_4_a_block_is_called_in_its_isolation() {
        var posted: [String?] = []
        let user = PipeUser()
        let token = user.broadcast(\.first) { _, name in posted.append(name) }
        user.first = "Bea"
        DeliveryLoop.main.settle()
        #expect(posted == ["Bea"])
        let apart = user.broadcast(\.first, on: DeliveryLoop(actor: Anywhere())) { _, name in
            posted.append(name)
        }
        #expect(apart.failure?.kind == .isolation)
        withExtendedLifetime(token) {}
    }
}

private actor Anywhere {}
