// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The objects that stand for others, or for values, one for each as long as somebody holds it: proxies,
/// and containers of constant collections.
enum Representatives {
    /// Where one stands. A word may be another's later: the serial tells.
    struct Place: Sendable {
        fileprivate let key: Key
        fileprivate let serial: UInt64
    }

    fileprivate struct Key: Hashable {
        let type: ObjectIdentifier
        let word: UInt
    }

    private struct Entry {
        weak var object: AnyObject?
        let serial: UInt64
    }

    private static let entries = Locked<[Key: Entry]>([:])
    private static let serials = Atomic<UInt64>(0)

    /// The one for a word of a type, or else one that `make` makes, which gives its place back at its end.
    ///
    /// - Parameter isUsable: whether the one that there is stands for what is meant.
    static func ensure<Object: AnyObject>(
        _ type: Any.Type, _ word: UInt, isUsable: (Object) -> Bool = { _ in true },
        make: (Place) -> Object?
    ) -> Object? {
        let key = Key(type: ObjectIdentifier(type), word: word)
        // It is taken outside of the lock: its last reference may be ours. One that is at its end and has
        // yet to give its place back is found without it.
        func find() -> (object: Object?, serial: UInt64?) {
            let entry = entries.withLock { $0[key] }
            let object = entry?.object as? Object
            return (object.flatMap { isUsable($0) ? $0 : nil }, entry?.serial)
        }
        var found = find()
        if let object = found.object { return object }
        let place = Place(key: key, serial: serials.add(1, ordering: .relaxed).newValue)
        guard let made = make(place) else { return nil }
        while true {
            let isEntered = entries.withLock { entries in
                guard entries[key]?.serial == found.serial else { return false }
                entries[key] = Entry(object: made, serial: place.serial)
                return true
            }
            if isEntered { return made }
            // Another thread was quicker.
            found = find()
            if let object = found.object { return object }
        }
    }

    static func forget(_ place: Place) {
        entries.withLock { entries in
            if entries[place.key]?.serial == place.serial { entries[place.key] = nil }
        }
    }
}
