// SPDX-License-Identifier: Apache-2.0
//
// Sequences of values and of changes (BI-6): what they tell. Nobody waits here: a loop that is
// drained by hand has brought the element before it is asked for.

import ObservableSwift
import Testing

private final class Playlist: ObservableModel {
    @Observed var links = ObservableArray<Link>()
}

private class Meter: ObservableModel {
    @Observed var level = 1
}

/// Does something once, when it is read.
private final class ReadMeter: Meter {
    var whenRead: (() -> Void)?

    override var level: Int {
        get {
            let level = super.level
            let body = whenRead
            whenRead = nil
            body?()
            return level
        }
        set { super.level = newValue }
    }
}

@Suite(.timeLimit(.minutes(1))) struct SequenceTests {
    private let loop = DeliveryLoop {}

    @Test func BI_6_the_present_value_comes_first() async {
        let link = Link(1)
        var counts = link.values(of: \.count).on(loop).makeAsyncIterator()
        #expect(await counts.next() == 1)
        link.count = 2
        loop.drain()
        #expect(await counts.next() == 2)
        var texts = link.values(of: \.[text: "count"]).on(loop).makeAsyncIterator()
        #expect(await texts.next() as? Int == 2)
        withExtendedLifetime(link) {}
    }

    @Test func BI_6_changes_begin_with_the_first_one() async {
        let link = Link(1)
        var counts = link.changes(of: \.count).on(loop).makeAsyncIterator()
        var texts = link.changes(of: \.[text: "count"]).on(loop).makeAsyncIterator()
        // Before anybody has asked: it is not lost.
        link.count = 2
        loop.drain()
        let change = await counts.next()
        #expect(change?.old == 1 && change?.new == 2)
        #expect(change?.wasReachable == true && change?.isReachable == true)
        let text = await texts.next()
        #expect(text?.old as? Int == 1 && text?.new as? Int == 2)
        withExtendedLifetime(link) {}
    }

    @Test func BI_6_the_newest_value_alone_waits() async {
        var link: Link? = Link(1)
        var counts = link!.values(of: \.count).on(loop).makeAsyncIterator()
        for count in 2...5 {
            link!.count = count
            loop.drain()
        }
        link = nil
        #expect(await counts.next() == 5)
        #expect(await counts.next() == nil)
    }

    @Test func BI_6_changes_that_wait_are_one() async {
        var link: Link? = Link(1)
        var counts = link!.changes(of: \.next?.count).on(loop).makeAsyncIterator()
        link!.next = Link(2)
        loop.drain()
        link!.next!.count = 3
        loop.drain()
        let first = await counts.next()
        #expect(first?.old == nil && first?.new == 3)
        #expect(first?.wasReachable == false && first?.isReachable == true)
        link!.next!.count = 4
        loop.drain()
        link!.next = nil
        loop.drain()
        link = nil
        let second = await counts.next()
        #expect(second?.old == 3 && second?.new == nil)
        #expect(second?.wasReachable == true && second?.isReachable == false)
        #expect(await counts.next() == nil)
    }

    @Test func BI_6_nil_and_unreachable_are_values() async {
        let link = Link(1)
        var counts = link.values(of: \.next?.count).on(loop).makeAsyncIterator()
        #expect(await counts.next() == .some(nil))
        link.next = Link(2)
        loop.drain()
        #expect(await counts.next() == 2)
        link.next = nil
        loop.drain()
        #expect(await counts.next() == .some(nil))
        withExtendedLifetime(link) {}
    }

    @Test func BI_6_each_iteration_observes_for_itself() async {
        let link = Link(1)
        let counts = link.values(of: \.count).on(loop)
        #expect(link.numberOfObservers(of: "count") == 0)
        var first = counts.makeAsyncIterator()
        #expect(await first.next() == 1)
        link.count = 2
        var second = counts.makeAsyncIterator()
        #expect(link.numberOfObservers(of: "count") == 2)
        #expect(await second.next() == 2)
        link.count = 3
        loop.drain()
        #expect(await first.next() == 3)
        #expect(await second.next() == 3)
        withExtendedLifetime(link) {}
    }

    /// What the consumer changes is no change of a block's own.
    @Test func BI_6_DR_3_what_the_consumer_changes_is_told() async {
        let link = Link(1)
        var seen: [Int?] = []
        for await count in link.values(of: \.count).on(loop) {
            seen.append(count)
            if count == 4 { break }
            link.count += 1
            loop.drain()
        }
        #expect(seen == [1, 2, 3, 4])
    }

    @Test func BI_6_OB_2_options() async {
        let link = Link(1)
        var immediate = link.values(of: \.count).on(loop).options([.immediate, .prior])
            .makeAsyncIterator()
        var net = link.values(of: \.count).on(loop).options(.skipsReverted).makeAsyncIterator()
        var initial = link.changes(of: \.count).on(loop).options(.initial).makeAsyncIterator()
        var values = link.values(of: \.count).on(loop).options(.initial).makeAsyncIterator()
        #expect(await immediate.next() == 1)
        #expect(await net.next() == 1)
        #expect(await values.next() == 1)
        // Only the change's initial call is scheduled.
        #expect(loop.drain() == 1)
        let present = await initial.next()
        #expect(present?.old == 1 && present?.new == 1)
        link.count = 2
        #expect(await immediate.next() == 2)
        link.count = 1
        #expect(loop.drain() == 2)
        link.count = 3
        #expect(loop.drain() == 3)
        #expect(await net.next() == 3)
        #expect(await values.next() == 3)
        withExtendedLifetime((link, immediate, initial)) {}
    }

    /// It comes between the beginning and the reading of the present value.
    @Test func BI_6_no_older_value_comes_after_a_newer_one() async {
        let meter = ReadMeter()
        // The class is known, so only the present value is read.
        meter.onChange(of: \.level, on: loop) { _ in }.cancel()
        var wasObserved = false
        meter.whenRead = {
            wasObserved = meter.numberOfObservers(of: "level") == 1
            meter.level = 2
        }
        var levels = meter.values(of: \.level).on(loop).options(.immediate)
            .makeAsyncIterator()
        #expect(wasObserved)
        #expect(await levels.next() == 2)
        withExtendedLifetime(meter) {}
    }

    @Test func BI_6_OB_2_a_call_before_the_store_is_no_element() async {
        let link = Link(1, next: Link(2))
        var counts = link.values(of: \.next?.count).on(loop).options([.immediate, .prior])
            .makeAsyncIterator()
        // There is one, and nothing differs after it.
        link.next = Link(2)
        #expect(await counts.next() == 2)
        withExtendedLifetime(link) {}
    }

    @Test func BI_6_a_comparison_and_a_label() async {
        let link = Link(1)
        var counts = link.values(of: \.count).on(loop).comparing(
            .by { (a: Int, b: Int) in a / 10 == b / 10 }
        ).named("tens").makeAsyncIterator()
        #expect(ObservationInspector(link).observers.map(\.label) == ["tens"])
        link.count = 2
        #expect(loop.drain() == 0)
        link.count = 12
        #expect(loop.drain() == 1)
        #expect(await counts.next() == 12)
        withExtendedLifetime(link) {}
    }

    /// With its path the observation ends, and so does the sequence.
    @Test func BI_6_AR_1_an_element_that_leaves_ends_it() async {
        let list = Playlist()
        list.links = [Link(1), Link(2)]
        var counts = list.values(of: \.links[following: 1].count).on(loop).makeAsyncIterator()
        #expect(await counts.next() == 2)
        list.links.insert(Link(0), at: 0)
        list.links[2].count = 3
        loop.drain()
        #expect(await counts.next() == 3)
        list.links.remove(at: 2)
        loop.drain()
        #expect(await counts.next() == .some(nil))
        #expect(await counts.next() == nil)
        withExtendedLifetime(list) {}
    }

    @Test func BI_6_what_is_refused_is_empty_and_told() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let loop = DeliveryLoop {}
            let link = Link(1)
            for await _ in link.values(of: \.allProperties).on(loop) { Issue.record() }
            for await _ in link.changes(of: \.[text: "*"]).on(loop) { Issue.record() }
            // Neither an isolation nor a loop says where it belongs.
            for await _ in link.values(of: \.count, isolation: nil) { Issue.record() }
            #expect(reports.value.map(\.kind) == [.refused, .refused, .refused])
            #expect(link.allObservedProperties.isEmpty)
        }
    }

    /// As with every observation by text, the path leads nowhere.
    @Test func BI_6_a_property_that_is_not_there_is_told() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let loop = DeliveryLoop {}
            var link: Link? = Link(1)
            var values = link!.values(of: \.[text: "cuont"]).on(loop).makeAsyncIterator()
            #expect(reports.value.map(\.path) == ["cuont"])
            switch await values.next() {
            case .some(nil): break
            default: Issue.record("not nil")
            }
            link = nil
            #expect(await values.next() == nil)
        }
        await #expect(processExitsWith: .failure) {
            _ = Link(1).values(of: \.[text: "a..b"])
        }
    }
}
