// SPDX-License-Identifier: Apache-2.0
//
// LT-5: observers that are told that a root has died. What scripts can say: Tests/scenarios/lt.scn.

import Dispatch
import ObservableSwift
import Testing

/// What an observer was told.
private final class Heard: Sendable {
    private let notices = Shared<[(root: ObservationIdentity, path: String)]>([])

    var all: [ObservationIdentity] { notices.value.map(\.root) }
    var paths: [String] { notices.value.map(\.path) }

    func note(_ root: ObservationIdentity, _ path: String) {
        notices.change { $0.append((root, path)) }
    }
}

private final class PlainSubscriber: DeallocationAware {
    let heard = Heard()

    func rootDidDeallocate(_ root: ObservationIdentity, path: String) { heard.note(root, path) }
}

private class SilentSubscriber {
    let heard = Heard()
}

private final class HearingSubclass: SilentSubscriber, DeallocationAware {
    func rootDidDeallocate(_ root: ObservationIdentity, path: String) { heard.note(root, path) }
}

private final class ModelSubscriber: ObservableModel, DeallocationAware {
    let heard = Heard()

    func rootDidDeallocate(_ root: ObservationIdentity, path: String) { heard.note(root, path) }
}

private final class HostSubscriber: ObservableHost, DeallocationAware {
    let observation = ObservationHeader()
    let heard = Heard()

    func rootDidDeallocate(_ root: ObservationIdentity, path: String) { heard.note(root, path) }
}

@MainActor private final class Page: DeallocationAware {
    private var closed = 0
    let told = Event()

    func show(_ gauge: Gauge, _ options: ObservationOptions = []) {
        gauge.tell(self, when: \.level, options: options) { page, _ in page.closed += 0 }
    }

    nonisolated func rootDidDeallocate(_: ObservationIdentity, path _: String) {
        MainActor.assumeIsolated {
            closed += 1
            told.happen()
        }
    }
}

private actor Keeper: DeallocationAware {
    let told = Event()
    private var count = 0

    func observe(_ gauge: Gauge, _ options: ObservationOptions = []) {
        gauge.tell(self, when: \.level, options: options) { _, _ in self.count += 1 }
    }

    nonisolated func rootDidDeallocate(_: ObservationIdentity, path _: String) {
        assumeIsolated { $0.count += 1 }
        told.happen()
    }
}

@Suite struct DeallocationTests {
    @Test func LT_5_observers_of_every_kind_are_told() {
        let loop = DeliveryLoop()
        let plain = PlainSubscriber()
        let subclass = HearingSubclass()
        let model = ModelSubscriber()
        let host = HostSubscriber()
        let silent = SilentSubscriber()
        var link: Link? = Link()
        let identity = ObservationIdentity(link!)
        link!.tell(plain, when: \.[text: "count"], on: loop) { _, _ in }
        link!.tell(subclass as SilentSubscriber, when: \.[text: "count"], on: loop) { _, _ in }
        link!.tell(model, when: \.[text: "next.count"], on: loop) { _, _ in }
        link!.tell(host, when: \.[text: "*"], on: loop) { _, _ in }
        link!.tell(silent, when: \.[text: "count"], on: loop) { _, _ in }
        link = nil
        #expect(plain.heard.all.isEmpty)
        #expect(loop.drain() == 0)
        #expect(plain.heard.paths == ["count"])
        #expect(subclass.heard.paths == ["count"])
        #expect(model.heard.paths == ["next.count"])
        #expect(host.heard.paths == ["*"])
        #expect(silent.heard.all.isEmpty)
        #expect(plain.heard.all == [identity!])
        #expect(loop.drain() == 0)
        #expect(plain.heard.all.count == 1)
    }

    @Test func LT_5_a_typed_path_is_told_as_text() {
        let loop = DeliveryLoop()
        let subscriber = PlainSubscriber()
        var link: Link? = Link(next: Link())
        link!.tell(subscriber, when: \.next?.count, on: loop) { _, _ in }
        link!.tell(subscriber, when: \.count, \.next, on: loop) { _, _ in }
        link!.tell(subscriber, when: .any(of: [TextPath]().map { \.[text: $0] }), on: loop) {
            _, _ in
        }
        link = nil
        loop.drain()
        #expect(subscriber.heard.paths.sorted() == ["", "count", "next", "next.count"])
    }

    @Test func LT_5_an_identity_is_not_an_address() {
        var seen: Set<ObservationIdentity> = []
        var addresses: Set<ObjectIdentifier> = []
        for _ in 0..<100 {
            let link = Link()
            let identity = ObservationIdentity(link)
            #expect(identity != nil && identity == ObservationIdentity(link))
            seen.insert(identity!)
            addresses.insert(ObjectIdentifier(link))
        }
        #expect(seen.count == 100)
        #expect(addresses.count < 100)
    }

    @Test func LT_5_a_notice_holds_neither_observer_nor_block() {
        let loop = DeliveryLoop()
        let died = Shared(0)
        func observe(_ subscriber: some AnyObject, _ link: Link) {
            let probe = Probe(died)
            link.tell(subscriber, when: \.count, on: loop) { _, _ in probe.stay() }
        }
        weak var gone: PlainSubscriber?
        let plain = PlainSubscriber()
        let model = ModelSubscriber()
        let heard: Heard
        do {
            let dying = PlainSubscriber()
            gone = dying
            heard = dying.heard
            let link = Link()
            observe(plain, link)
            observe(model, link)
            observe(dying, link)
        }
        // LT-9: the blocks go with the observations, though notices are under way.
        #expect(died.value == 3)
        #expect(gone == nil)
        loop.drain()
        #expect(heard.all.isEmpty)
        #expect(plain.heard.all.count == 1)
        #expect(model.heard.all.count == 1)
    }

    @Test func LT_5_a_notice_may_end_everything() {
        final class Ender: DeallocationAware {
            var token: ObservationToken?
            var other: Link?
            var told = 0

            func rootDidDeallocate(_: ObservationIdentity, path _: String) {
                told += 1
                token = nil
                other = nil
            }
        }
        let loop = DeliveryLoop()
        let ender = Ender()
        var link: Link? = Link()
        ender.other = Link()
        ender.token = ender.other!.changes(of: \.count).on(loop).onChange { _ in }
        ender.other!.tell(ender, when: \.count, on: loop) { _, _ in }
        link!.tell(ender, when: \.count, on: loop) { _, _ in }
        link = nil
        loop.drain()
        // What dies in the drain is told before it returns.
        #expect(ender.told == 2)
    }

    @Test func LT_5_an_immediate_notice_comes_at_once() {
        let subscriber = ModelSubscriber()
        var link: Link? = Link()
        let handle = link!.tell(subscriber, when: \.count, options: .immediate) { _, _ in }
        link = nil
        #expect(subscriber.heard.paths == ["count"])
        #expect(handle.hasEnded)
    }

    @Test func LT_5_in_a_deinit_notices_of_others_are_told() {
        let subscriber = ModelSubscriber()
        var inner: Link? = Link()
        inner!.tell(subscriber, when: \.count, options: .immediate) { _, _ in }
        var outer: Link? = Link(next: inner)
        inner = nil
        outer!.tell(subscriber, when: \.next?.count, options: .immediate) { _, _ in }
        outer = nil
        #expect(subscriber.heard.paths == ["next.count", "count"])
    }

    @Test func LT_5_the_main_actor_is_told_on_it() async {
        for options: ObservationOptions in [[], .immediate] {
            let gauge = Shared<Gauge?>(Gauge())
            let page = Page()
            await page.show(gauge.value!, options)
            // It dies elsewhere: the immediate one is told by the loop then.
            DispatchQueue.global().async { gauge.change { $0 = nil } }
            await page.told.come()
        }
    }

    @Test func LT_5_an_actor_is_told_in_its_isolation() async {
        for options: ObservationOptions in [[], .immediate] {
            let gauge = Shared<Gauge?>(Gauge())
            let keeper = Keeper()
            await keeper.observe(gauge.value!, options)
            DispatchQueue.global().async { gauge.change { $0 = nil } }
            await keeper.told.come()
        }
    }

    @MainActor @Test func LT_5_in_its_isolation_an_immediate_one_is_told_at_once() {
        @MainActor final class Counter: DeallocationAware {
            var told = 0

            nonisolated func rootDidDeallocate(_: ObservationIdentity, path _: String) {
                MainActor.assumeIsolated { told += 1 }
            }
        }
        let counter = Counter()
        var gauge: Gauge? = Gauge()
        gauge!.tell(counter, when: \.level, options: .immediate) { counter, _ in counter.told += 0 }
        gauge = nil
        #expect(counter.told == 1)
    }

    @Test func LT_5_roots_and_observers_die_on_all_threads() {
        let loop = DeliveryLoop()
        let heard = Shared(0)
        final class Counter: DeallocationAware, Sendable {
            let heard: Shared<Int>
            init(_ heard: Shared<Int>) { self.heard = heard }
            func rootDidDeallocate(_: ObservationIdentity, path _: String) {
                heard.change { $0 += 1 }
            }
        }
        let kept = (0..<400).map { _ in Counter(heard) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<400 {
                let gauge = Gauge()
                gauge.tell(kept[index], when: \.level, on: loop) { _, _ in }
                gauge.tell(Counter(heard), when: \.title, on: loop) { _, _ in }
                gauge.tell(kept[index], when: \.[text: "*"], on: loop, options: .immediate) {
                    _, _ in
                }
                if thread == 0 {
                    loop.drain()
                }
            }
        }
        loop.drain()
        #expect(heard.value == 4 * 400 * 2)
        withExtendedLifetime(kept) {}
    }

    // MARK: - LT-1

    /// The parts of a program, each held in one place.
    private final class Parts {
        var handle: ObservationHandle?
        var token: ObservationToken?
        var root: Link?
        var middle: Link?
        var observer: ModelSubscriber? = ModelSubscriber()
        var loop: DeliveryLoop? = DeliveryLoop()
        let died = Shared(0)

        init(isWeak: Bool, _ options: ObservationOptions) {
            let probe = Probe(died)
            let middle = Link()
            let root = Link()
            if isWeak { root.weakNext = middle } else { root.next = middle }
            self.root = root
            self.middle = middle
            handle = root.tell(
                observer!, when: \.[text: isWeak ? "weakNext.count" : "next.count"], on: loop,
                options: options
            ) { _, _ in probe.stay() }
            token = root.changes(of: \.count).on(loop).onChange { _ in probe.stay() }
        }

        func end(_ part: Int) {
            switch part {
            case 0: handle = nil
            case 1: token = nil
            case 2: root = nil
            case 3: middle = nil
            case 4: observer = nil
            default: loop = nil
            }
        }
    }

    @Test func LT_1_all_parts_of_a_program_end_in_every_order() {
        var orders: [[Int]] = [[]]
        for part in 0..<6 {
            orders = orders.flatMap { order in
                (0...order.count).map { at in
                    var order = order
                    order.insert(part, at: at)
                    return order
                }
            }
        }
        #expect(orders.count == 720)
        for (number, order) in orders.enumerated() {
            let parts = Parts(
                isWeak: number.isMultiple(of: 2), number.isMultiple(of: 3) ? .immediate : [])
            weak let root = parts.root
            weak let observer = parts.observer
            let heard = parts.observer!.heard
            if number.isMultiple(of: 5) {
                parts.middle?.count = 5
                parts.root?.count = 5
            }
            for part in order {
                parts.end(part)
                if number.isMultiple(of: 7) {
                    parts.loop?.drain()
                }
            }
            #expect(root == nil && observer == nil, "\(order)")
            #expect(parts.died.value == 1, "\(order)")
            #expect(heard.all.count <= 1, "\(order)")
        }
    }

    // MARK: - LT-6

    @Test func LT_6_what_dies_itself_is_unreachable_as_old_value() {
        let link = Link()
        var weakNext: Link? = Link(7)
        link.weakNext = weakNext
        let changes = Shared<[String]>([])
        let token = link.changes(of: \.weakNext).options(.immediate).onChange { change in
            changes.change {
                $0.append("\(change.wasReachable) \(change.isReachable) \(change.new == nil)")
            }
        }
        let below = Shared<[Int?]>([])
        let other = link.changes(of: \.weakNext?.count).options(.immediate).onChange { change in
            below.change { $0.append(change.old) }
        }
        weakNext?.count = 8
        weakNext = nil
        #expect(changes.value == ["false true true"])
        #expect(below.value == [7, 8])
        withExtendedLifetime((token, other)) {}
    }
}
