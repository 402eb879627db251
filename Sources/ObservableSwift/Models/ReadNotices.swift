// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

// Reads that no recorder of this library sees, for a product that reports them to another library.

/// Notices of the reads that nothing else records. While they are on, every getter goes its slow way.
package struct ReadNotices: @unchecked Sendable {
    /// Never freed, since a read that is under way may still use the reader after ``end()``.
    private let reader: UnsafeMutablePointer<Reader>

    private struct Reader {
        let reader: obv_detail_reader  // first: the core hands over its address
        let tell: Tell

        static func tell(
            _ reader: UnsafeMutablePointer<obv_detail_reader>, _ header: HeaderPointer,
            _ slot: UInt32
        ) {
            UnsafeMutableRawPointer(reader).assumingMemoryBound(to: Reader.self)
                .pointee.tell(header, slot)
        }
    }

    /// Called with the two words of a ``ReadPlace``, in the getter, before the value is read. A C
    /// function, since each read would have to retain the context of a closure.
    package typealias Tell =
        @convention(c) (_ object: UnsafeMutableRawPointer, _ slot: UInt32) -> Void

    package init(_ tell: @escaping Tell) {
        reader = .allocate(capacity: 1)
        reader.initialize(
            to: Reader(
                reader: obv_detail_reader(
                    read: { reader, header, offset, _ in
                        var index: UInt32 = 0
                        // The object may have no class: memory was short, or the class is not made
                        // yet.
                        if obv_swift_has_class(header),
                            obv_class_property_at(obv_object_class(header), offset, &index)
                                == OBV_OK
                        {
                            Reader.tell(reader, header, index)
                        }
                    }, hidden: obv_detail_hidden(),
                    read_slot: { reader, header, slot in Reader.tell(reader, header, slot) }),
                tell: tell))
    }

    package func begin() {
        obv_detail_reads_of_all(
            UnsafeMutableRawPointer(reader).assumingMemoryBound(to: obv_detail_reader.self))
    }

    package func end() {
        obv_detail_reads_of_all(nil)
    }
}

/// A mark that a thread leaves for itself.
package enum ThreadMark {
    package static func leave() { obv_swift_leave_mark() }
    /// Takes the thread's mark away; answers whether there was one.
    package static func take() -> Bool { obv_swift_take_mark() }
}

/// Where something was read: a property of an object, the content of a collection, or whether an object
/// is there.
package struct ReadPlace: @unchecked Sendable {
    /// The header of the object, valid as long as somebody keeps the object's memory
    /// (``ReadWatch``).
    package let object: UnsafeMutableRawPointer
    /// The index of a property. Other places have the greatest numbers of 16 bits.
    package let slot: UInt32

    package init(object: UnsafeMutableRawPointer, slot: UInt32) {
        self.object = object
        self.slot = slot
    }

    fileprivate var header: HeaderPointer { object.assumingMemoryBound(to: obv_object.self) }

    /// Whether anybody has ever begun to observe the object. Called inside the read, which keeps
    /// the object alive.
    package var mayBeWatched: Bool { obv_swift_may_be_watched(header) }

    /// Whether the object is being deinitialized. Called inside the read.
    fileprivate var isGone: Bool {
        let table = obv_class_table_of(obv_object_class(header)).pointee
        guard table.retain!(header) else { return true }
        table.release!(header)
        return false
    }

    /// Observes a property that any thread may set, by a block on the thread of the change; nil:
    /// the place is no such property. Called inside the read.
    fileprivate func observePlainly(_ perform: @escaping @Sendable () -> Void) -> ObservationToken?
    {
        let isAnyThreads = ModelClasses.firstProperty(of: header) {
            $0.flags & OBV_ANY_THREAD.rawValue != 0
                && $0.name == obv_class_property_name(obv_object_class(header), slot)
        }
        guard let name = isAnyThreads.map({ String(cString: $0.name) }),
            let path = try? TextPath(parsing: name),
            let host = ObservableSwift.object(of: header) as? any ObservableHost
        else { return nil }
        func observe<Host: ObservableHost>(_ host: Host) -> ObservationToken {
            host.onChange(
                of: \.[text: path], options: .immediate,
                label: "a read that is told elsewhere"
            ) { _ in perform() }
        }
        return observe(host)
    }
}

/// Observes a place by a block that is called inside each change, after the store. The watch ends
/// when it is released, and when the object dies. It keeps the object's memory, so no other object
/// gets that address.
package final class ReadWatch: @unchecked Sendable {
    // Every property is constant.

    private unowned let object: AnyObject
    private let replay: ReadReplay
    private let token: ObservationToken
    /// Observes a property that any thread may set, since `replay` hears of such a set only by a
    /// drain.
    private let plain: ObservationToken?

    /// Called inside the read.
    ///
    /// - Parameter perform: called with whether the object is still there.
    /// - Returns: nil for a model of this library's own, for an object at its end, which changes no
    ///   more, and if memory is short, which is reported.
    package init?(_ place: ReadPlace, perform: @escaping @Sendable (_ isThere: Bool) -> Void) {
        if place.isGone { return nil }
        object = ObservableSwift.object(of: place.header)
        if object is any Unseen { return nil }
        plain = place.observePlainly { perform(true) }
        let isAnyThreads = plain != nil
        replay = ReadReplay(place)
        token = replay.onChange(
            of: \.reads, options: .immediate, label: "a read that is told elsewhere"
        ) { replay in
            // `plain` has already reported this set, on the thread that made it.
            if !isAnyThreads || !replay.isThere { perform(replay.isThere) }
        }
        if token.failure != nil { return nil }
    }
}

/// Models of this library's own, whose reads are not reported.
package protocol Unseen {}

/// A computed property that repeats a read. It depends on all that the read depends on, and has
/// another value after each evaluation, so its observers are called for each change.
private final class ReadReplay: ObservableModel, Unseen {
    @Computed(ReadReplay.read) var reads: Int
    private let place: ReadPlace
    private weak var object: AnyObject?
    /// Atomic, since two threads may evaluate `reads` at once.
    private let count = Atomic(0)

    /// Called inside the read.
    init(_ place: ReadPlace) {
        self.place = place
        object = ObservableSwift.object(of: place.header)
        super.init()
    }

    var isThere: Bool { object != nil }

    private func read() -> Int {
        if let object {
            obv_detail_read_presence(place.header)
            obv_detail_read_again(place.header, place.slot)
            if count.load(ordering: .relaxed) == 0 { computeIfNeeded() }
            withExtendedLifetime(object) {}
        }
        return count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Evaluates the computed property that was read. At the first replay its getter is still on
    /// the stack, and its value is missing. At later ones the core has evaluated it before, if
    /// anything but its getter can do that.
    private func computeIfNeeded() {
        guard obv_class_property_name(obv_object_class(place.header), place.slot) != nil,
            !obv_is_valid(place.header, place.slot)
        else { return }
        var status = OBV_OK
        _ = obv_detail_kept_value(place.header, place.slot, &status)
    }
}
