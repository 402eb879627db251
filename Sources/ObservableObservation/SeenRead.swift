// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation

/// Something of ours that was read while Observation tracked: to that a subject with one property.
final class SeenRead: Observable, @unchecked Sendable {
    // The watch is set before anybody else knows the object, the registrar has locks of its own, and the
    // rest is looked at under the lock of all of them.

    private let registrar = ObservationRegistrar()
    private let place: ReadPlace
    private var watch: ReadWatch?
    /// Kept elsewhere only while Observation is told of the property, and as long as it tracks a read of
    /// it or waits for its change: nobody else has this key path. Of the type that the compiler would
    /// infer a copy would be looked at.
    private var path: KeyPath<SeenRead, Int> = \SeenRead[0]
    /// Changes that nobody has waited for.
    private var unread = 0

    /// The property.
    private subscript(number: Int) -> Int { number }

    /// So many of them leave it alone: who is told of a change reads again, but soon, not at once.
    private static let limit = 100

    /// Nil for what is not to be seen.
    init?(_ place: ReadPlace) {
        self.place = place
        watch = ReadWatch(place) { [weak self] isThere in self?.changed(isThere) }
        if watch == nil { return nil }
    }

    private func changed(_ isThere: Bool) {
        if !isThere { SeenReads.forget(place, self) }
        SeenReads.property(of: self).change()
        if isThere { SeenReads.noteChange(place, self) }
    }

    /// To be told to Observation, outside of the lock.
    struct Property: @unchecked Sendable {
        fileprivate let seen: SeenRead
        fileprivate let path: KeyPath<SeenRead, Int>

        func access() {
            seen.registrar.access(seen, keyPath: path)
        }

        func change() {
            seen.registrar.withMutation(of: seen, keyPath: path) {}
        }
    }

    /// Whether its object is there, and so another one at this place is not.
    var isThere: Bool { watch?.isThere ?? false }

    /// Under the lock.
    var property: Property { Property(seen: self, path: path) }

    /// Behind a change, and under the lock.
    func isLeftAlone() -> Bool {
        unread = isKnownUniquelyReferenced(&path) ? unread + 1 : 0
        return unread > Self.limit
    }
}

/// All of them. An object's place is its own as long as one of them is kept, which keeps its memory.
enum SeenReads {
    private static let all = Locked<All>(All())

    private struct All {
        var areOn = false
        var seen: [ReadPlace: SeenRead] = [:]

        func at(_ place: ReadPlace) -> SeenRead? {
            seen[place].flatMap { $0.isThere ? $0 : nil }
        }
    }

    static var areOn: Bool { all.withLock { $0.areOn } }

    /// Turned off it lets go of all.
    static func turn(_ on: Bool) {
        // Let go of outside of the lock: its end runs code of the program.
        let forgotten = all.withLock { all -> [ReadPlace: SeenRead] in
            if all.areOn == on { return [:] }
            all.areOn = on
            if on {
                ReadNotices.begin { place in note(place) }
            } else {
                ReadNotices.end()
            }
            defer { all.seen = [:] }
            return all.seen
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Inside a read.
    private static func note(_ place: ReadPlace) {
        let known = place.mayBeWatched ? all.withLock { $0.at(place)?.property } : nil
        if let known {
            known.access()
        } else if Tracking.isUnderWay, let made = SeenRead(place) {
            // Of two threads that come at once one has made its own in vain. Let go of outside of the lock.
            let (kept, gone) = all.withLock { all -> (SeenRead.Property?, SeenRead?) in
                guard all.areOn else { return (nil, nil) }
                let kept = all.at(place) ?? made
                let gone = all.seen.updateValue(kept, forKey: place)
                return (kept.property, gone)
            }
            kept?.access()
            withExtendedLifetime(gone) {}
        }
    }

    static func property(of seen: SeenRead) -> SeenRead.Property {
        all.withLock { _ in seen.property }
    }

    /// Forgets one that is left alone.
    static func noteChange(_ place: ReadPlace, _ seen: SeenRead) {
        _ = all.withLock { all in
            all.seen[place] === seen && seen.isLeftAlone()
                ? all.seen.removeValue(forKey: place) : nil
        }
    }

    static func forget(_ place: ReadPlace, _ seen: SeenRead) {
        _ = all.withLock { all in
            all.seen[place] === seen ? all.seen.removeValue(forKey: place) : nil
        }
    }
}
