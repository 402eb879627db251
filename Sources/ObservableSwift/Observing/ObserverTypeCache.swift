// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Classes of observers that are known not to be observable, and whether they are
/// ``DeallocationAware``: a look is cheaper than to ask the runtime each time.
enum ObserverTypeCache {
    private static let types = Locked<[ObjectIdentifier: Bool]>([:])

    /// Nil: it is not known to be one.
    static func hears(_ type: AnyClass) -> Bool? {
        types.withLock { $0[ObjectIdentifier(type)] }
    }

    /// Notes one; answers whether it is told of deaths.
    static func insert(_ type: AnyClass) -> Bool {
        let hears = type is any DeallocationAware.Type
        types.withLock { $0[ObjectIdentifier(type)] = hears }
        return hears
    }
}
