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
            let (point, passed) = (PassingPoint(), Passed(source.coalescing))
            let upstream = Upstream(source, Pacer(pace, source.coalescing, passed, point))
            let path: ValuePath<PassingPoint, Int> = \.count
            let components = path(ObservedPath<PassingPoint>())!._components
            return PreparedObservation(
                origin: ObservationOrigin(point, RequestedPaths([components])), handed: .nothing,
                hasPresent: true, isCalledAtOnce: true,
                followed: passed.isKept ? [FollowedEnd(root: point, path: components)] : []
            ) { moment in
                upstream.begin()
                return passed.element(moment)
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

/// The observation before the step. It begins with the first call of the one behind it, which so finds
/// what passes at once, and ends with that.
private final class Upstream<Element> {
    private let source: Source<Element>
    /// Until it begins; later it is kept by what it observes.
    private var pacer: Pacer<Element>?
    private var observation: SourceObservation<Element>?

    init(_ source: Source<Element>, _ pacer: Pacer<Element>) {
        self.source = source
        self.pacer = pacer
    }

    /// May be repeated.
    func begin() {
        guard let pacer = pacer.take() else { return }
        observation = SourceObservation(of: source, for: pacer)
    }
}

/// The elements that have passed, and that nobody was handed yet.
private final class Passed<Element>: @unchecked Sendable {
    // `coalescing` is constant and captures nothing; everything else stands in a lock.

    private let state = Locked<State>(State())
    private let coalescing: Coalescing<Element>
    /// Whether the last one is kept, as a value that can be read.
    let isKept: Bool

    private struct State: @unchecked Sendable {
        var elements: [Element] = []
        var last: Element?
    }

    /// An answer, which leaves the lock.
    private struct Answer: @unchecked Sendable {
        var element: Element?
        var isMore = false
        var dropped: [Element?] = []
    }

    init(_ coalescing: Coalescing<Element>) {
        self.coalescing = coalescing
        isKept = if case .newest = coalescing { true } else { false }
    }

    /// - Returns: the elements that are let go of.
    func add(_ elements: [Element]) -> [Element?] {
        state.withLock { state in
            var answer = Answer()
            answer.dropped = elements.map { coalescing.add($0, to: &state.elements) }
            if isKept, let last = elements.last {
                answer.dropped.append(state.last)
                state.last = last
            }
            return answer
        }.dropped
    }

    /// The next one; outside of calls the last one, if it is kept.
    func element(_ moment: Moment) -> Element? {
        let answer = state.withLock { state in
            var answer = Answer()
            answer.element = state.elements.isEmpty ? nil : state.elements.removeFirst()
            answer.isMore = !state.elements.isEmpty
            if case .call = moment { return answer }
            if isKept { answer.element = state.last }
            return answer
        }
        if answer.isMore, case .call(_, let call) = moment { obv_schedule(call.observation) }
        return answer.element
    }
}

/// The elements that have come and not passed.
private final class Pacer<Element>: ElementReceiver, @unchecked Sendable {
    // Of the object only a property of any thread is set; everything else is constant or stands in a lock.

    private let pace: Pace
    private let coalescing: Coalescing<Element>
    private let passed: Passed<Element>
    private let point: PassingPoint
    private let state = Locked<State>(State())

    private struct State: @unchecked Sendable {
        var waiting: [Element] = []
        /// Whether anything has come ever.
        var isBegun = false
        /// How often elements have passed.
        var passes = 0
        /// Of the timer that counts; one that is begun anew has another.
        var number = 0
        var isRunning = false
        var timer: Task<Void, Never>?
    }

    /// The work that a change of the state leaves for outside of the lock.
    private struct Rest: @unchecked Sendable {
        /// For the object, if something passes; no two threads set the same one, which would be no change.
        var count: Int?
        var dropped: [Element?] = []
        /// Is to end.
        var timer: Task<Void, Never>?
        /// Of a timer that is to begin.
        var begins: Int?
    }

    init(
        _ pace: Pace, _ coalescing: Coalescing<Element>, _ passed: Passed<Element>,
        _ point: PassingPoint
    ) {
        self.pace = pace
        self.coalescing = coalescing
        self.passed = passed
        self.point = point
    }

    deinit {
        state.withLock { $0.timer }?.cancel()
    }

    func offer(_ element: Element) {
        change { state, rest in add(element, &state, &rest) }
    }

    func begin(with element: Element) {
        change { state, rest in
            if !state.isBegun { add(element, &state, &rest) }
        }
    }

    func end() {
        change { state, rest in
            pass(&state, &rest)
            stop(&state, &rest)
        }
    }

    private func add(_ element: Element, _ state: inout State, _ rest: inout Rest) {
        state.isBegun = true
        rest.dropped.append(coalescing.add(element, to: &state.waiting))
        if pace.isDebounced {
            stop(&state, &rest)
        } else if state.isRunning {
            return
        } else {
            pass(&state, &rest)
        }
        start(&state, &rest)
    }

    private func timeOut(_ number: Int) {
        change { state, rest in
            guard state.isRunning, state.number == number else { return }
            stop(&state, &rest)
            if state.waiting.isEmpty { return }
            pass(&state, &rest)
            if !pace.isDebounced { start(&state, &rest) }
        }
    }

    /// In the lock, so that elements of two threads pass in their order.
    private func pass(_ state: inout State, _ rest: inout Rest) {
        if state.waiting.isEmpty { return }
        rest.dropped += passed.add(state.waiting)
        state.waiting = []
        state.passes += 1
        rest.count = state.passes
    }

    private func stop(_ state: inout State, _ rest: inout Rest) {
        rest.timer = state.timer.take()
        state.isRunning = false
    }

    private func start(_ state: inout State, _ rest: inout Rest) {
        state.number += 1
        state.isRunning = true
        rest.begins = state.number
    }

    private func change(_ body: (inout State, inout Rest) -> Void) {
        let rest = state.withLock { state in
            var rest = Rest()
            body(&state, &rest)
            return rest
        }
        rest.timer?.cancel()
        if let count = rest.count { point.count = count }
        if let number = rest.begins { begin(number) }
    }

    private func begin(_ number: Int) {
        let timer = Task { [weak self, pace] in
            try? await pace.clock.sleep(for: pace.interval)
            self?.timeOut(number)
        }
        let isLate = state.withLock { state in
            if !state.isRunning || state.number != number { return true }
            state.timer = timer
            return false
        }
        if isLate { timer.cancel() }
    }
}
