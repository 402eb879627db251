// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// What is handed over: how long it lives, and what it costs.
@Suite struct ValueLifetimeTests {
    private let loop = DeliveryLoop()

    @Test func LT_8_LT_2_values_live_until_the_call_has_returned() {
        let root = Sample()
        weak var old: Sample?
        weak var new: Sample?
        var wereAlive = false
        let token = root.changes(of: \.next).on(loop).onChange { _ in
            wereAlive = old != nil && new != nil
        }
        func change() {
            let (first, second) = (Sample(), Sample())
            root.next = first
            loop.drain()
            root.next = second
            root.next = nil
            root.next = Sample()
            (old, new) = (first, root.next)
        }
        change()
        #expect(old != nil)
        loop.drain()
        #expect(wereAlive)
        #expect(old == nil && new != nil)
        root.next = nil
        loop.drain()
        #expect(new == nil)
        withExtendedLifetime(token) {}
    }

    @Test func LT_8_values_of_immediate_ones() {
        let root = Sample()
        weak var old: Sample?
        var wasAlive = false
        let token = root.changes(of: \.next).options(.immediate).onChange { _ in
            wasAlive = old != nil
        }
        root.next = Sample()
        old = root.next
        root.next = nil
        #expect(wasAlive && old == nil)
        withExtendedLifetime(token) {}
    }

    /// Values that were gathered go with the observation, called or not.
    @Test func LT_9_gathered_values_go_with_the_observation() {
        let root = Sample()
        weak var old: Sample?
        root.next = Sample()
        old = root.next
        var token: ObservationToken? = root.changes(of: \.next).on(loop).onChange { _ in }
        let record = root.record(of: \.[text: "next"]).on(loop).onChange { _ in }
        root.next = nil
        #expect(old != nil)
        token = nil
        record.cancel()
        loop.drain()
        #expect(old == nil && token == nil)
    }

    /// A weak property holds nothing, and what is handed over only until the call.
    @Test func LT_6_OB_2_a_weak_end_that_dies() throws {
        let root = Sample()
        let told = Changes(root, \.weakNext)
        var target: Sample? = Sample()
        root.weakNext = target
        #expect(told.one?.new === target)
        target = nil
        let change = try #require(told.one)
        #expect(change.old == nil && change.new == nil)
        #expect(root.weakNext == nil)
    }

    // MARK: - Copies

    /// Nobody asks for values: nothing is copied, in place or not.
    @Test func PK_3_no_copies_for_who_does_not_ask() {
        let root = Counted()
        let observer = Spot(0)
        root.tell(observer, when: \.bytes, on: loop) { _, _ in }
        root.bytes.append(1)
        root.bytes.append(2)
        loop.drain()
        root.bytes.append(3)
        #expect(root.bytes.copies == 0)
    }

    /// It stops costing anything with the observation.
    @Test func PK_3_copies_end_with_the_observation() {
        let root = Counted()
        let token = root.changes(of: \.bytes).on(loop).onChange { _ in }
        root.bytes.append(1)
        #expect(root.bytes.copies > 0)
        token.cancel()
        loop.drain()
        root.bytes.append(2)
        let copies = root.bytes.copies
        root.bytes.append(3)
        root.bytes.append(4)
        #expect(root.bytes.copies == copies)
    }

    /// An immediate observation is handed both values at each change, so each one copies.
    @Test func PK_3_immediate_values_copy_at_each_change() {
        let root = Counted()
        var handed: [[Int]] = []
        let token = root.changes(of: \.bytes).options(.immediate).onChange {
            handed.append([$0.old?.count ?? -1, $0.new?.count ?? -1])
        }
        for byte in 0..<4 { root.bytes.append(byte) }
        #expect(handed == [[0, 1], [1, 2], [2, 3], [3, 4]])
        #expect(root.bytes.copies == 4)
        withExtendedLifetime(token) {}
    }
}

/// An array that counts how often it was copied, since it was shared when it was written to.
struct CountedArray: Equatable {
    private final class Storage {
        var elements: [Int] = []
        var copies = 0
    }

    private var storage = Storage()

    var copies: Int { storage.copies }
    var count: Int { storage.elements.count }

    mutating func append(_ element: Int) {
        if !isKnownUniquelyReferenced(&storage) {
            let copy = Storage()
            copy.elements = storage.elements
            copy.copies = storage.copies + 1
            storage = copy
        }
        storage.elements.append(element)
    }

    static func == (a: CountedArray, b: CountedArray) -> Bool {
        a.storage.elements == b.storage.elements
    }
}

private final class Counted: ObservableModel {
    @Observed var bytes = CountedArray()
}
