// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation
import Synchronization

/// Something of ours that was read while Observation tracked: to that a subject with one property.
final class SeenRead: Observable, @unchecked Sendable {
    // The watch is set before anybody else knows the object; the rest has locks of its own.

    private let registrar = ObservationRegistrar()
    private let place: ReadPlace
    private var watch: ReadWatch?
    /// Changes since it was read last.
    private let unread = Atomic<Int>(0)

    /// The property. It has no value.
    private var content: Void { () }

    /// So many changes that nobody has read leave it alone. The last of them may come between a read
    /// and the moment when Observation waits for changes; more than a few of them will not.
    private static let limit = 100

    /// Nil for what is not to be seen.
    init?(_ place: ReadPlace) {
        self.place = place
        watch = ReadWatch(place) { [weak self] isThere in self?.changed(isThere) }
        if watch == nil { return nil }
    }

    func isRead() {
        unread.store(0, ordering: .relaxed)
        registrar.access(self, keyPath: \.content)
    }

    private func changed(_ isThere: Bool) {
        if !isThere || unread.add(1, ordering: .relaxed).newValue > Self.limit {
            SeenReads.forget(place, self)
        }
        registrar.withMutation(of: self, keyPath: \.content) {}
    }
}

/// All of them. An object's place is its own as long as one of them is kept, which keeps its memory.
enum SeenReads {
    private static let all = Locked<[ReadPlace: SeenRead]>([:])

    /// Inside a read.
    static func note(_ place: ReadPlace) {
        if place.mayBeWatched, let known = all.withLock({ $0[place] }) {
            known.isRead()
        } else if Tracking.isUnderWay, let made = SeenRead(place) {
            // Of two threads that come at once one has made its own in vain.
            all.withLock { all in
                let kept = all[place] ?? made
                all[place] = kept
                return kept
            }.isRead()
        }
    }

    static func forget(_ place: ReadPlace, _ seen: SeenRead) {
        // Let go of outside of the lock: its end runs code of the program.
        _ = all.withLock { all in
            all[place] === seen ? all.removeValue(forKey: place) : nil
        }
    }

    static func forgetAll() {
        let forgotten = all.withLock { all in
            defer { all = [:] }
            return all
        }
        withExtendedLifetime(forgotten) {}
    }
}
