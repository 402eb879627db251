// SPDX-License-Identifier: Apache-2.0

import CObservable

// Steps with time: elements pass later than they come, by a clock that tests can stand in for.

extension ObservationSequence {
    /// Lets an element pass when nothing has come for a while, as what is typed into a search field:
    ///
    ///     token = form.values(of: \.query).debounce(for: .milliseconds(300)).onChange { search($0) }
    ///
    /// Elements that come meanwhile are coalesced as those that wait for the consumer of a loop: of values
    /// the newest passes, of changes one from the first's old value to the last's new one; of records and
    /// differences all do, in their order, each in a cycle of its own. The first value waits, too. When the
    /// object is gone, what waits passes at once.
    ///
    /// ``on(_:)``, ``options(_:)`` and the like are about what is observed if they stand before it, and about
    /// the calls if they stand behind it. A block behind `.options(.immediate)` is called on the clock's thread
    /// if it has no isolation. ``AnyObservation/schedule()`` and ``AnyObservation/execute()`` hand over what has
    /// passed and was not taken.
    ///
    /// - Parameters:
    ///   - interval: of the clock; none, or less, is as short as the clock can.
    ///   - clock: sleeps, in a task. One that refuses to lets elements pass at once.
    /// - Returns: a sequence that observes by itself what stands before it, for as long as it is used. What is
    ///   refused there is told to ``ObservationDiagnostics``, and the sequence is empty.
    ///
    /// Threads: as any sequence; what stands before it is observed where the sequence was made, or on the
    /// loop of ``on(_:)``. Cost: two observations, and a task for each element that comes.
    public func debounce(
        for interval: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> ObservationSequence {
        paced(Pace(isDebounced: true, interval: interval, clock: clock))
    }

    /// Lets at most one element pass in an interval: the first at once, and what has come during the interval,
    /// coalesced, at its end.
    ///
    ///     token = download.values(of: \.received).throttle(for: .milliseconds(100)).onChange { bar.show($0) }
    ///
    /// So the last element always passes. All else is as in ``debounce(for:clock:)``. Cost: a task for each
    /// interval in which something comes.
    public func throttle(
        for interval: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> ObservationSequence {
        paced(Pace(isDebounced: false, interval: interval, clock: clock))
    }

    private func paced(_ pace: Pace) -> ObservationSequence {
        let source = source
        var made = Source<Element>(source, source.coalescing) { () throws(ObservationError) in
            let point = PassingPoint()
            let pacer = Pacer(pace, source.coalescing, point)
            let path: ValuePath<PassingPoint, Int> = \.count
            let components = path(ObservedPath<PassingPoint>())!._components
            // The observation of `source`. The first call of the observation behind the step begins
            // it, and so finds what passes at once. Meanwhile another call may come on the clock's
            // thread.
            let upstream = Locked<SourceObservation<Element>?>(nil)
            return PreparedObservation(
                origin: ObservationOrigin(point, RequestedPaths([components])), handed: .nothing,
                hasPresent: true, isCalledAtOnce: true,
                followed: pacer.isKept ? [FollowedEnd(root: point, path: components)] : []
            ) { moment in
                if pacer.isFirstCall {
                    let begun = SourceObservation(of: source, for: pacer)
                    upstream.withLock { $0 = begun }
                }
                return pacer.element(moment)
            }
        }
        made.configuration.options = []
        return ObservationSequence(source: made)
    }
}

private struct Pace: Sendable {
    let isDebounced: Bool
    let interval: Duration
    let clock: any Clock<Duration>
}

/// An object whose count goes up each time elements have passed. The observation behind the step
/// observes the count. The pacer releases the point when the source ends, and so ends that
/// observation.
private final class PassingPoint: ObservableModel, Unseen {
    @ObservedAtomic var count = 0
}

/// Holds the elements that wait to pass, and those that have passed but were not handed over yet.
private final class Pacer<Element>: ElementReceiver, @unchecked Sendable {
    // Everything is constant or lies in a lock. Of `point` only `count` is set, which any thread
    // may set.

    private let pace: Pace
    private let coalescing: Coalescing<Element>
    /// Whether the last element that has passed is kept, as a value that can be read.
    let isKept: Bool
    private let state: Locked<State>

    private struct State {
        var isCalled = false
        /// Nil once the source has ended.
        var point: PassingPoint?
        var waiting: [Element] = []
        var passed: [Element] = []
        /// The last element that has passed, if `isKept`.
        var last: Element?
        /// Whether any element has ever come.
        var isBegun = false
        /// How often elements have passed.
        var passes = 0
        /// The running timer. Its number tells it from timers that were replaced by later ones.
        var timer: (number: Int, task: Task<Void, Never>)?
        var timers = 0
    }

    init(_ pace: Pace, _ coalescing: Coalescing<Element>, _ point: PassingPoint) {
        self.pace = pace
        self.coalescing = coalescing
        isKept = if case .newest = coalescing { true } else { false }
        state = Locked(State(point: point))
    }

    deinit {
        state.withLock { $0.timer }?.task.cancel()
    }

    func offer(_ element: Element) {
        change { add(element, &$0) }
    }

    func begin(with element: Element) {
        change { $0.isBegun ? [] : add(element, &$0) }
    }

    func end() {
        change { state in
            (state.timer, state.point) = (nil, nil)
            return pass(&state)
        }
    }

    /// True for the first caller alone.
    var isFirstCall: Bool {
        state.withLock { state in
            defer { state.isCalled = true }
            return !state.isCalled
        }
    }

    /// The next element to hand over; outside of a call the last one that has passed, if `isKept`.
    func element(_ moment: Moment) -> Element? {
        let (next, last, isMore) = state.withLock { state in
            let next = state.passed.isEmpty ? nil : state.passed.removeFirst()
            return (next, state.last, !state.passed.isEmpty)
        }
        guard case .call(_, let call) = moment else { return isKept ? last : next }
        if isMore { obv_schedule(call.observation) }
        return next
    }

    // MARK: - In the lock, so that elements of two threads pass in their order

    private func add(_ element: Element, _ state: inout State) -> [Element?] {
        state.isBegun = true
        let dropped = [coalescing.add(element, to: &state.waiting)]
        if pace.isDebounced {
            start(&state)
        } else if state.timer == nil {
            start(&state)
            return dropped + pass(&state)
        }
        return dropped
    }

    private func pass(_ state: inout State) -> [Element?] {
        if state.waiting.isEmpty { return [] }
        var dropped = state.waiting.map { coalescing.add($0, to: &state.passed) }
        if isKept {
            dropped.append(state.last)
            state.last = state.waiting.last
        }
        state.waiting = []
        state.passes += 1
        return dropped
    }

    private func start(_ state: inout State) {
        state.timers += 1
        let number = state.timers
        let task = Task { [weak self, pace] in
            try? await pace.clock.sleep(for: pace.interval)
            self?.timeOut(number)
        }
        state.timer = (number, task)
    }

    private func timeOut(_ number: Int) {
        change { state in
            guard state.timer?.number == number else { return [] }
            state.timer = nil
            if !pace.isDebounced, !state.waiting.isEmpty { start(&state) }
            return pass(&state)
        }
    }

    // MARK: - Outside of it

    /// - Parameter body: returns the elements to be released outside of the lock.
    private func change(_ body: (inout State) -> [Element?]) {
        let (dropped, before, after) = state.withLock { state in
            let before = (timer: state.timer, point: state.point, passes: state.passes)
            let dropped = body(&state)
            return (dropped, before, (timer: state.timer?.number, passes: state.passes))
        }
        if before.timer?.number != after.timer { before.timer?.task.cancel() }
        // Each pass has a number of its own: two threads that set the same count would make one
        // change.
        if before.passes != after.passes { before.point?.count = after.passes }
        withExtendedLifetime(dropped) {}
    }
}
