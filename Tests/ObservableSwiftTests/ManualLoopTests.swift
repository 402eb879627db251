// SPDX-License-Identifier: Apache-2.0
//
// Loops in a program's own event loop: DR-5, DR-10.

import Foundation
import ObservableSwift
import Testing

@Suite struct ManualLoopTests {
    /// Whether a descriptor is readable at this moment.
    private func isReadable(_ descriptor: CInt) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }

    @Test func DR_5_a_manual_loop_wakes_its_program_when_something_becomes_pending() {
        let wakes = Shared(0)
        let loop = DeliveryLoop { wakes.value += 1 }
        let link = Link()
        let observer = PlainObserver()
        link.tell(observer, when: \.count, on: loop) { observer, link in
            observer.seen.append(link.count)
        }
        #expect(wakes.value == 0)
        link.count = 1
        #expect(wakes.value == 1)
        link.count = 2
        #expect(wakes.value == 1)
        #expect(loop.drain() == 1)
        link.count = 3
        #expect(wakes.value == 2)
        #expect(loop.drain() == 1)
        #expect(wakes.value == 2)
        #expect(observer.seen == [2, 3])
    }

    @Test func DR_5_a_drain_that_leaves_something_wakes_again() {
        let wakes = Shared(0)
        let loop = DeliveryLoop { wakes.value += 1 }
        let link = Link()
        let observer = PlainObserver()
        for _ in 1...2 {
            link.tell(observer, when: \.count, on: loop) { observer, link in
                observer.seen.append(link.count)
            }
        }
        link.count = 1
        #expect(loop.drain(limit: 1) == 1)
        #expect(wakes.value == 2)
        #expect(loop.drain() == 1)
        #expect(wakes.value == 2)
    }

    @Test func DR_10_a_manual_loop_has_a_descriptor_to_poll() throws {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        link.tell(observer, when: \.count, on: loop) { observer, link in
            observer.seen.append(link.count)
        }
        let descriptor = try loop.descriptor()
        #expect(try loop.descriptor() == descriptor)
        #expect(!isReadable(descriptor))
        link.count = 1
        #expect(isReadable(descriptor))
        loop.drain()
        #expect(!isReadable(descriptor))
        #expect(observer.seen == [1])
    }

    @Test func DR_10_a_descriptor_that_is_asked_for_late_is_readable_at_once() throws {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        link.tell(observer, when: \.count, on: loop) { _, _ in }
        link.count = 1
        #expect(isReadable(try loop.descriptor()))
    }

    @Test func DR_14_a_descriptor_is_silent_while_a_drain_runs() throws {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        let descriptor = try loop.descriptor()
        let inside = Shared<[Bool]>([])
        link.tell(observer, when: \.count, on: loop) { _, link in
            inside.value.append(isReadable(descriptor))
            onOtherThread { link.next = Link() }
            inside.value.append(isReadable(descriptor))
        }
        link.tell(observer, when: \.next, on: loop) { _, _ in }
        link.count = 1
        #expect(loop.drain() == 1)
        #expect(inside.value == [false, false])
        #expect(isReadable(descriptor))
        #expect(loop.drain() == 1)
        #expect(!isReadable(descriptor))
    }

    @Test func DR_14_a_loop_says_whether_it_is_ready() {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        link.tell(observer, when: \.count, on: loop) { _, _ in }
        #expect(!loop.isReady)
        link.count = 1
        #expect(loop.isReady)
        #expect(loop.drain(limit: 0) == 0)
        #expect(loop.isReady)
        #expect(loop.drain() == 1)
        #expect(!loop.isReady)
        link.count = 2
        loop.invalidate()
        #expect(!loop.isReady)
    }

    @Test func DR_14_an_ended_loop_has_no_descriptor() {
        let loop = DeliveryLoop()
        loop.invalidate()
        #expect { try loop.descriptor() } throws: { error in
            (error as? ObservationError)?.kind == .ended
        }
    }

    @Test func DR_14_what_a_limit_leaves_comes_first() {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        let order = Shared<[String]>([])
        for name in ["a", "b"] {
            link.tell(observer, when: \.count, on: loop) { _, _ in order.value.append(name) }
        }
        link.tell(observer, when: \.next, on: loop) { _, _ in order.value.append("c") }
        link.count = 1
        #expect(loop.drain(limit: 1) == 1)
        link.next = Link()
        link.count = 2
        #expect(loop.drain() == 3)
        #expect(order.value == ["a", "b", "c", "a"])
    }
}
