// SPDX-License-Identifier: Apache-2.0
//
// LT: what is held, what is let go, and when. Ends that die on other threads: ThreadsTests.

import Foundation
import ObservableSwift
import Testing

/// A class with a superclass of its own, as a host.
private class Row {
    var height = 1
    init() {}
}

private final class TitleRow: Row, ObservableHost {
    let observation = ObservationHeader()
    @Observed var title = ""
    @Observed var next: Link?
    @ObservedWeak var weakRow: TitleRow?
}

/// The same fields, plain and observed.
private final class PlainBox {
    var count = 0
    var name = ""
    var next: PlainBox?
}

private final class ObservedBox: ObservableModel {
    @Observed var count = 0
    @Observed var name = ""
    @Observed var next: ObservedBox?
}

private final class HostBox: ObservableHost {
    let observation = ObservationHeader()
    @Observed var count = 0
    @Observed var name = ""
    @Observed var next: HostBox?
}

@Suite struct LifetimesTests {
    // MARK: - Who holds whom

    @Test func LT_1_an_observation_holds_neither_end() {
        let link = Link()
        weak var weakObserver: PlainObserver?
        do {
            let observer = PlainObserver()
            weakObserver = observer
            link.tell(observer, when: \.next?.count, on: .main) { _, _ in }
        }
        #expect(weakObserver == nil)

        let observer = PlainObserver()
        weak var weakLink: Link?
        let handle: ObservationHandle
        do {
            let link = Link(next: Link())
            weakLink = link
            handle = link.tell(observer, when: \.next?.count, on: .main) { _, _ in }
        }
        #expect(weakLink == nil)
        #expect(handle.hasEnded)
    }

    @Test func LT_1_a_token_holds_neither_end() {
        weak var weakLink: Link?
        let token: ObservationToken
        do {
            let link = Link()
            weakLink = link
            token = link.onChange(of: \.[text: "count"], on: .main) { _ in }
            #expect(!token.hasEnded)
        }
        #expect(weakLink == nil)
        #expect(token.hasEnded)
    }

    @Test func LT_2_what_was_scheduled_holds_both_ends_until_its_call() {
        let loop = DeliveryLoop()
        let seen = Shared<[Int]>([])
        weak var weakLink: Link?
        weak var weakObserver: PlainObserver?
        do {
            let link = Link()
            let observer = PlainObserver()
            weakLink = link
            weakObserver = observer
            link.tell(observer, when: \.count, on: loop) { _, link in
                seen.change { $0.append(link.count) }
            }
            link.count = 3
        }
        #expect(weakLink != nil)
        #expect(weakObserver != nil)
        #expect(loop.drain() == 1)
        #expect(seen.value == [3])
        #expect(weakLink == nil)
        #expect(weakObserver == nil)
    }

    @Test func LT_2_the_root_alone_is_held_for_a_token() {
        let loop = DeliveryLoop()
        weak var weakLink: Link?
        let token: ObservationToken
        do {
            let link = Link()
            weakLink = link
            token = link.onChange(of: \.count, on: loop) { _ in }
            link.count = 3
        }
        #expect(weakLink != nil)
        token.cancel()
        #expect(loop.drain() == 0)
        #expect(weakLink == nil)
    }

    // MARK: - Dead observers

    @Test func LT_3_a_dead_observer_is_not_called_and_its_block_goes_with_the_next_change() {
        for way in ["change", "count", "stop"] {
            let link = Link()
            let died = Shared(0)
            let calls = Shared(0)
            do {
                let observer = PlainObserver()
                let probe = Probe(died)
                link.tell(observer, when: \.count, options: .immediate) { _, _ in
                    probe.stay()
                    calls.change { $0 += 1 }
                }
            }
            #expect(died.value == 0, "\(way)")
            switch way {
            case "change": link.count += 1
            case "count": #expect(link.numberOfObservers(of: "count") == 0)
            default: link.stopTelling(link)
            }
            #expect(died.value == 1, "\(way)")
            #expect(calls.value == 0)
            #expect(link.allObservedProperties == [])
        }
    }

    @Test func LT_3_observers_that_are_models_end_their_observations_at_once() {
        let link = Link(next: Link())
        let died = Shared(0)
        do {
            let observer = Link()
            let probe = Probe(died)
            link.tell(observer, when: \.next?.count, on: .main) { _, _ in probe.stay() }
            #expect(link.numberOfObservers(of: "next") == 1)
        }
        #expect(died.value == 1)
        #expect(link.allObservedProperties == [])
        #expect(link.next?.allObservedProperties == [])
    }

    @Test func LT_3_observers_that_are_hosts_end_their_observations_at_once() {
        let link = Link()
        let died = Shared(0)
        do {
            let observer = TitleRow()
            let probe = Probe(died)
            link.tell(observer, when: \.count, options: .immediate) { observer, _ in
                probe.stay()
                observer.height += 1
            }
            link.count = 1
            #expect(observer.height == 2)
            #expect(link.numberOfObservers(of: "count") == 1)
        }
        #expect(died.value == 1)
        #expect(link.allObservedProperties == [])
    }

    // MARK: - Dead roots and middles

    @Test func LT_4_a_dead_root_lets_go_of_its_paths_at_once() {
        let middle = Link()
        let end = Link()
        middle.next = end
        let observer = PlainObserver()
        let died = Shared(0)
        let handle: ObservationHandle
        do {
            let root = Link(next: middle)
            let probe = Probe(died)
            handle = root.tell(observer, when: \.next?.next?.count, on: .main) { _, _ in
                probe.stay()
            }
            #expect(end.allObservedProperties == ["count"])
            #expect(middle.allObservedProperties == ["next"])
        }
        #expect(handle.hasEnded)
        #expect(died.value == 1)
        #expect(end.allObservedProperties == [])
        #expect(middle.allObservedProperties == [])
    }

    @Test func LT_4_an_observation_of_several_roots_ends_with_the_last() throws {
        let observer = PlainObserver()
        let loop = DeliveryLoop()
        let handle: ObservationHandle
        let stays = Link()
        do {
            let goes = Link()
            handle = goes.tell(
                observer, when: \.[text: "count"], on: loop, options: .allowsMorePaths
            ) {
                observer, link in
                observer.seen.append(link.count)
            }
            try handle.also(stays, when: \.[text: "count"])
        }
        #expect(!handle.hasEnded)
        stays.count = 2
        #expect(loop.drain() == 1)
        #expect(observer.seen == [2])
        handle.stop(about: \.[text: "count"], of: stays)
        #expect(handle.hasEnded)
    }

    @Test func LT_6_a_middle_object_that_was_held_weakly_dies() {
        let loop = DeliveryLoop()
        let root = Link()
        let observer = PlainObserver()
        let end = Link(5)
        do {
            let middle = Link(next: end)
            root.weakNext = middle
            root.tell(observer, when: \.weakNext?.next?.count, on: loop) { observer, root in
                observer.seen.append(root.weakNext?.next?.count ?? -1)
            }
            end.count = 6
            #expect(loop.drain() == 1)
        }
        #expect(end.allObservedProperties == [])
        #expect(loop.drain() == 1)
        #expect(observer.seen == [6, -1])
        root.weakNext = Link()
        root.weakNext = nil
        end.count = 7
        #expect(loop.drain() == 0)
    }

    @Test func LT_6_a_host_that_was_held_weakly_dies() {
        let loop = DeliveryLoop()
        let root = TitleRow()
        let observer = PlainObserver()
        let end = Link(5)
        let handle: ObservationHandle
        do {
            let middle = TitleRow()
            middle.next = end
            root.weakRow = middle
            handle = root.tell(observer, when: \.[text: "weakRow.next.count"], on: loop) {
                observer, root in
                observer.seen.append(root.weakRow?.next?.count ?? -1)
            }
            end.count = 6
            #expect(loop.drain() == 1)
        }
        #expect(end.allObservedProperties == [])
        #expect(loop.drain() == 1)
        #expect(observer.seen == [6, -1])
        #expect(!handle.hasEnded)
    }

    @Test func LT_4_a_dead_host_lets_go_of_its_paths_at_once() {
        let end = Link()
        let observer = PlainObserver()
        let died = Shared(0)
        let handle: ObservationHandle
        do {
            let root = TitleRow()
            let probe = Probe(died)
            root.next = end
            handle = root.tell(observer, when: \.title, \.next?.count, on: .main) { _, _ in
                probe.stay()
            }
            #expect(end.allObservedProperties == ["count"])
        }
        #expect(handle.hasEnded)
        #expect(died.value == 1)
        #expect(end.allObservedProperties == [])
    }

    // MARK: - Arguments

    @Test func LT_8_the_arguments_of_a_block_live_throughout_the_call() {
        let died = Shared(0)
        var link: Link? = Link()
        var observer: PlainObserver? = PlainObserver()
        let probe = Probe(died)
        link!.atEnd = { _ in
            probe.stay()
            died.change { $0 += 1 }
        }
        observer!.atEnd = { died.change { $0 += 1 } }
        let loop = DeliveryLoop()
        link!.tell(observer!, when: \.count, on: loop) { given, root in
            link = nil
            observer = nil
            #expect(died.value == 0)
            given.seen.append(root.count)
            #expect(given.seen == [1])
        }
        link!.count = 1
        #expect(loop.drain() == 1)
        #expect(died.value == 2)
        #expect(link == nil && observer == nil)
    }

    @Test func LT_8_what_a_change_replaces_lives_until_its_immediate_blocks_have_returned() {
        let died = Shared(0)
        let link = Link()
        let observer = PlainObserver()
        link.next = Link()
        link.next?.atEnd = { _ in died.change { $0 += 1 } }
        link.tell(observer, when: \.next, options: .immediate) { observer, _ in
            observer.seen.append(died.value)
        }
        link.next = nil
        #expect(observer.seen == [0])
        #expect(died.value == 1)
    }

    // MARK: - Blocks

    @Test func LT_9_a_block_is_released_when_its_observation_ends() {
        let ways: [(Link, ObservationHandle, PlainObserver) -> Void] = [
            { _, handle, _ in handle.stop() },
            { link, _, observer in link.stopTelling(observer) },
            { link, _, observer in link.stopTelling(observer, about: \.count) },
            { _, handle, _ in handle.stop(about: "count") },
        ]
        for (index, way) in ways.enumerated() {
            for options in [[], .immediate, .keepsOwnChanges, .allowsMorePaths]
                as [ObservationOptions]
            {
                let died = Shared(0)
                let link = Link()
                let observer = PlainObserver()
                var probe: Probe? = Probe(died)
                let handle = link.tell(observer, when: \.count, on: .main, options: options) {
                    [probe] _, _ in
                    probe?.stay()
                }
                probe = nil
                #expect(died.value == 0)
                way(link, handle, observer)
                #expect(died.value == 1, "way \(index), options \(options.rawValue)")
                #expect(handle.hasEnded)
            }
        }
    }

    @Test func LT_9_a_pending_call_releases_the_block_after_it() {
        let died = Shared(0)
        let loop = DeliveryLoop()
        let link = Link()
        let observer = PlainObserver()
        do {
            let probe = Probe(died)
            link.tell(observer, when: \.count, on: loop) { observer, _ in
                probe.stay()
                observer.seen.append(died.value)
            }
        }
        link.count = 1
        link.stopTelling(observer)
        #expect(died.value == 0)
        #expect(loop.drain() == 1)
        #expect(observer.seen == [0])
        #expect(died.value == 1)
    }

    @Test func LT_9_a_token_releases_its_block() {
        let died = Shared(0)
        let loop = DeliveryLoop()
        let link = Link()
        do {
            let probe = Probe(died)
            var token: ObservationToken? = link.onChange(of: \.count, on: loop) { _ in
                probe.stay()
            }
            link.count = 1
            token?.cancel()
            token = nil
        }
        // The call that was taken back leaves the loop with its next drain at the latest.
        loop.drain()
        #expect(died.value == 1)
    }

    @Test func LT_9_a_block_that_stops_itself_lives_to_its_end() {
        let died = Shared(0)
        let link = Link()
        let observer = PlainObserver()
        do {
            let probe = Probe(died)
            let kept = Shared<ObservationHandle?>(nil)
            kept.value = link.tell(observer, when: \.count, options: .immediate) { observer, _ in
                kept.value?.stop()
                kept.value = nil
                observer.seen.append(died.value)
                probe.stay()
            }
        }
        link.count = 1
        #expect(observer.seen == [0])
        #expect(died.value == 1)
    }

    @Test func LT_9_a_shared_block_is_released_with_its_last_owner() {
        let died = Shared(0)
        let link = Link()
        let observer = PlainObserver()
        var block: ObservationBlock<PlainObserver, Link>?
        do {
            let probe = Probe(died)
            block = ObservationBlock(on: .main) { _, _ in probe.stay() }
        }
        link.tell(observer, when: \.[text: "count"], block: block!)
        link.tell(observer, when: \.[text: "next"], block: block!)
        link.stopTelling(observer, about: \.[text: "count"])
        block = nil
        #expect(died.value == 0)
        link.stopTelling(observer)
        #expect(died.value == 1)
    }

    @Test func LT_9_a_refused_observation_releases_its_block() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.setHandler { _ in }
            let died = Shared(0)
            let link = Link()
            let observer = PlainObserver()
            weak let weakObserver = observer
            do {
                let probe = Probe(died)
                let handle = link.tell(observer, when: \.[text: "#0"], on: .main) { _, _ in
                    probe.stay()
                }
                #expect(handle.failure?.kind == .unsupportedElement)
                #expect(handle.hasEnded)
            }
            #expect(died.value == 1)
            _ = consume observer
            #expect(weakObserver == nil)
        }
    }

    /// A block that holds its observer keeps it until the observation ends: documented at `tell`.
    @Test func LT_9_a_block_that_holds_its_observer() {
        weak var weakObserver: PlainObserver?
        let link = Link()
        let handle: ObservationHandle
        do {
            let observer = PlainObserver()
            weakObserver = observer
            handle = link.tell(observer, when: \.count, on: .main) { _, _ in observer.seen.append(1)
            }
        }
        #expect(weakObserver != nil)
        handle.stop()
        #expect(weakObserver == nil)

        do {
            let observer = PlainObserver()
            weakObserver = observer
            let root = Link()
            root.tell(observer, when: \.count, on: .main) { _, _ in observer.seen.append(1) }
        }
        #expect(weakObserver == nil, "the root's end ended it")
    }

    // MARK: - Sets in initialisers and deinits

    @Test func LT_10_a_set_in_the_deinit_of_the_root_calls_nothing() {
        let loop = DeliveryLoop()
        let observer = PlainObserver()
        let child = Link(1)
        do {
            let root = Link(next: child)
            root.tell(observer, when: \.count, \.next?.count, on: loop) { observer, _ in
                observer.seen.append(1)
            }
            root.tell(observer, when: \.next?.count, options: .immediate) { observer, _ in
                observer.seen.append(2)
            }
            root.atEnd = { root in
                root.count = 7
                root.next?.count = 8
                root.next = Link(9)
                #expect(root.count == 7)
                #expect(root.next?.count == 9)
            }
        }
        #expect(loop.drain() == 0)
        #expect(observer.seen == [])
        #expect(child.count == 8)
        #expect(child.allObservedProperties == [])
    }

    @Test func LT_10_a_set_in_the_deinit_of_an_observer_calls_others() {
        let loop = DeliveryLoop()
        let link = Link()
        let other = PlainObserver()
        link.tell(other, when: \.count, on: loop) { other, link in other.seen.append(link.count) }
        do {
            let observer = PlainObserver()
            link.tell(observer, when: \.count, on: loop) { _, _ in other.seen.append(-1) }
            link.tell(observer, when: \.count, options: .immediate) { _, _ in
                other.seen.append(-2)
            }
            observer.atEnd = { link.count = 4 }
        }
        #expect(loop.drain() == 1)
        #expect(other.seen == [4])
        #expect(link.numberOfObservers(of: "count") == 1)
    }

    @Test func LT_10_a_set_in_the_deinit_of_a_model_that_observes_calls_others() {
        let loop = DeliveryLoop()
        let link = Link()
        let other = PlainObserver()
        link.tell(other, when: \.count, on: loop) { other, link in other.seen.append(link.count) }
        do {
            let observer = Link()
            link.tell(observer, when: \.count, options: .immediate) { _, _ in
                other.seen.append(-2)
            }
            observer.atEnd = { _ in link.count = 4 }
        }
        #expect(loop.drain() == 1)
        #expect(other.seen == [4])
    }

    @Test func LT_10_a_set_in_the_deinit_of_a_middle_object() {
        let loop = DeliveryLoop()
        let root = Link()
        let observer = PlainObserver()
        let end = Link(1)
        do {
            let middle = Link(next: end)
            middle.atEnd = { middle in middle.next?.count = 2 }
            root.weakNext = middle
            root.tell(observer, when: \.weakNext?.next?.count, on: loop) { observer, root in
                observer.seen.append(root.weakNext?.next?.count ?? -1)
            }
        }
        #expect(loop.drain() == 1)
        #expect(observer.seen == [-1])
        #expect(end.count == 2)
    }

    @Test func LT_10_a_set_in_an_initialiser_stores() {
        let link = Link(5, next: Link(6))
        #expect(link.count == 5)
        #expect(link.next?.count == 6)
        #expect(link.allObservedProperties == [])
    }

    @Test func LT_10_an_object_that_begins_to_observe_in_its_deinit() {
        let died = Shared(0)
        let other = Link()
        do {
            let probe = Probe(died)
            let link = Link()
            link.tell(other, when: \.count, on: .main) { _, _ in }
            link.atEnd = { link in
                let handle = link.tell(other, when: \.next?.count, on: .main) { _, _ in
                    probe.stay()
                }
                handle.stop()
            }
        }
        #expect(died.value == 1)
    }

    // MARK: - Ends that are one

    @Test func LT_1_an_observer_that_is_its_root() {
        weak var weakLink: Link?
        do {
            let link = Link()
            weakLink = link
            link.tell(link, when: \.next?.count, options: .immediate) { observer, root in
                #expect(observer === root)
                observer.count += 1
            }
            link.next = Link(1)
            link.next?.count = 2
            #expect(link.count == 2)
        }
        #expect(weakLink == nil)
    }

    @Test func LT_1_a_token_that_its_root_keeps() {
        final class Keeper: ObservableModel {
            @Observed var count = 0
            var token: ObservationToken?
            var calls = 0
        }
        weak var weakKeeper: Keeper?
        let loop = DeliveryLoop()
        do {
            let keeper = Keeper()
            weakKeeper = keeper
            keeper.token = keeper.onChange(of: \.count, on: loop) { $0.calls += 1 }
            keeper.count = 1
            #expect(loop.drain() == 1)
            #expect(keeper.calls == 1)
        }
        #expect(weakKeeper == nil)
    }

    // MARK: - Bytes

    @Test func PK_3_an_observable_object_is_one_word_larger() {
        #expect(MemoryLayout<ObservationHeader>.size == 8)
        let plain = class_getInstanceSize(PlainBox.self)
        #expect(class_getInstanceSize(ObservedBox.self) == plain + 8)
        #expect(class_getInstanceSize(HostBox.self) == plain + 8)
        #expect(MemoryLayout<Observed<String>>.size == MemoryLayout<String>.size)
        #expect(MemoryLayout<Observed<Int?>>.size == MemoryLayout<Int?>.size)
        #expect(MemoryLayout<ObservedAs<AlwaysDifferent<Int>>>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<ObservedWeak<Link>>.size == 8)
        #expect(MemoryLayout<ObservedAtomic<String>>.size == 8)
    }

    // MARK: - Overlapping accesses

    @Test func PK_3_a_read_inside_a_mutation_of_the_same_property_stops_the_program() async {
        await #expect(processExitsWith: .failure) {
            let list = List()
            list.items.withUnsafeMutableBufferPointer { items in
                items[0] = list.items.count
            }
        }
    }

    @Test func PK_3_a_set_inside_a_mutation_of_the_same_property_stops_the_program() async {
        await #expect(processExitsWith: .failure) {
            let list = List()
            list.items.withUnsafeMutableBufferPointer { _ in list.items = [] }
        }
    }

    @Test func PK_3_the_same_while_it_is_observed() async {
        await #expect(processExitsWith: .failure) {
            let list = List()
            let token = list.onChange(of: \.items, on: .main) { _ in }
            list.items.withUnsafeMutableBufferPointer { items in
                items[0] = list.items.count
            }
            withExtendedLifetime(token) {}
        }
        await #expect(processExitsWith: .failure) {
            let list = List()
            let token = list.onChange(of: \.items, on: .main) { _ in }
            list.items.withUnsafeMutableBufferPointer { _ in list.items = [] }
            withExtendedLifetime(token) {}
        }
        await #expect(processExitsWith: .failure) {
            let list = List()
            let token = list.onChange(of: \.items, on: .main) { _ in }
            list.items.withUnsafeMutableBufferPointer { _ in list.items.append(1) }
            withExtendedLifetime(token) {}
        }
    }

    /// The plain property that the others are measured by.
    @Test func PK_3_a_plain_property_does_the_same() async {
        #if DEBUG  // optimised, the compiler leaves this check out where nobody else sees the class
            await #expect(processExitsWith: .failure) {
                let list = PlainList()
                list.items.withUnsafeMutableBufferPointer { items in
                    items[0] = list.items.count
                }
            }
        #endif
        await #expect(processExitsWith: .success) {
            let list = List()
            let token = list.onChange(of: \.items, on: .main, options: .immediate) { list in
                list.count = list.items.count
            }
            list.items.append(2)
            #expect(list.count == 2)
            list.items.withUnsafeMutableBufferPointer { items in items[0] = list.count }
            #expect(list.items == [2, 2])
            withExtendedLifetime(token) {}
        }
    }
}

private final class List: ObservableModel {
    @Observed var items = [1]
    @Observed var count = 0
}

private final class PlainList {
    var items = [1]
}

/// Bytes of an instance, from the class's metadata.
private func class_getInstanceSize(_ type: AnyClass) -> Int {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    // Behind kind, superclass, and on the platforms without Objective-C the flags and the place of
    // the address point: the size.
    #if canImport(ObjectiveC)
        return Int(metadata.load(fromByteOffset: 48, as: UInt32.self))
    #else
        return Int(metadata.load(fromByteOffset: 24, as: UInt32.self))
    #endif
}
