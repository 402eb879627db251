// SPDX-License-Identifier: Apache-2.0
//
// Steps with time, on a clock that a test moves: `debounce` and `throttle`. What stands before the step is
// observed on one loop, what stands behind it on another, whose wake says that something has passed.

import Dispatch
import ObservableSwift
import Synchronization
import Testing

/// A clock that stands still until it is advanced.
private final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct State {
        var now = Instant()
        var count = 0
        var sleepers: [Int: (deadline: Instant, sleeper: CheckedContinuation<Void, any Error>)] =
            [:]
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())
    private let asleep = Event()

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleeper in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(number) { return true }
                    state.sleepers[number] = (deadline, sleeper)
                    return false
                }
                if isCancelled { sleeper.resume(throwing: CancellationError()) }
                asleep.happen()
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.sleeper.resume(throwing: CancellationError())
        }
    }

    /// Goes on when somebody has begun to sleep once more.
    func hasSleeper() async {
        await asleep.come()
    }

    /// - Returns: how many it has woken.
    @discardableResult
    func advance(by duration: Duration) -> Int {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.sleeper)
        }
        for sleeper in woken { sleeper.resume() }
        return woken.count
    }
}

/// A clock that does not sleep.
private struct BrokenClock: Clock {
    struct Broken: Error {}

    let now = ManualClock.Instant()
    let minimumResolution = Duration.zero

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        throw Broken()
    }
}

/// What passes while the step is yet to begin begins it no second time: observes with blocks that no isolation
/// keeps off the clock's thread.
private func passWhileTheStepBegins() -> (hasEnded: Bool, seen: [Int]) {
    nonisolated(unsafe) let link = Link(0)
    let loop = DeliveryLoop()
    let seen = Mutex<[Int]>([])
    let passed = DispatchSemaphore(value: 0)
    let isFirst = Atomic<Bool>(true)
    func hasPassed() -> Bool { passed.wait(timeout: .now() + 10) == .success }
    let token = link.values(of: \.count).replaceUnreachable(with: -1).on(loop).options(.immediate)
        .map { count in
            if isFirst.exchange(false, ordering: .relaxed) {
                link.count = 1
                #expect(hasPassed())
            }
            return count
        }
        .debounce(for: .zero, clock: BrokenClock()).options(.immediate)
        .onChange { @Sendable count in
            seen.withLock { $0.append(count) }
            passed.signal()
        }
    link.count = 2
    #expect(hasPassed())
    return (token.hasEnded, seen.withLock { $0 })
}

@MainActor @Suite(.timeLimit(.minutes(1))) struct PacingTests {
    private let clock = ManualClock()
    private let loop = DeliveryLoop()
    private let passed = Event()
    private let passing: DeliveryLoop
    private let link = Link(0)

    init() {
        passing = DeliveryLoop { [passed] in passed.happen() }
    }

    /// Sets the count, and delivers that to the step.
    private func set(_ count: Int) {
        link.count = count
        loop.drain()
    }

    /// Delivers what is going to pass. An earlier wake may be left, by which nothing has.
    private func pass() async {
        repeat { await passed.come() } while passing.drain() == 0
    }

    /// The same of a step that sleeps again when it has let something pass.
    private func passBeforeSleep() async {
        await clock.hasSleeper()
        passing.drain()
    }

    private var counts: ObservationSequence<Int> {
        link.values(of: \.count).replaceUnreachable(with: -1).on(loop)
    }

    @Test func OB_3_debounce_passes_the_newest_value_when_nothing_comes_any_more() async {
        var seen: [Int] = []
        let token = counts.debounce(for: .seconds(1), clock: clock).on(passing)
            .onChange { seen.append($0) }
        await clock.hasSleeper()
        for count in 1...3 {
            #expect(clock.advance(by: .milliseconds(999)) == 0)
            set(count)
            await clock.hasSleeper()
        }
        #expect(clock.advance(by: .milliseconds(999)) == 0)
        #expect(clock.sleepers == 1)
        #expect(passing.drain() == 0)
        clock.advance(by: .milliseconds(1))
        await pass()
        #expect(seen == [3])
        #expect(clock.sleepers == 0)
        set(4)
        await clock.hasSleeper()
        clock.advance(by: .seconds(1))
        await pass()
        #expect(seen == [3, 4])
        withExtendedLifetime(token) {}
    }

    @Test func OB_3_throttle_passes_the_first_at_once_and_the_last_at_the_end_of_an_interval() async
    {
        var seen: [Int] = []
        let token = counts.throttle(for: .seconds(1), clock: clock).on(passing)
            .onChange { seen.append($0) }
        #expect(seen == [0])
        await clock.hasSleeper()
        passing.drain()
        for count in 1...3 { set(count) }
        passing.drain()
        #expect(seen == [0])
        clock.advance(by: .seconds(1))
        await passBeforeSleep()
        #expect(seen == [0, 3])
        // An interval in which nothing comes is the last; if this is told before it is over, it passes then.
        clock.advance(by: .seconds(1))
        set(4)
        await pass()
        #expect(seen == [0, 3, 4])
        withExtendedLifetime(token) {}
    }

    @Test func OB_3_changes_that_wait_for_time_are_one() async {
        var seen: [[Int?]] = []
        let token = link.changes(of: \.count).on(loop)
            .debounce(for: .seconds(1), clock: clock).on(passing)
            .onChange { seen.append([$0.old, $0.new]) }
        for count in 1...3 {
            set(count)
            await clock.hasSleeper()
        }
        clock.advance(by: .seconds(1))
        await pass()
        #expect(seen == [[0, 3]])
        withExtendedLifetime(token) {}
    }

    @Test func OB_3_records_that_wait_for_time_pass_in_their_order() async {
        var seen: [Int?] = []
        let token = link.record(of: \.count).on(loop)
            .debounce(for: .seconds(1), clock: clock).on(passing)
            .onChange { seen.append($0.entries.first?.newValue as? Int) }
        for count in 1...3 {
            set(count)
            await clock.hasSleeper()
        }
        clock.advance(by: .seconds(1))
        await pass()
        #expect(seen == [1])
        #expect(passing.drain() == 1)
        #expect(passing.drain() == 1)
        #expect(passing.drain() == 0)
        #expect(seen == [1, 2, 3])
        withExtendedLifetime(token) {}
    }

    @Test func OB_3_a_step_behind_time_is_called_for_what_passes() async {
        var (called, seen): (Int, [String]) = (0, [])
        let token = counts.debounce(for: .seconds(1), clock: clock).on(passing)
            .map { count in
                called += 1
                return "\(count)"
            }
            .onChange { seen.append($0) }
        await clock.hasSleeper()
        set(1)
        await clock.hasSleeper()
        clock.advance(by: .seconds(1))
        await pass()
        #expect(seen == ["1"])
        #expect(called == 1)
        withExtendedLifetime(token) {}
    }

    @Test func BI_6_what_waits_for_time_passes_when_the_object_is_gone() async {
        var gone: Link? = Link(0)
        var seen: [Int?] = []
        let token = gone!.changes(of: \.count).on(loop)
            .debounce(for: .seconds(1), clock: clock).on(passing)
            .onChange { seen.append($0.new) }
        gone!.count = 1
        loop.drain()
        await clock.hasSleeper()
        #expect(!token.hasEnded)
        gone = nil
        await pass()
        #expect(seen == [1])
        #expect(token.hasEnded)
        #expect(clock.sleepers == 0)
    }

    @Test func BI_6_the_end_of_a_use_ends_what_is_observed_before_time() async {
        var token: ObservationToken? = counts.debounce(for: .seconds(1), clock: clock).onChange {
            _ in
            Issue.record("called")
        }
        await clock.hasSleeper()
        #expect(ObservationInspector(link).observers.count == 1)
        token = nil
        #expect(ObservationInspector(link).observers.isEmpty)
        #expect(clock.sleepers == 0)
        _ = token
    }

    @Test func BI_6_an_iteration_is_handed_what_passes() async {
        var first = counts.throttle(for: .seconds(1), clock: clock).on(passing).makeAsyncIterator()
        #expect(await first.next(isolation: #isolation) == 0)
        await clock.hasSleeper()
        set(1)
        set(2)
        clock.advance(by: .seconds(1))
        await passBeforeSleep()
        #expect(await first.next(isolation: #isolation) == 2)
    }

    @Test func BI_1_what_passes_is_assigned() async {
        let target = Link(7)
        let token = counts.debounce(for: .seconds(1), clock: clock).on(passing)
            .assign(to: \.count, of: target)
        await clock.hasSleeper()
        set(1)
        await clock.hasSleeper()
        passing.drain()
        #expect(target.count == 7)
        clock.advance(by: .seconds(1))
        await pass()
        #expect(target.count == 1)
        #expect(token.failure == nil)
    }

    @Test func OB_3_what_passes_is_combined() async {
        let other = Link(10)
        var seen: [Int] = []
        let token = counts.throttle(for: .seconds(1), clock: clock).on(passing)
            .combined(with: other.values(of: \.count)) { $0 + ($1 ?? 0) }
            .onChange { seen.append($0) }
        passing.drain()
        #expect(seen == [10])
        await clock.hasSleeper()
        other.count = 20
        passing.drain()
        #expect(seen == [10, 20])
        set(1)
        clock.advance(by: .seconds(1))
        await passBeforeSleep()
        #expect(seen.last == 21)
        withExtendedLifetime(token) {}
    }

    @Test nonisolated func TH_1_what_passes_while_a_step_begins_begins_it_no_second_time() {
        let (hasEnded, seen) = passWhileTheStepBegins()
        #expect(!hasEnded)
        #expect(seen == [1, 2])
    }

    @Test func OB_3_a_clock_that_refuses_to_sleep_loses_nothing() async {
        var seen: [Int?] = []
        let token = link.changes(of: \.count).on(loop)
            .debounce(for: .seconds(1), clock: BrokenClock()).on(passing)
            .onChange { seen.append($0.new) }
        set(1)
        await pass()
        #expect(seen == [1])
        withExtendedLifetime(token) {}
    }
}
