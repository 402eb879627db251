// SPDX-License-Identifier: Apache-2.0
//
// What ends a sequence (BI-6), and what it keeps. A consumer that waits is on the main actor, as its
// test is: once the test goes on, the consumer is suspended.

import ObservableSwift
import Testing

/// Takes everything from a sequence.
@MainActor private final class Consumer<Element> {
    private(set) var seen: [Element] = []
    private(set) var hasEnded = false
    private(set) var task: Task<Void, Never>!
    private let asks = Event()

    init(_ sequence: ObservationSequence<Element>) {
        var iterator = sequence.makeAsyncIterator()
        let asks = asks
        task = Task {
            asks.happen()
            while let element = await iterator.next(isolation: #isolation) {
                self.seen.append(element)
                asks.happen()
            }
            self.hasEnded = true
        }
    }

    /// Goes on when it has asked once more, and so waits unless there was something.
    func hasAsked() async {
        await asks.come()
    }
}

@MainActor @Suite(.timeLimit(.minutes(1))) struct SequenceEndTests {
    private let loop = DeliveryLoop {}

    @Test func BI_6_who_waits_is_told() async {
        let link = Link(1)
        let consumer = Consumer(link.changes(of: \.count).on(loop))
        await consumer.hasAsked()
        link.count = 2
        #expect(consumer.seen.isEmpty)
        loop.drain()
        // Before the consumer runs: it finds one change.
        link.count = 3
        loop.drain()
        await consumer.hasAsked()
        #expect(consumer.seen.map(\.old) == [1])
        #expect(consumer.seen.map(\.new) == [3])
        consumer.task.cancel()
        await consumer.task.value
        withExtendedLifetime(link) {}
    }

    @Test func BI_6_the_death_of_the_root_ends_who_waits() async {
        var link: Link? = Link(1)
        let consumer = Consumer(link!.values(of: \.next?.count).on(loop))
        await consumer.hasAsked()
        await consumer.hasAsked()
        #expect(!consumer.hasEnded)
        link = nil
        await consumer.task.value
        #expect(consumer.seen == [nil])
    }

    @Test func BI_6_what_waits_at_the_death_of_the_root_is_told() async {
        var link: Link? = Link(1)
        weak let weakLink = link
        var counts = link!.values(of: \.count).on(loop).makeAsyncIterator()
        var changes = link!.changes(of: \.count).on(loop).makeAsyncIterator()
        link!.count = 2
        link = nil
        // The calls are still to come.
        #expect(weakLink != nil)
        loop.drain()
        #expect(weakLink == nil)
        #expect(await counts.next(isolation: #isolation) == 2)
        #expect(await counts.next(isolation: #isolation) == nil)
        #expect(await changes.next(isolation: #isolation)?.old == 1)
        #expect(await changes.next(isolation: #isolation) == nil)
        #expect(await changes.next(isolation: #isolation) == nil)
    }

    @Test func BI_6_of_a_root_that_is_gone_there_is_nothing() async {
        var link: Link? = Link(1)
        weak let weakLink = link
        let counts = link!.values(of: \.count).on(loop)
        let changes = link!.changes(of: \.count).on(loop)
        link = nil
        #expect(weakLink == nil)
        for await _ in counts { Issue.record("a value") }
        for await _ in changes { Issue.record("a change") }
    }

    @Test func BI_6_cancellation_ends_the_observation() async {
        let link = Link(1)
        let consumer = Consumer(link.values(of: \.count).on(loop))
        await consumer.hasAsked()
        await consumer.hasAsked()
        #expect(link.numberOfObservers(of: "count") == 1)
        link.count = 2
        consumer.task.cancel()
        await consumer.task.value
        #expect(consumer.hasEnded)
        #expect(consumer.seen == [1])
        #expect(link.numberOfObservers(of: "count") == 0)
        #expect(loop.pendingCount == 0)
    }

    /// What waits is not told, and nothing ever after.
    @Test func BI_6_a_cancelled_task_is_told_nothing() async {
        let link = Link(1)
        let counts = link.values(of: \.count).on(loop)
        let task = Task {
            var iterator = counts.makeAsyncIterator()
            #expect(link.numberOfObservers(of: "count") == 1)
            #expect(await iterator.next(isolation: #isolation) == nil)
            #expect(link.numberOfObservers(of: "count") == 0)
            #expect(await iterator.next(isolation: #isolation) == nil)
        }
        task.cancel()
        await task.value
    }

    @Test func BI_6_leaving_the_loop_ends_the_observation() async {
        let link = Link(1)
        for await count in link.values(of: \.count).on(loop) {
            #expect(link.numberOfObservers(of: "count") == 1)
            if count == 1 { break }
        }
        #expect(link.numberOfObservers(of: "count") == 0)
    }

    @Test func BI_6_letting_go_of_an_iterator_ends_the_observation() {
        let link = Link(1)
        var iterator: ObservationSequence<Int?>.Iterator? =
            link.values(of: \.count).on(loop).makeAsyncIterator()
        link.count = 2
        #expect(loop.pendingCount == 1)
        #expect(link.numberOfObservers(of: "count") == 1)
        withExtendedLifetime(iterator) {}
        iterator = nil
        #expect(link.numberOfObservers(of: "count") == 0)
        #expect(loop.pendingCount == 0)
    }

    /// Neither the root nor what waits, whether the iterator goes first or the root.
    @Test func BI_6_LT_1_nothing_is_kept() async {
        for rootGoesFirst in [true, false] {
            let died = Shared(0)
            var root: Link? = Link(1)
            root!.atEnd = { [probe = Probe(died)] _ in probe.stay() }
            var iterator: ObservationSequence<Link?>.Iterator? =
                root!.values(of: \.next).on(loop).makeAsyncIterator()
            var changes: ObservationSequence<ObservedChange<Link, Link>>.Iterator? =
                root!.changes(of: \.next).on(loop).makeAsyncIterator()
            for count in 1...3 {
                let next = Link(count)
                next.atEnd = { [probe = Probe(died)] _ in probe.stay() }
                root!.next = next
                loop.drain()
            }
            #expect(died.value == 2)
            withExtendedLifetime((iterator, changes)) {}
            if rootGoesFirst {
                root = nil
                #expect(died.value == 3)
                iterator = nil
                changes = nil
            } else {
                iterator = nil
                changes = nil
                #expect(died.value == 2)
                root = nil
            }
            #expect(died.value == 4)
        }
    }

    /// A value that is let go of uses the sequence that it comes from.
    @Test func BI_6_RE_5_no_lock_is_held_where_a_value_ends() async {
        let link = Link(1)
        var iterator = link.values(of: \.next).on(loop).options(.immediate).makeAsyncIterator()
        let first = Link(1)
        link.next = first
        _ = await iterator.next(isolation: #isolation)
        link.next = Link(2)
        link.next!.atEnd = { _ in
            link.next = first
        }
        link.next = nil
        let newest = await iterator.next(isolation: #isolation)
        #expect(newest! === first)
        withExtendedLifetime(link) {}
    }

    @Test func BI_6_two_tasks_at_one_iterator_stop_the_program() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let link = Link(1)
            let loop = DeliveryLoop {}
            let iterator = link.changes(of: \.count).on(loop).makeAsyncIterator()
            let tasks = (0..<2).map { _ in
                Task { @MainActor in
                    var iterator = iterator
                    _ = await iterator.next(isolation: #isolation)
                }
            }
            for task in tasks { await task.value }
            withExtendedLifetime(link) {}
        }
        let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(told.contains("two tasks wait for the next element of one iterator"))
    }
}
