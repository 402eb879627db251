// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The handlers of a shared block: one for each key, hardly ever more than one.
final class SharedHandlers<Key: Equatable, Kept: Handler>: Sendable {
    private let handlers = Locked<[Made]>([])

    private struct Made: @unchecked Sendable {
        let key: Key
        let handler: Kept
    }

    /// The handler of a key, made with the first use of it. Of two threads that come at once one
    /// has made its handler in vain: the isolation of the block may be an actor that answers with
    /// code of the program, so it is made outside of the lock.
    func handler(for key: Key, _ make: () -> Kept) -> Kept {
        let key = Asked(key: key)
        if let known = handlers.withLock({ $0.first { $0.key == key.key } }) {
            return known.handler
        }
        let made = Made(key: key.key, handler: make())
        return handlers.withLock { handlers in
            if let known = handlers.first(where: { $0.key == made.key }) {
                return known
            }
            handlers.append(made)
            return made
        }.handler
    }

    private struct Asked: @unchecked Sendable {
        let key: Key
    }

    var kinds: [UnsafePointer<obv_handler_kind>] {
        handlers.withLock { $0 }.map(\.handler.kind)
    }
}
