// SPDX-License-Identifier: Apache-2.0

#if Inspector
    import ObservableSwift
    import Synchronization

    /// The objects that the program has named. They belong to their loops: a loop is asked to look,
    /// and the look takes and gives back its reference there.
    final class InspectedRoots: Sendable {
        /// How a question about a root ends.
        enum Answer: Sendable {
            case graph(String)
            /// Nothing has that name.
            case unknown
            /// The object has gone, or its actor has.
            case gone
            /// Nothing has run in the given time where it belongs.
            case silent
        }

        /// `object` is read on `loop` alone.
        private struct Root: @unchecked Sendable {
            weak let object: (any ObservableHost)?
            let loop: DeliveryLoop
            let number: Int
        }

        private struct State {
            var roots: [String: Root] = [:]
            var names: [String] = []
            var made = 0
        }

        private let state = Locked(State())

        /// In the order in which they came.
        var names: [String] { state.withLock { $0.names } }

        func add(_ object: some ObservableHost, _ name: String, _ loop: DeliveryLoop) {
            let root = Root(
                object: object, loop: loop,
                number: state.withLock {
                    $0.made += 1
                    return $0.made
                })
            // The root that it replaces goes outside the lock: its loop may end with it.
            let old = state.withLock { state -> Root? in
                let old = state.roots.updateValue(root, forKey: name)
                if old == nil { state.names.append(name) }
                return old
            }
            withExtendedLifetime(old) {}
        }

        /// The graph of a root as JSON, of so many objects at most. The look has to begin in the
        /// given time, and takes its own.
        func graph(of name: String, limit: Int, within time: Duration) async -> Answer {
            guard let root = state.withLock({ $0.roots[name] }) else { return .unknown }
            let (answers, answer) = AsyncStream<Answer>.makeStream()
            // Either comes first: the look begins, or the time is over. A look that comes late is
            // none.
            let hasCome = Flag()
            let isAsked = root.loop.perform {
                guard hasCome.set() else { return }
                let graph = root.object.map { ObservationGraph(of: [$0], limit: limit).json }
                answer.yield(graph.map(Answer.graph) ?? .gone)
            }
            if !isAsked { answer.yield(.gone) }
            let clock = Task {
                try await Task.sleep(for: time)
                if hasCome.set() { answer.yield(.silent) }
            }
            let first = await answers.first { _ in true } ?? .silent
            clock.cancel()
            if case .gone = first { forget(name, root.number) }
            return first
        }

        private func forget(_ name: String, _ number: Int) {
            let old = state.withLock { state -> Root? in
                guard state.roots[name]?.number == number else { return nil }
                state.names.removeAll { $0 == name }
                return state.roots.removeValue(forKey: name)
            }
            withExtendedLifetime(old) {}
        }
    }

    private final class Flag: Sendable {
        private let word = Atomic<Bool>(false)
        /// False: it was set before.
        func set() -> Bool { !word.exchange(true, ordering: .relaxed) }
    }
#endif
