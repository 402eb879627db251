// SPDX-License-Identifier: Apache-2.0
//
// DR-11: what scripts cannot say of batches.

import ObservableSwift
import Testing

@Suite struct BatchTests {
    private struct Stop: Error {}

    private func observed(_ link: Link, on loop: DeliveryLoop) -> PlainObserver {
        let observer = PlainObserver()
        link.tell(observer, when: \.count, on: loop) { observer, link in
            observer.seen.append(link.count)
        }
        return observer
    }

    @Test func DR_11_a_batch_returns_what_its_body_returns() {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = observed(link, on: loop)
        let result = withObservationBatch {
            link.count = 1
            #expect(loop.pendingCount == 0)
            return "done"
        }
        #expect(result == "done")
        #expect(loop.drain() == 1)
        #expect(observer.seen == [1])
    }

    @Test func DR_11_a_batch_ends_when_its_body_throws() {
        let loop = DeliveryLoop()
        let link = Link()
        let observer = observed(link, on: loop)
        #expect(throws: Stop.self) {
            try withObservationBatch { () throws(Stop) in
                link.count = 1
                throw Stop()
            }
        }
        #expect(loop.drain() == 1)
        link.count = 2
        #expect(loop.pendingCount == 1)
        loop.drain()
        #expect(observer.seen == [1, 2])
    }

    @Test func DR_11_the_end_wakes_the_loop_once() {
        let wakes = Shared(0)
        let loop = DeliveryLoop { wakes.value += 1 }
        let link = Link(), other = Link()
        let observer = observed(link, on: loop), second = observed(other, on: loop)
        withObservationBatch {
            link.count = 1
            other.count = 1
            link.count = 2
            #expect(wakes.value == 0)
        }
        #expect(wakes.value == 1)
        #expect(loop.drain() == 2)
        #expect(observer.seen == [2])
        #expect(second.seen == [1])
    }

    @MainActor @Test func DR_11_a_batch_on_the_main_actor() {
        let link = Link()
        let observer = PlainObserver()
        let handle = link.tell(observer, when: \.count) { observer, link in
            observer.seen.append(link.count)
        }
        withObservationBatch {
            link.count = 1
            DeliveryLoop.main.drain()
            #expect(observer.seen.isEmpty)
        }
        DeliveryLoop.main.drain()
        #expect(observer.seen == [1])
        handle.stop()
    }
}
