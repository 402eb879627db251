// SPDX-License-Identifier: Apache-2.0
//
// Threads that change, observe, stop and let go at the same time (TH-1, TH-2, LT, RE-4). Run under
// the thread sanitizer as well.

import Dispatch
import Foundation
import ObservableSwift
import Testing

/// A model of any thread with a path through it.
private final class Board: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
    @ObservedAtomic var text = ""
    @ObservedAtomic var gauge: Gauge?
    @ObservedAtomic var pair = Pair()

    struct Pair: Equatable, Sendable {
        var first = 0
        var second = 0
        var third = 0
    }
}

/// What an observer has been told last, by the values that it has read.
private final class Follower: Sendable {
    let last = Shared(0)
    let calls = Shared(0)
}

@Suite struct ThreadsTests {
    // MARK: - Ends that die elsewhere

    @Test func LT_1_observers_die_on_other_threads() {
        let gauge = Gauge()
        let loop = DeliveryLoop()
        for _ in 0..<100 {
            let died = Shared(0)
            var observer: PlainObserver? = PlainObserver()
            observer!.atEnd = { died.change { $0 += 1 } }
            gauge.tell(observer!, when: \.level, on: loop) { _, _ in }
            // The thread's last reference goes in the thread, whenever its closure does.
            let handed = Shared<Handed<PlainObserver>?>(Handed(observer!))
            observer = nil
            let level = gauge.level
            let thread = TestThread { [handed] in
                gauge.level = level + 1
                handed.value = nil
            }
            gauge.level = level + 2
            thread.join()
        }
        loop.drain()
        gauge.level += 1
        #expect(loop.drain() == 0)
        gauge.stopTelling(gauge)
        #expect(gauge.numberOfObservers(of: "level") == 0)
    }

    /// An observer's last reference goes on one thread while another changes and drains.
    @Test func LT_2_an_observer_dies_while_its_call_is_scheduled() {
        for _ in 0..<300 {
            let gauge = Gauge()
            let loop = DeliveryLoop()
            let died = Shared(0)
            let slot = Shared<Handed<PlainObserver>?>(nil)
            do {
                let observer = PlainObserver()
                observer.atEnd = { died.change { $0 += 1 } }
                gauge.tell(observer, when: \.level, on: loop) { _, _ in }
                slot.value = Handed(observer)
            }
            let drops = TestThread { slot.value = nil }
            let changes = TestThread { for level in 1...3 { gauge.level = level } }
            for _ in 0..<3 { loop.drain() }
            drops.join()
            changes.join()
            loop.drain()
            #expect(died.value == 1)
            #expect(gauge.numberOfObservers(of: "level") == 0)
        }
    }

    @Test func LT_1_roots_die_on_other_threads() {
        for _ in 0..<300 {
            let loop = DeliveryLoop()
            let observer = PlainObserver()
            let slot = Shared<Board?>(Board())
            let handle = slot.value!.tell(
                observer, when: \.[text: "gauge.level"], \.[text: "level"], on: loop
            ) {
                observer, _ in
                observer.seen.append(1)
            }
            let gauge = Gauge()
            slot.value!.gauge = gauge
            let drops = TestThread { slot.value = nil }
            let changes = TestThread { for level in 1...3 { gauge.level = level } }
            loop.drain()
            handle.stop(about: "level")
            drops.join()
            changes.join()
            loop.drain()
            #expect(handle.hasEnded)
            #expect(gauge.allObservedProperties == [])
        }
    }

    @Test func LT_4_middle_objects_are_replaced_and_die_on_other_threads() {
        let board = Board()
        let loop = DeliveryLoop()
        let follower = Follower()
        let token = board.onChange(of: \.gauge?.level, on: loop) { board in
            follower.last.value = board.gauge?.level ?? -1
        }
        let threads = (0..<2).map { number in
            TestThread {
                for round in 1...300 {
                    let gauge = Gauge()
                    gauge.level = 1000 * number + round
                    board.gauge = gauge
                    gauge.level += 1
                    if round % 5 == 0 { board.gauge = nil }
                }
            }
        }
        for _ in 0..<200 { loop.drain() }
        threads.forEach { $0.join() }
        let last = Gauge()
        board.gauge = last
        last.level = 77
        loop.drain()
        loop.drain()
        #expect(follower.last.value == 77)
        #expect(last.numberOfObservers(of: "level") == 1)
        token.cancel()
        #expect(last.allObservedProperties == [])
        #expect(board.allObservedProperties == [])
    }

    @Test func LT_1_everything_that_was_made_is_gone_again() async {
        await #expect(processExitsWith: .success) {
            let before = ObservationCounters.current.observations
            let died = Shared(0)
            onThreads(3) { _ in
                let loop = DeliveryLoop()
                for round in 0..<100 {
                    let root = Link(next: Link())
                    let observer = PlainObserver()
                    let model = Link()
                    let probe = Probe(died)
                    root.tell(observer, when: \.next?.count, on: loop) { _, _ in probe.stay() }
                    root.tell(model, when: \.[text: "next.count"], \.[text: "count"], on: loop) {
                        _, _ in
                        probe.stay()
                    }
                    let token = root.onChange(of: \.count, \.next, on: loop) { _ in probe.stay()
                    }
                    root.next?.count = round + 1
                    root.next = Link(round)
                    if round % 2 == 0 { loop.drain() }
                    if round % 3 == 0 { token.cancel() }
                    if round % 5 == 0 { root.stopTelling(observer) }
                }
                loop.drain()
            }
            #expect(died.value == 300)
            #expect(ObservationCounters.current.observations == before)
        }
    }

    // MARK: - Tokens and handles on other threads

    @Test func ST_4_after_cancel_on_another_thread_the_block_is_not_entered() {
        for _ in 0..<200 {
            let gauge = Gauge()
            let loop = DeliveryLoop()
            let cancelled = Shared(false)
            let token = gauge.onChange(of: \.level, on: loop) { _ in
                // Entered before the cancel returned: it may still run.
                _ = gauge.level
            }
            let late = Shared(0)
            let second = gauge.onChange(of: \.level, on: loop) { _ in
                if cancelled.value { late.change { $0 += 1 } }
            }
            gauge.level = 1
            let cancels = TestThread {
                token.cancel()
                second.cancelAndWait()
                cancelled.value = true
            }
            loop.drain()
            cancels.join()
            gauge.level = 2
            loop.drain()
            #expect(late.value == 0)
        }
    }

    @Test func RE_4_cancel_returns_while_the_block_runs_and_cancelAndWait_waits() {
        let gauge = Gauge()
        let loop = DeliveryLoop()
        let entered = Event()
        let mayGo = Event()
        let left = Shared(false)
        let token = gauge.onChange(of: \.level, on: loop) { _ in
            entered.happen()
            mayGo.wait()
            left.value = true
        }
        gauge.level = 1
        let drains = TestThread { loop.drain() }
        entered.wait()
        token.cancel()
        #expect(!left.value)
        let waiting = Event()
        let waits = TestThread {
            waiting.happen()
            #expect(token.cancelAndWait())
            #expect(left.value)
        }
        waiting.wait()
        mayGo.happen()
        waits.join()
        drains.join()
    }

    @Test func ST_3_handles_and_tokens_are_stopped_by_many_threads() {
        for _ in 0..<100 {
            let gauge = Gauge()
            let loop = DeliveryLoop()
            let died = Shared(0)
            let handle: ObservationHandle
            let token: ObservationToken
            do {
                let probe = Probe(died)
                handle = gauge.tell(gauge, when: \.level, on: loop) { _, _ in probe.stay() }
                token = gauge.onChange(of: \.level, \.title, on: loop) { _ in probe.stay() }
            }
            gauge.level = 1
            onThreads(3) { number in
                if number == 0 { loop.drain() }
                handle.stop()
                token.cancel()
                token.schedule()
                handle.schedule()
                gauge.stopTelling(gauge)
            }
            loop.drain()
            #expect(handle.hasEnded && token.hasEnded)
            #expect(died.value == 1)
            #expect(gauge.allObservedProperties == [])
        }
    }

    @Test func LT_9_an_immediate_block_is_released_once_the_last_thread_has_left_it() {
        for _ in 0..<200 {
            let gauge = Gauge()
            let died = Shared(0)
            let inside = Shared(0)
            let token: ObservationToken
            do {
                let probe = Probe(died)
                token = gauge.onChange(of: \.level, options: .immediate) { _ in
                    inside.change { $0 += 1 }
                    #expect(died.value == 0)
                    probe.stay()
                }
            }
            let threads = (0..<2).map { number in
                TestThread { for level in 1...10 { gauge.level = 2 * level + number } }
            }
            token.cancel()
            threads.forEach { $0.join() }
            #expect(died.value == 1)
        }
    }

    // MARK: - Values of any thread

    /// Observers come and go while threads set: the last value set is the last one told.
    @Test func TH_2_the_last_value_set_is_the_last_delivered() {
        let board = Board()
        let queue = DispatchQueue(label: "threads")
        let loop = DeliveryLoop(queue: queue)
        let followers = (0..<3).map { _ in Follower() }
        let stays = board.onChange(of: \.level, on: loop) { board in
            followers[0].last.value = board.level
        }
        let immediate = board.onChange(of: \.level, options: .immediate) { board in
            followers[1].calls.change { $0 += 1 }
        }
        let text = board.onChange(of: \.[text: "text"], on: loop) { board in
            followers[2].last.value = board.text.count
        }
        onThreads(5) { number in
            switch number {
            case 0, 1:
                for round in 1...500 {
                    board.level = 2 * round + number
                    board.text = String(repeating: "x", count: round % 40)
                    board.pair = Board.Pair(first: round, second: round, third: round)
                }
            case 2:
                for _ in 1...200 { board.$level.update { $0 += 1 } }
            default:
                for _ in 1...100 {
                    let calls = Shared(0)
                    let token = board.onChange(of: \.level, \.text, \.pair, on: loop) { board in
                        let pair = board.pair
                        #expect(pair.first == pair.second && pair.second == pair.third)
                        calls.change { $0 += 1 }
                    }
                    let other = board.onChange(of: \.[text: "*"], options: .immediate) { _ in }
                    board.text = "\(number)"
                    token.cancel()
                    other.cancelAndWait()
                }
            }
        }
        // What is still pending is ahead of this in the queue, or will be called after a wake-up.
        while queue.sync(execute: { loop.pendingCount }) != 0 {}
        queue.sync {}
        #expect(followers[0].last.value == board.level)
        #expect(followers[2].last.value == board.text.count)
        #expect(followers[1].calls.value > 0)
        [stays, immediate, text].forEach { $0.cancel() }
        #expect(board.allObservedProperties == [])
    }

    @Test func TH_2_an_observation_that_begins_sees_the_value_or_is_called_for_it() {
        for round in 1...400 {
            let gauge = Gauge()
            let loop = DeliveryLoop()
            let started = Event()
            let sets = TestThread {
                started.happen()
                gauge.level = round
            }
            started.wait()
            let told = Shared(0)
            let token = gauge.onChange(of: \.level, on: loop) { gauge in told.value = gauge.level
            }
            let seen = gauge.level
            sets.join()
            loop.drain()
            #expect(max(seen, told.value) == round)
            token.cancel()
        }
    }

    @Test func TH_2_updates_are_not_lost() {
        let board = Board()
        let immediate = Shared(0)
        let token = board.onChange(of: \.level, \.pair, options: .immediate) { _ in
            immediate.change { $0 += 1 }
        }
        onThreads(4) { _ in
            for _ in 0..<500 {
                board.$level.update { $0 += 1 }
                board.$pair.update {
                    $0.first += 1
                    $0.second += 2
                    $0.third += 3
                }
            }
        }
        #expect(board.level == 2000)
        #expect(board.pair == Board.Pair(first: 2000, second: 4000, third: 6000))
        #expect(board.$level.value == 2000)
        #expect(immediate.value == 4000)
        #expect(board.$level.exchange(5) == 2000)
        #expect(immediate.value == 4001)
        #expect(board.$level.exchange(5) == 5)
        #expect(immediate.value == 4001)
        token.cancel()
    }

    @Test func TH_2_an_update_begins_anew_where_another_thread_has_set() {
        let board = Board()
        let rounds = Shared(0)
        let level = board.$level.update { level in
            if rounds.change({ $0 += 1 }) == 1 { onOtherThread { board.level = 100 } }
            level += 1
        }
        #expect(level == 101)
        #expect(board.level == 101)
        let pair = board.$pair.update { pair in
            if rounds.change({ $0 += 1 }) == 3 { onOtherThread { board.pair.first = 100 } }
            pair.second += 1
        }
        #expect(pair == Board.Pair(first: 100, second: 1))
        #expect(board.pair == pair)
        #expect(rounds.value == 4)
    }

    // MARK: - One owner at a time

    /// Models that are handed from thread to thread, as plain objects could be, while others stop,
    /// count and drain.
    @Test func TH_1_observed_properties_have_one_owner_at_a_time() {
        for _ in 0..<60 {
            let loop = DeliveryLoop(queue: DispatchQueue(label: "threads"))
            let root = Handed(Link(next: Link()))
            let owner = NSLock()
            let calls = Shared(0)
            let tokens = (0..<4).map { index in
                root.value.onChange(
                    of: \.[text: index % 2 == 0 ? "next.count" : "count"], on: loop,
                    options: index < 2 ? [] : .keepsOwnChanges
                ) { _ in calls.change { $0 += 1 } }
            }
            onThreads(4) { number in
                for round in 1...40 {
                    if number < 2 {
                        owner.withLock {
                            root.value.count += 1
                            root.value.next?.count += 1
                            if round % 10 == 0 { root.value.next = Link(round) }
                        }
                    } else if round % 10 == 0 {
                        owner.withLock {
                            let token = root.value.onChange(of: \.next?.next?.count, on: .main) {
                                _ in
                            }
                            root.value.next?.next = Link(round)
                            token.cancel()
                        }
                    } else {
                        _ = root.value.numberOfObservers(of: "count")
                        _ = root.value.allObservedProperties
                        tokens[number].schedule()
                    }
                }
                if number > 1 { tokens[number].cancel() }
            }
            owner.withLock { #expect(root.value.count == 80) }
            tokens.forEach { $0.cancelAndWait() }
            owner.withLock { #expect(root.value.allObservedProperties == []) }
        }
    }

    /// A change is held where the library compares, while another thread makes its own. What it says
    /// is true: the thread sanitizer would find a race, so it is not run under it.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil))
    func TH_1_a_debug_build_tells_of_changes_that_overlap() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let root = Link(next: Link(1))
            let fresh = Handed(Link(1))
            let armed = Shared(true)
            let comparing = ObservationComparison.by { (a: Int, b: Int) in
                if armed.value {
                    armed.value = false
                    onOtherThread { fresh.value.count += 1 }
                }
                return a == b
            }
            let loop = DeliveryLoop()
            let token = root.onChange(of: \.next?.count, on: loop, comparing: comparing) { _ in }
            root.next = fresh.value
            #expect(!armed.value)
            #expect(loop.drain() == 1)
            #if DEBUG
                #expect(reports.value.map(\.kind) == [.overlap])
                #expect(reports.value.first?.path == "count, next")
            #else
                #expect(reports.value.isEmpty)
            #endif
            token.cancel()
        }
    }

    /// The same with a dispatch queue as the owner, whose blocks read.
    @Test func TH_1_a_queue_owns_what_its_blocks_read() {
        let queue = DispatchQueue(label: "owner")
        let loop = DeliveryLoop(queue: queue)
        let root = Handed(Link(next: Link()))
        let observer = Handed(PlainObserver())
        root.value.tell(observer.value, when: \.next?.count, \.count, on: loop) { observer, root in
            observer.seen.append(root.count + (root.next?.count ?? 0))
        }
        onThreads(3) { _ in
            for _ in 0..<100 {
                queue.sync {
                    root.value.count += 1
                    root.value.next = Link(root.value.count)
                }
            }
        }
        while queue.sync(execute: { loop.pendingCount }) != 0 {}
        queue.sync {
            #expect(root.value.count == 300)
            #expect(observer.value.seen.last == 600)
            root.value.stopTelling(observer.value)
        }
    }

    @Test func DR_1_the_main_loop_delivers_what_threads_change() async {
        let gauges = (0..<4).map { _ in Gauge() }
        let lasts = (0..<4).map { _ in Shared(0) }
        let done = Event()
        let tokens = zip(gauges, lasts).map { gauge, last in
            gauge.onChange(of: \.level, on: .main) { gauge in
                dispatchPrecondition(condition: .onQueue(.main))
                last.value = gauge.level
                if gauge.level == 100 { done.happen() }
            }
        }
        await withCheckedContinuation { continuation in
            TestThread {
                onThreads(4) { number in
                    for level in 1...100 { gauges[number].level = level }
                }
                for _ in gauges { done.wait() }
                continuation.resume()
            }
        }
        #expect(lasts.map(\.value) == [100, 100, 100, 100])
        tokens.forEach { $0.cancel() }
    }

    // MARK: - Classes met by many threads at once

    @Test func TH_1_a_class_meets_the_library_on_many_threads() {
        final class First: ObservableModel { @Observed var count = 0 }
        final class Second: ObservableModel { @Observed var next: First? }
        let calls = Shared(0)
        onThreads(4) { _ in
            let loop = DeliveryLoop()
            let second = Second()
            let text = second.onChange(of: \.[text: "next.count"], on: loop) { _ in
                calls.change { $0 += 1 }
            }
            let typed = second.onChange(of: \.next?.count, on: loop) { _ in
                calls.change { $0 += 1 }
            }
            second.next = First()
            second.next?.count = 1
            #expect(loop.drain() == 2)
            withExtendedLifetime((text, typed)) {}
        }
        #expect(calls.value == 8)
    }
}
