// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Classes of observers that are known not to be observable: a look is cheaper than to ask the
/// runtime each time.
enum NoHosts {
    private static let types = Locked<Set<ObjectIdentifier>>([])

    static func contain(_ type: AnyClass) -> Bool {
        types.withLock { $0.contains(ObjectIdentifier(type)) }
    }

    static func insert(_ type: AnyClass) {
        types.withLock { _ = $0.insert(ObjectIdentifier(type)) }
    }
}
