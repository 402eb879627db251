// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

// Reads that nothing of this library records, for a product that tells another library of them.

/// Notices of the reads that nothing else records. While they are on, every getter goes its slow way.
package struct ReadNotices: @unchecked Sendable {
    /// Of the process, as whoever makes it is: a read under way may still be told.
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

    /// Is told the two words of a ``ReadPlace``, in the getter, before the value is read. Without a
    /// context, which each read would retain.
    package typealias Tell =
        @convention(c) (_ object: UnsafeMutableRawPointer, _ slot: UInt32) -> Void

    package init(_ tell: @escaping Tell) {
        reader = .allocate(capacity: 1)
        reader.initialize(
            to: Reader(
                reader: obv_detail_reader(
                    read: { reader, header, offset, _ in
                        var index: UInt32 = 0
                        // Without a class there was no memory for one, or none yet.
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
    /// Whether there is one; from now on there is none.
    package static func take() -> Bool { obv_swift_take_mark() }
}

/// Where something was read: a property of an object, the content of a collection, or whether an object
/// is there.
package struct ReadPlace: @unchecked Sendable {
    /// Its object's, as long as somebody keeps the memory of that (``ReadWatch``).
    package let object: UnsafeMutableRawPointer
    /// Of a property its index; others have the greatest numbers of 16 bits.
    package let slot: UInt32

    package init(object: UnsafeMutableRawPointer, slot: UInt32) {
        self.object = object
        self.slot = slot
    }

    fileprivate var header: HeaderPointer { object.assumingMemoryBound(to: obv_object.self) }

    /// Whether somebody has begun to observe its object, ever. Inside the read, which keeps the object.
    package var mayBeWatched: Bool { obv_swift_may_be_watched(header) }

    /// Whether its object is at its end. Inside the read.
    fileprivate var isGone: Bool {
        let table = obv_class_table_of(obv_object_class(header)).pointee
        guard table.retain!(header) else { return true }
        table.release!(header)
        return false
    }

    /// By a block that the thread of the change calls, if any thread may make it. Inside the read.
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

/// An observation of what was read, by a block that is called inside the change, after the store. It
/// ends when it is let go of, and with the object, whose memory it keeps: its place is no other's.
package final class ReadWatch: @unchecked Sendable {
    // All of it is constant.

    private unowned let object: AnyObject
    private let replay: ReadReplay
    private let token: ObservationToken
    /// Of a property that any thread may set: what is computed of it hears of a set by a drain.
    private let plain: ObservationToken?

    /// Inside the read.
    ///
    /// - Parameter perform: is told whether the object is still there.
    /// - Returns: nil for an object of the library's own, one at its end, which changes no more, and
    ///   without memory, which is told.
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
            // A set was told by its thread.
            if !isAnyThreads || !replay.isThere { perform(replay.isThere) }
        }
        if token.failure != nil { return nil }
    }
}

/// Models of the library's own, whose reads are nobody's business.
package protocol Unseen {}

/// A computed property that does a read once more: so it becomes invalid with all that this was of, and
/// has another value then.
private final class ReadReplay: ObservableModel, Unseen {
    @Computed(ReadReplay.read) var reads: Int
    private let place: ReadPlace
    private weak var object: AnyObject?
    /// Two threads may compute it at once.
    private let count = Atomic(0)

    /// Inside the read.
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

    /// Inside the getter of what is computed: its value is still to come. Later it is made valid before
    /// this is called, if anybody but its getter can do that.
    private func computeIfNeeded() {
        guard obv_class_property_name(obv_object_class(place.header), place.slot) != nil,
            !obv_is_valid(place.header, place.slot)
        else { return }
        var status = OBV_OK
        _ = obv_detail_kept_value(place.header, place.slot, &status)
    }
}
