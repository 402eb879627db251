// SPDX-License-Identifier: Apache-2.0
//
// OB-4: one token for several properties, and a bag that holds tokens of every kind.

import Dispatch
import ObservableSwift
import Testing

private final class Page: ObservableModel {
    @Observed var title = "a"
    @Observed var number = 1
    var bag: ObservationBag?
}

@Suite struct ObservationBagTests {
    private let loop = DeliveryLoop()
    private let page = Page()
    private let calls = Shared(0)

    private func observe(_ page: Page) -> ObservationToken {
        page.onChange(of: \.title, on: loop) { [calls] _ in calls.change { $0 += 1 } }
    }

    private func change() {
        page.title += "."
        while loop.drain() > 0 {}
    }

    @Test func OB_4_one_token_for_several_properties() {
        var records: [[String]] = []
        let token = page.onChange(of: \.title, \.number, on: loop) { [calls] _ in
            calls.change { $0 += 1 }
        }
        let text = page.onChange(of: \.[text: "title"], \.[text: "number"], on: loop) { [calls] _ in
            calls.change { $0 += 10 }
        }
        let record = page.record(of: \.title, \.number).on(loop).onChange { record in
            records.append(record.entries.map(\.path))
        }
        page.title = "b"
        page.number = 2
        loop.drain()
        page.number = 3
        loop.drain()
        #expect(calls.value == 22)
        #expect(records == [["title", "number"], ["number"]])
        token.cancel()
        text.cancel()
        record.cancel()
        #expect(page.allObservedProperties == [])
    }

    @Test func OB_4_a_bag_ends_what_it_holds() {
        let bag = ObservationBag()
        let target = Page()
        let kept = observe(page)
        kept.store(in: bag)
        page.changes(of: \.title).map { $0.new }.on(loop).onChange { [calls] _ in
            calls.change { $0 += 10 }
        }
        .store(in: bag)
        page.values(of: \.title).on(loop)
            .assign(to: \.title, of: target).store(in: bag)
        bag.insert { [calls] in calls.change { $0 += 100 } }
        change()
        #expect(calls.value == 11 && target.title == "a.")
        #expect(!bag.isEmpty)
        // What is scheduled is taken back.
        page.title = "b"
        bag.cancelAll()
        #expect(bag.isEmpty && kept.hasEnded)
        #expect(loop.drain() == 0)
        #expect(calls.value == 111 && target.title == "a.")
        #expect(page.allObservedProperties == [])
        // It goes on as one that was just made.
        observe(page).store(in: bag)
        change()
        bag.cancelAll()
        bag.cancelAll()
        #expect(calls.value == 112)
    }

    @Test func OB_4_a_dropped_bag_ends_what_it_holds() {
        var bag: ObservationBag? = ObservationBag()
        let kept = observe(page)
        kept.store(in: bag!)
        kept.store(in: bag!)
        observe(page).store(in: bag!)
        #expect(page.numberOfObservers(of: "title") == 2)
        bag = nil
        #expect(kept.hasEnded && page.numberOfObservers(of: "title") == 0)
    }

    /// The first block to be called drops the bag that holds them both.
    @Test func OB_4_dropped_or_emptied_inside_a_block_of_its_own() {
        for isDropped in [false, true] {
            var bag: ObservationBag? = ObservationBag()
            for number in 0..<2 {
                page.onChange(of: \.title, on: loop) { [calls] _ in
                    calls.change { $0 += 1 }
                    if isDropped { bag = nil } else { bag?.cancelAll() }
                    _ = number
                }.store(in: bag!)
            }
            change()
            #expect(page.allObservedProperties == [])
            #expect(bag?.isEmpty != false)
        }
        #expect(calls.value == 2)
    }

    /// A function that the bag calls puts something in: it stays.
    @Test func OB_4_what_is_cancelled_may_use_the_bag() {
        let bag = ObservationBag()
        let late = observe(page)
        bag.insert { [weak bag] in
            bag?.cancelAll()
            if let bag { late.store(in: bag) }
        }
        bag.cancelAll()
        #expect(!bag.isEmpty && !late.hasEnded)
        bag.cancelAll()
        #expect(bag.isEmpty && late.hasEnded)
    }

    @Test func OB_4_what_blocks_capture_goes_with_the_bag_in_any_order() {
        let died = Shared(0)
        for order in 0..<3 {
            var page: Page? = Page()
            let probe = Probe(died)
            var bag: ObservationBag? = ObservationBag()
            var token: ObservationToken? = page!.onChange(of: \.title, on: loop) { _ in probe.stay()
            }
            token!.store(in: bag!)
            page!.bag = bag
            page!.title = "b"
            for step in 0..<3 {
                switch (order + step) % 3 {
                case 0: bag?.cancelAll()
                case 1: page = nil
                default: token = nil
                }
            }
            bag = nil
            loop.drain()
        }
        #expect(died.value == 3)
    }

    @Test func OB_4_TH_3_any_thread_fills_and_empties() {
        let bag = ObservationBag()
        let ended = Shared(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for step in 0..<200 {
                bag.insert { ended.change { $0 += 1 } }
                if (step + thread) % 7 == 0 { bag.cancelAll() }
            }
        }
        bag.cancelAll()
        #expect(ended.value == 800)
    }
}
