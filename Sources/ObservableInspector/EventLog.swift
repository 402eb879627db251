// SPDX-License-Identifier: Apache-2.0

#if Inspector
    import CObservable
    import ObservableSwift

    /// One event of the trace, copied: `observable/trace.h` says what its fields mean. Names are as
    /// the program wrote them; the page shows them as text.
    struct TraceEvent: Encodable, Sendable {
        /// Milliseconds since the page is served.
        let time: Double
        let kind: String
        let thread: UInt64
        let object, type, property: String?
        let file: String?
        let line: UInt32
        /// The number of the observation; 0: none.
        let observation: UInt32
        let label, path, begunFile: String?
        let begunLine: UInt32
        let isImmediate, isPerhaps: Bool
        /// Of a drain: calls made.
        let called: Int

        init(_ event: obv_trace_event, _ kind: String, time: Double) {
            func text(_ name: UnsafePointer<CChar>?) -> String? { name.map { String(cString: $0) } }
            self.time = time
            self.kind = kind
            thread = event.thread
            object = event.object.map { "0x" + String(UInt(bitPattern: $0), radix: 16) }
            type = text(event.class_name)
            property = text(event.property)
            file = text(event.file)
            line = event.line
            observation = event.observation
            label = text(event.label)
            path = text(event.path)
            begunFile = text(event.begun_file)
            begunLine = event.begun_line
            isImmediate = event.is_immediate
            isPerhaps = event.is_perhaps
            called = event.count
        }
    }

    /// The newest events, in a ring. Whoever reads has a place in it, and nothing is kept for a
    /// reader: one that is slow is told how many it has missed.
    final class EventLog: Sendable {
        /// By the numbers of `enum obv_trace_kind`.
        private static let names = [
            "", "changed", "equal", "due", "coalesced", "dropped", "drain", "call", "return",
            "uncalled", "drained",
        ]

        private struct State {
            var ring: [TraceEvent] = []
            var total = 0
            var kinds = Array(repeating: 0, count: EventLog.names.count)
        }

        private let state = Locked(State())
        private let capacity: Int
        private let begin = ContinuousClock.now

        init(capacity: Int = 1000) {
            self.capacity = capacity
        }

        /// Milliseconds since the page is served.
        var time: Double { (ContinuousClock.now - begin) / .milliseconds(1) }

        /// On the thread of the event.
        func take(_ event: obv_trace_event) {
            let kind = Int(event.kind.rawValue)
            guard EventLog.names.indices.contains(kind) else { return }
            let copy = TraceEvent(event, EventLog.names[kind], time: time)
            // The event that it replaces goes outside the lock.
            let old = state.withLock { state -> TraceEvent? in
                defer {
                    (state.total, state.kinds[kind]) = (state.total + 1, state.kinds[kind] + 1)
                }
                if state.ring.count < capacity {
                    state.ring.append(copy)
                    return nil
                }
                let place = state.total % capacity
                defer { state.ring[place] = copy }
                return state.ring[place]
            }
            withExtendedLifetime(old) {}
        }

        struct Part {
            let events: [TraceEvent]
            let missed: Int
            /// How many events of each kind there were, since the page is served.
            let kinds: [String: Int]
        }

        /// The events since a place, which moves behind them. A reader begins at nil, with all that is
        /// there.
        func read(from place: inout Int?) -> Part {
            let (ring, total, kinds) = state.withLock { ($0.ring, $0.total, $0.kinds) }
            let first = max(place ?? 0, total - ring.count)
            let missed = first - (place ?? first)
            place = total
            return Part(
                events: (first..<total).map { ring[$0 % capacity] }, missed: missed,
                kinds: Dictionary(uniqueKeysWithValues: zip(EventLog.names, kinds).dropFirst()))
        }
    }
#endif
