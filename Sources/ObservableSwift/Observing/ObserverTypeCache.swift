// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The classes of observers that are not observable, and whether they are ``DeallocationAware``: a
/// look-up costs less than to ask the runtime each time.
enum ObserverTypeCache {
    private static let types = Locked<[ObjectIdentifier: Bool]>([:])

    /// Whether a class is ``DeallocationAware``; nil: the cache does not have it.
    static func isDeallocationAware(_ type: AnyClass) -> Bool? {
        types.withLock { $0[ObjectIdentifier(type)] }
    }

    /// Adds a class that is not observable; answers whether it is ``DeallocationAware``.
    static func insert(_ type: AnyClass) -> Bool {
        let isAware = type is any DeallocationAware.Type
        types.withLock { $0[ObjectIdentifier(type)] = isAware }
        return isAware
    }
}
