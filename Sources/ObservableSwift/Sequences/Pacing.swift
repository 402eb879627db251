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
            // Begins with the first call of the one behind it, which so finds what passes at once. Another
            // may come on the clock's thread before that has begun.
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

/// An object that is observed for what has passed: its count goes up each time. It lives as long as the
/// observation before the step does, so the one behind it ends with that.
private final class PassingPoint: ObservableModel, Unseen {
    @ObservedAtomic var count = 0
}

/// The elements that have come and not passed, and those that have passed and that nobody was handed yet.
private final class Pacer<Element>: ElementReceiver, @unchecked Sendable {
    // Everything is constant or stands in a lock. Of the object only a property of any thread is set.

    private let pace: Pace
    private let coalescing: Coalescing<Element>
    /// Whether the last one that has passed is kept, as a value that can be read.
    let isKept: Bool
    private let state: Locked<State>

    private struct State {
        var isCalled = false
        /// Nil behind the end.
        var point: PassingPoint?
        var waiting: [Element] = []
        var passed: [Element] = []
        /// Of those that have passed, if it is kept.
        var last: Element?
        /// Whether anything has come ever.
        var isBegun = false
        /// How often elements have passed.
        var passes = 0
        /// The one that runs; one that is begun anew has another number.
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

    /// Whether nobody has asked before.
    var isFirstCall: Bool {
        state.withLock { state in
            defer { state.isCalled = true }
            return !state.isCalled
        }
    }

    /// The next one; outside of calls the last one, if it is kept.
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

    /// - Parameter body: returns what is to be let go of.
    private func change(_ body: (inout State) -> [Element?]) {
        let (dropped, before, after) = state.withLock { state in
            let before = (timer: state.timer, point: state.point, passes: state.passes)
            let dropped = body(&state)
            return (dropped, before, (timer: state.timer?.number, passes: state.passes))
        }
        if before.timer?.number != after.timer { before.timer?.task.cancel() }
        // No two threads set the same one, which would be no change.
        if before.passes != after.passes { before.point?.count = after.passes }
        withExtendedLifetime(dropped) {}
    }
}
