// SPDX-License-Identifier: Apache-2.0
//
// An actor observes its own model: its blocks run in the actor and may use its state.

import ObservableSwift

final class Inbox: ObservableModel {
    @Observed var unread = 0
}

actor Mailbox {
    private let inbox = Inbox()
    private var calls = 0
    private let badge: AsyncStream<String>.Continuation

    init(badge: AsyncStream<String>.Continuation) {
        self.badge = badge
    }

    // 1. A block that is written in an actor runs in it. This one uses the actor's state, and so
    //    keeps the actor alive until the observation is stopped.
    func open() {
        inbox.tell(self, when: \.unread) { _, inbox in
            self.calls += 1
            self.badge.yield("\(inbox.unread) unread, call \(self.calls)")
        }
    }

    // 2. An actor does one thing at a time: the block is called after this method, once.
    func receive(_ count: Int) {
        for _ in 1...count {
            inbox.unread += 1
        }
    }

    func close() {
        inbox.stopTelling(self)
    }
}

// 3. No loop is drained here: the block is called as soon as the actor is free. What it says comes
//    through a stream, for which the program waits.
let (badges, badge) = AsyncStream.makeStream(of: String.self)
let mailbox = Mailbox(badge: badge)
await mailbox.open()
for count in [3, 2] {
    await mailbox.receive(count)
    print("\(count) messages come")
    for await text in badges.prefix(1) { print("  \(text)") }
}
await mailbox.close()
