// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The handlers of a shared block: one for each kind of observer and root, hardly ever more than one.
final class SharedHandlers<Kept: Handler>: @unchecked Sendable {
    // Everything is constant but what stands in a lock.

    private let handlers = Locked<[Made]>([])
    /// The loop that was named: it is kept with the block.
    private let loop: DeliveryLoop?
    private let make: (Key) -> Kept

    /// What a handler is made for.
    struct Key: Equatable, Sendable {
        let form: ObserverForm
        /// Where the roots' headers lie; nil: at each instance of a class where it has it.
        let rootOffset: Int?
    }

    private struct Made: @unchecked Sendable {
        let key: Key
        let handler: Kept
    }

    init(keeping loop: DeliveryLoop?, _ make: @escaping (Key) -> Kept) {
        self.loop = loop
        self.make = make
    }

    /// The handler of a kind of observer and root, made with the first use of it. If two threads come
    /// at once, one has made its handler in vain: the isolation of the block may be an actor that
    /// answers with code of the program, so it is made outside of the lock.
    func handler(for form: ObserverForm, rootOffset: Int?) -> Kept {
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

    /// Every handler that was made: what stopping goes through.
    var kinds: [UnsafePointer<obv_handler_kind>] {
        handlers.withLock { $0 }.map(\.handler.kind)
    }
}
