// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Finds the one object that stands for another object or for a value, as long as somebody holds
/// it: a proxy, or the container of a constant collection.
enum Representatives {
    /// The entry of a representative. Its word may belong to another entry later, which has another
    /// serial number.
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

    /// The representative for a word of a type, or a new one by `make`, whose `deinit` must forget
    /// the place.
    ///
    /// - Parameter isUsable: whether a present representative stands for the object that is meant.
    static func ensure<Object: AnyObject>(
        _ type: Any.Type, _ word: UInt, isUsable: (Object) -> Bool = { _ in true },
        make: (Place) -> Object?
    ) -> Object? {
        let key = Key(type: ObjectIdentifier(type), word: word)
        // The object is loaded outside of the lock, since ours may become its last reference. If
        // the object is at its end but its place is not yet forgotten, the entry is found without
        // an object.
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
            // Another thread has changed the entry meanwhile: look again.
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
