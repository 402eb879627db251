// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which object a proxy is of. An address may be another object's later: the number tells.
struct ProxyIdentity: Hashable, Sendable {
    fileprivate let key: ProxyKey
    fileprivate let number: UInt64
}

/// An object, and the static type by which its proxy is asked for.
private struct ProxyKey: Hashable, Sendable {
    let object: ObjectIdentifier
    let type: ObjectIdentifier
}

/// The proxies that there are, by their objects.
enum Proxies {
    private struct Entry: @unchecked Sendable {
        let number: UInt64
        weak var proxy: AnyObject?
    }

    private struct Table: @unchecked Sendable {
        var entries: [ProxyKey: Entry] = [:]
        var last: UInt64 = 0
    }

    private static let table = Locked<Table>(Table())

    /// The proxy of an object, or else one that `make` makes.
    static func find<Object: AnyObject>(
        _ object: Object, as type: Object.Type,
        _ make: (ProxyIdentity) -> ObservableProxy<Object>
    ) -> ObservableProxy<Object> {
        let key = ProxyKey(object: ObjectIdentifier(object), type: ObjectIdentifier(type))
        if let there = present(key) as? ObservableProxy<Object>, there.object === object {
            return there
        }
        let identity = ProxyIdentity(key: key, number: nextNumber())
        let made = make(identity)
        // Another thread may have been faster.
        let kept = enter(made, identity) as? ObservableProxy<Object>
        return kept?.object === object ? kept! : made
    }

    /// A proxy ends.
    static func forget(_ identity: ProxyIdentity) {
        table.withLock { table in
            if table.entries[identity.key]?.number == identity.number {
                table.entries[identity.key] = nil
            }
        }
    }

    private static func present(_ key: ProxyKey) -> AnyObject? {
        let found = table.withLock { Found(object: $0.entries[key]?.proxy) }
        return found.object
    }

    private static func nextNumber() -> UInt64 {
        table.withLock { table in
            table.last += 1
            return table.last
        }
    }

    /// Enters a proxy, unless a living one of this very object is there; answers which it is.
    private static func enter<Object: AnyObject>(
        _ proxy: ObservableProxy<Object>, _ identity: ProxyIdentity
    ) -> AnyObject? {
        let made = Found(object: proxy)
        while true {
            // What is taken out of the table goes outside the lock: it may be the last reference.
            let there = present(identity.key)
            if let living = there as? ObservableProxy<Object>, living !== proxy,
                living.object != nil
            {
                return living
            }
            let known = there.map(ObjectIdentifier.init)
            let isEntered = table.withLock { table in
                let now = table.entries[identity.key]?.proxy
                if now.map(ObjectIdentifier.init) != known { return false }
                table.entries[identity.key] = Entry(number: identity.number, proxy: made.object)
                return true
            }
            withExtendedLifetime(there) {}
            if isEntered { return proxy }
        }
    }

    private struct Found: @unchecked Sendable {
        let object: AnyObject?
    }
}
