// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Observation

/// Something of ours that was read while Observation tracked, observed. Its changes are told to
/// Observation.
final class SeenRead: @unchecked Sendable {
    // The watch is set before anybody else knows the object.

    private let place: ReadPlace
    private var watch: ReadWatch?

    /// Nil for what is not to be seen.
    init?(_ place: ReadPlace) {
        self.place = place
        watch = ReadWatch(place) { [weak self] isThere in self?.changed(isThere) }
        if watch == nil { return nil }
    }

    private func changed(_ isThere: Bool) {
        SeenReads.change(of: self, at: place)?()
        SeenReads.forget(self, at: place, hasEnded: !isThere)
    }
}

/// The reads of one object: to Observation that is a subject with a property for each of them. All
/// of it under the lock.
final class SeenObject: @unchecked Sendable {
    /// Observation goes by it, and never looks at the subject.
    private let registrar = ObservationRegistrar()
    // By their slots, but those that are no property's come first. The lock is what keeps accesses apart.
    @exclusivity(unchecked) private var reads: [Read?] = []
    /// Of each read; kept elsewhere only while Observation is told of it, and as long as that tracks it or
    /// waits for its change: nobody else has this key path. Of the type that the compiler would infer a
    /// copy would be looked at.
    @exclusivity(unchecked) private var paths: [KeyPath<Subject, Int>?] = []

    fileprivate struct Subject: Observable {
        subscript(index: Int) -> Int { index }
    }

    private struct Read {
        let read: SeenRead
        /// Changes that nobody has waited for.
        var unread = 0
    }

    private func index(_ slot: UInt32) -> Int { Int(UInt16(truncatingIfNeeded: slot) &+ 2) }

    var isEmpty: Bool { reads.allSatisfy { $0 == nil } }

    subscript(slot: UInt32) -> SeenRead? {
        get {
            let index = index(slot)
            return index < reads.count ? reads[index]?.read : nil
        }
        set {
            let index = index(slot)
            while reads.count <= index {
                reads.append(nil)
                paths.append(nil)
            }
            reads[index] = newValue.map { Read(read: $0) }
            paths[index] = newValue.map { _ in \Subject[index] }
        }
    }

    /// Tells Observation, which runs no code of the program, that it is read. False: it is unknown.
    func access(_ slot: UInt32) -> Bool {
        let index = index(slot)
        guard index < paths.count, let path = paths[index] else { return false }
        registrar.access(Subject(), keyPath: path)
        return true
    }

    /// A call that tells Observation, outside of the lock, that it has changed.
    func change(_ slot: UInt32) -> () -> Void {
        let registrar = registrar
        let path = paths[index(slot)]!
        return { registrar.withMutation(of: Subject(), keyPath: path) {} }
    }

    /// So many changes that nobody has waited for leave it alone: who is told of one reads again, but
    /// soon, not at once.
    private static let limit = 100

    /// Behind a change.
    func isLeftAlone(_ slot: UInt32) -> Bool {
        let index = index(slot)
        let isWaitedFor = !isKnownUniquelyReferenced(&paths[index])
        reads[index]!.unread = isWaitedFor ? 0 : reads[index]!.unread + 1
        return reads[index]!.unread > Self.limit
    }
}

/// All of them.
enum SeenReads {
    private static let all = Locked<All>(All())
    private static let notices = ReadNotices { note(ReadPlace(object: $0, slot: $1)) }

    private struct All {
        var areOn = false
        /// An object's place is its own as long as one of its reads is kept.
        var objects: [UnsafeMutableRawPointer: SeenObject] = [:]

        /// The object, if a read of it is known.
        func object(of read: SeenRead, at place: ReadPlace) -> SeenObject? {
            objects[place.object].flatMap { $0[place.slot] === read ? $0 : nil }
        }
    }

    static var areOn: Bool { all.withLock { $0.areOn } }

    /// Turned off it lets go of all.
    static func turn(_ on: Bool) {
        // Let go of outside of the lock: its end runs code of the program.
        let forgotten = all.withLock { all -> [UnsafeMutableRawPointer: SeenObject] in
            if all.areOn == on { return [:] }
            all.areOn = on
            if on {
                notices.begin()
            } else {
                notices.end()
            }
            defer { all.objects = [:] }
            return all.objects
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Inside a read. What is known is told whether Observation tracks or not, which it finds at once.
    private static func note(_ place: ReadPlace) {
        if place.mayBeWatched,
            all.withLock({ $0.objects[place.object]?.access(place.slot) ?? false })
        {
            return
        }
        // Of two threads that come at once one has made its own in vain. Let go of outside of the lock.
        guard Tracking.isUnderWay, let made = SeenRead(place) else { return }
        all.withLock { all in
            guard all.areOn else { return }
            let object = all.objects[place.object] ?? SeenObject()
            all.objects[place.object] = object
            if object[place.slot] == nil { object[place.slot] = made }
            _ = object.access(place.slot)
        }
        withExtendedLifetime(made) {}
    }

    /// A call that tells of its change; nil: nobody has been told of it, or is any more.
    static func change(of read: SeenRead, at place: ReadPlace) -> (() -> Void)? {
        all.withLock { $0.object(of: read, at: place)?.change(place.slot) }
    }

    /// Behind a change: forgets one that has ended, or is left alone.
    static func forget(_ read: SeenRead, at place: ReadPlace, hasEnded: Bool) {
        // Its caller keeps the read; the rest is let go of outside of the lock as well.
        let gone = all.withLock { all -> SeenObject? in
            guard let object = all.object(of: read, at: place),
                hasEnded || object.isLeftAlone(place.slot)
            else { return nil }
            object[place.slot] = nil
            return object.isEmpty ? all.objects.removeValue(forKey: place.object) : nil
        }
        withExtendedLifetime(gone) {}
    }
}
