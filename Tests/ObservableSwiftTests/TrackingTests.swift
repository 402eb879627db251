// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private final class Page: ObservableModel {
    @Observed var title = "a"
    @Observed var isShown = true
    @Observed var number = 1
    @Observed var next: Page?
    @Observed var items: ObservableArray<Int> = []
    var tens: Int { computed { number / 10 } }
}

private final class View {
    var seen: [String] = []
    var new: [String] {
        defer { seen = [] }
        return seen
    }
}

@Suite struct TrackingTests {
    private let loop = DeliveryLoop()

    @Test func OB_3_a_tracking_block_is_called_when_what_it_read_changes() {
        let page = Page()
        let view = View()
        page.tracking { $0.title }.on(loop).tell(view) { $0.seen.append($1) }
        #expect(view.new == ["a"])
        page.number = 2
        loop.drain()
        #expect(view.new == [])
        page.title = "b"
        page.title = "c"
        #expect(view.new == [])
        loop.drain()
        #expect(view.new == ["c"])
        loop.drain()
        #expect(view.new == [])
    }

    @Test func OB_3_reads_are_found_anew() {
        let page = Page()
        let view = View()
        page.tracking { page in
            view.seen.append(page.isShown ? page.next?.title ?? "none" : "hidden")
        }.on(loop).tell(view) { _, _ in }
        #expect(view.new == ["none"])
        let next = Page()
        page.next = next
        loop.drain()
        #expect(view.new == ["a"])
        next.title = "b"
        loop.drain()
        #expect(view.new == ["b"])
        page.isShown = false
        loop.drain()
        #expect(view.new == ["hidden"])
        next.title = "c"
        page.next = nil
        loop.drain()
        #expect(view.new == [])
        page.isShown = true
        loop.drain()
        #expect(view.new == ["none"])
    }

    @Test func LL_3_computed_properties_and_collections_are_tracked() {
        let page = Page()
        let view = View()
        page.tracking { "\($0.tens) \($0.items.count)" }.on(loop).tell(view) { $0.seen.append($1) }
        #expect(view.new == ["0 0"])
        page.number = 11
        loop.drain()
        #expect(view.new == ["1 0"])
        page.items.append(4)
        loop.drain()
        #expect(view.new == ["1 1"])
    }

    @Test func DR_3_a_tracking_block_that_sets_what_it_reads() {
        let page = Page()
        let view = View()
        page.tracking { page in
            view.seen.append("\(page.number)")
            page.number += 1
        }.on(loop).tell(view) { _, _ in }
        let token = page.tracking { page in
            view.seen.append("token \(page.title)")
            page.title += "x"
        }.on(loop).onChange {}
        #expect(view.new == ["1", "token a"])
        for _ in 0..<3 { loop.drain() }
        #expect(view.new == [] && page.number == 2 && page.title == "ax")
        page.number = 7
        page.title = "b"
        for _ in 0..<3 { loop.drain() }
        #expect(view.new == ["7", "token b"] && page.number == 8 && page.title == "bx")
        page.number = 9
        for _ in 0..<3 { loop.drain() }
        #expect(view.new == ["9"])
        withExtendedLifetime(token) {}
    }

    @Test func DR_3_what_others_set_in_the_drain_calls_it_again() {
        let page = Page()
        let view = View()
        page.tracking { $0.title }.on(loop).tell(view) { $0.seen.append($1) }
        page.tell(view, when: \.number, on: loop) { _, page in page.title += "!" }
        _ = view.new
        page.title = "b"
        page.number = 2
        loop.drain()
        loop.drain()
        #expect(view.new == ["b", "b!"])
    }

    @Test func DR_3_what_an_immediate_block_sets_within_it_calls_it_again() {
        let page = Page()
        let view = View()
        let other = View()
        page.tell(other, when: \.number, options: .immediate) { _, page in
            page.title = "\(page.number)"
        }
        page.tracking { page in
            view.seen.append(page.title)
            page.number = page.items.count + 2
        }.on(loop).tell(view) { _, _ in }
        #expect(view.new == ["a"] && page.title == "2")
        loop.drain()
        #expect(view.new == ["2"])
        loop.drain()
        #expect(view.new == [])
        page.items.append(1)
        loop.drain()
        #expect(view.new == ["2"])
        loop.drain()
        #expect(view.new == ["3"])
        loop.drain()
        #expect(view.new == [])
        page.title = "b"
        loop.drain()
        #expect(view.new == ["b"])
    }

    @Test func DR_9_what_a_drain_within_it_sets_calls_it_again() {
        let page = Page()
        let view = View()
        let other = View()
        let inner = DeliveryLoop()
        page.tell(other, when: \.number, on: inner) { _, page in page.title += "!" }
        page.number = 2
        let token = page.tracking { page in
            view.seen.append(page.title)
            inner.drain()
        }.on(loop).onChange {}
        #expect(view.new == ["a"])
        loop.drain()
        #expect(view.new == ["a!"])
        page.number = 3
        page.title = "b"
        loop.drain()
        #expect(view.new == ["b"])
        loop.drain()
        loop.drain()
        #expect(view.new == ["b!"])
        withExtendedLifetime(token) {}
    }

    @Test func ST_5_a_tracking_block_that_stops_itself_is_not_called_again() {
        let page = Page()
        let view = View()
        let other = View()
        page.tell(other, when: \.number, options: .immediate) { _, page in page.title += "!" }
        page.tracking { page in
            view.seen.append(page.title)
            if page.isShown { return }
            page.stopTelling(view)
            page.number += 1
        }.on(loop).tell(view) { _, _ in }
        page.isShown = false
        loop.drain()
        #expect(view.new == ["a", "a"] && page.title == "a!")
        loop.drain()
        #expect(view.new == [])
    }

    @Test func OB_3_a_tracking_block_within_another_is_its_own() {
        let page = Page()
        let view = View()
        var token: ObservationToken?
        page.tracking { [loop] page in
            view.seen.append("outer \(page.title)")
            guard token == nil else { return }
            token = page.tracking { page in view.seen.append("inner \(page.number)") }.on(loop)
                .onChange {}
        }.on(loop).tell(view) { _, _ in }
        #expect(view.new == ["outer a", "inner 1"])
        page.number = 2
        loop.drain()
        #expect(view.new == ["inner 2"])
        withExtendedLifetime(token) {}
    }

    @Test func ST_1_a_tracking_block_ends() {
        let page = Page()
        let view = View()
        let handle = page.tracking { $0.title }.on(loop).tell(view) { $0.seen.append($1) }
        page.tracking { "also \($0.title)" }.on(loop).tell(view) { $0.seen.append($1) }
        var token: ObservationToken? = page.tracking { $0.title }.on(loop).onChange {
            view.seen.append("token \($0)")
        }
        _ = view.new
        token = nil
        page.title = "b"
        loop.drain()
        #expect(view.new == ["b", "also b"])
        handle.stop()
        page.title = "c"
        loop.drain()
        #expect(view.new == ["also c"])
        page.stopTelling(view)
        page.title = "d"
        loop.drain()
        #expect(view.new == [] && handle.hasEnded && token == nil)
    }

    @Test func LT_1_a_tracking_block_keeps_nothing_alive() {
        var page: Page? = Page()
        var view: View? = View()
        let next = Page()
        weak let (weakPage, weakView) = (page, view)
        page!.next = next
        let handle = page!.tracking { $0.next?.title ?? "" }.on(loop).tell(view!) {
            $0.seen.append($1)
        }
        view = nil
        #expect(weakView == nil)
        next.title = "b"
        loop.drain()
        #expect(handle.hasEnded)
        let other = View()
        let second = page!.tracking { $0.next!.title }.on(loop).tell(other) { $0.seen.append($1) }
        page = nil
        #expect(weakPage == nil && second.hasEnded)
        next.title = "c"
        loop.drain()
        #expect(other.seen == ["b"])
    }

    @Test func DR_6_a_tracking_block_by_hand() {
        let page = Page()
        let view = View()
        let handle = page.tracking { $0.title }.on(loop).tell(view) { $0.seen.append($1) }
        let token = page.tracking { $0.title }.on(loop).onChange { view.seen.append("token \($0)") }
        _ = view.new
        for _ in 0..<2 {
            handle.schedule()
            token.schedule()
            for _ in 0..<3 { loop.drain() }
            #expect(view.new == ["a", "token a"])
            #expect(handle.execute() && token.execute())
            for _ in 0..<3 { loop.drain() }
            #expect(view.new == ["a", "token a"])
        }
        page.title = "b"
        for _ in 0..<3 { loop.drain() }
        #expect(view.new == ["b", "token b"])
    }

    @MainActor @Test func TH_3_a_tracking_block_in_its_isolation() {
        let bill = IsolatedBill()
        let view = View()
        bill.tracking { $0.heading }.tell(view) { $0.seen.append($1) }
        #expect(view.new == ["<a>"])
        bill.title = "b"
        DeliveryLoop.main.drain()
        #expect(view.new == ["<b>"])
    }

    @Test func LT_1_many_tracking_blocks_one_after_the_other() {
        let page = Page()
        for round in 0..<200 {
            let view = View()
            let other = Page()
            other.number = round
            other.tracking { "\($0.number) \(page.number)" }.on(loop).tell(view) {
                $0.seen.append($1)
            }
            page.number += 1
            loop.drain()
            #expect(view.seen.count == 2)
        }
    }
}
