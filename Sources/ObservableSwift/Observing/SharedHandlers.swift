// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The handlers of a shared block: one for each kind of observer and root, seldom more
/// than one.
final class SharedHandlers: @unchecked Sendable {
    // Everything is constant but what stands in a lock.

    private let handlers = Locked<[Made]>([])
    /// The loop that was named: it is kept with the block.
    private let loop: DeliveryLoop?
    private let make: (Key) -> Handler

    /// The properties that a handler depends on.
    struct Key: Equatable, Sendable {
        let form: ObserverForm
        /// The bytes from a root to its header.
        let rootOffset: Int
    }

    private struct Made: @unchecked Sendable {
        let key: Key
        let handler: Handler
    }

    init(keeping loop: DeliveryLoop?, _ make: @escaping (Key) -> Handler) {
        self.loop = loop
        self.make = make
    }

    /// The handler for a kind of observer and root, made when it is first asked for. The isolation
    /// of the block may be an actor that answers with code of the program, so the handler is made
    /// outside of the lock; if two threads make one at once, the second is dropped.
    func handler(for form: ObserverForm, rootOffset: Int) -> Handler {
        let key = Key(form: form, rootOffset: rootOffset)
        if let known = handlers.withLock({ $0.first { $0.key == key } }) {
            return known.handler
        }
        let made = Made(key: key, handler: make(key))
        return handlers.withLock { handlers in
            if let known = handlers.first(where: { $0.key == made.key }) {
                return known
            }
            handlers.append(made)
            return made
        }.handler
    }

    /// The kinds of all handlers, by which a block is stopped.
    var kinds: [UnsafePointer<obv_handler_kind>] {
        handlers.withLock { $0 }.map(\.handler.kind)
    }
}
