// SPDX-License-Identifier: Apache-2.0

#if OpenCombine
    import ObservableSwift
    import OpenCombine

    private protocol Delivering: AnyObject, Sendable {
        func deliver()
    }

    /// The observation of a subscriber, and the elements that it has not demanded yet.
    ///
    /// The observation keeps it, by the block that offers; it keeps the observation. Cancelling, and the
    /// observation's end, part them.
    final class ObservationSubscription<Downstream: Subscriber>: Subscription, ElementReceiver,
        Delivering, @unchecked Sendable
    where Downstream.Failure == Never {
        // `place` and `coalescing` are constant; everything else stands in locks.

        typealias Element = Downstream.Input

        /// Keeps no actor, as the source would.
        private let place: NamedLoop?
        private let coalescing: Coalescing<Element>
        private let state: Locked<State>
        private let observation = Locked<Begun>(Begun())

        private struct State: @unchecked Sendable {
            /// Nil: it is cancelled, or has been told the end.
            var downstream: Downstream?
            var demand = Subscribers.Demand.none
            var waiting: [Element] = []
            /// Whether there was an element ever.
            var isBegun = false
            var hasEnded = false
            /// Somebody delivers, and will look again.
            var isDelivering = false
        }

        private struct Begun {
            var observation: SourceObservation<Element>?
            var hasEnded = false
        }

        /// What there is to be done outside of the lock.
        private enum Step: @unchecked Sendable {
            case element(Element, Downstream)
            case end(Downstream)
            case nothing
        }

        init(_ source: Source<Element>, _ downstream: Downstream) {
            place = source.place
            coalescing = source.coalescing
            state = Locked(State(downstream: downstream))
        }

        /// When the subscriber has it.
        func begin(_ source: Source<Element>) {
            let begun = SourceObservation(of: source, for: self)
            // Else it was cancelled, and this ends as it is let go of.
            observation.withLock { if !$0.hasEnded { $0.observation = begun } }
        }

        // MARK: - What the subscriber says

        func request(_ demand: Subscribers.Demand) {
            precondition(demand > .none, "a subscriber demands one element at least")
            let hasSome = state.withLock { state in
                state.demand += demand
                return !state.waiting.isEmpty
            }
            if hasSome { deliverInPlace() }
        }

        func cancel() {
            // Let go of outside of the lock.
            let dropped = state.withLock { state in
                defer { (state.downstream, state.waiting) = (nil, []) }
                return state
            }
            endObservation()
            withExtendedLifetime(dropped) {}
        }

        private func endObservation() {
            let begun = observation.withLock { state in
                state.hasEnded = true
                return state.observation.take()
            }
            begun?.end()
        }

        // MARK: - What the observation offers

        func offer(_ element: Element) {
            keep { state in
                coalescing.add(element, to: &state.waiting)
            }
            deliver()
        }

        func begin(with element: Element) {
            keep { state in
                if !state.isBegun { state.waiting = [element] }
                return nil
            }
            deliver()
        }

        func end() {
            state.withLock { $0.hasEnded = true }
            deliverInPlace()
        }

        /// - Parameter body: returns what is let go of, outside of the lock.
        private func keep(_ body: (inout State) -> Element?) {
            let dropped = state.withLock { state in
                if state.downstream == nil { return Kept(element: nil) }
                let dropped = Kept(element: body(&state))
                state.isBegun = true
                return dropped
            }
            withExtendedLifetime(dropped) {}
        }

        private struct Kept: @unchecked Sendable {
            let element: Element?
        }

        // MARK: - Delivering

        /// Where the object belongs; if nothing runs there any more, here.
        private func deliverInPlace() {
            // Without the subscriber's type, which need not be sendable.
            let delivering: any Delivering = self
            if let place = place?.living, !place.isCurrent,
                place.perform({ delivering.deliver() })
            {
                return
            }
            deliver()
        }

        /// One at a time: whoever comes meanwhile leaves it to the one that is at it.
        fileprivate func deliver() {
            var isFirst = true
            while true {
                let step = state.withLock { state in
                    Self.next(&state, isFirst: isFirst)
                }
                isFirst = false
                switch step {
                case .element(let element, let downstream):
                    let more = downstream.receive(element)
                    state.withLock { $0.demand += more }
                case .end(let downstream):
                    endObservation()
                    downstream.receive(completion: .finished)
                    return
                case .nothing:
                    return
                }
            }
        }

        private static func next(_ state: inout State, isFirst: Bool) -> Step {
            if isFirst, state.isDelivering { return .nothing }
            state.isDelivering = false
            guard let downstream = state.downstream else { return .nothing }
            if !state.waiting.isEmpty {
                if state.demand == .none { return .nothing }
                state.demand -= 1
                state.isDelivering = true
                return .element(state.waiting.removeFirst(), downstream)
            }
            if !state.hasEnded { return .nothing }
            state.downstream = nil
            return .end(downstream)
        }
    }
#endif
