// SPDX-License-Identifier: Apache-2.0

/// The elements that the consumer of an iteration has not taken yet, and the consumer, if it waits for
/// one. They are coalesced with what comes: one element waits, or all in their order where nothing may be
/// lost.
///
/// A waiting consumer is only told to look again. So an element that comes before the consumer runs
/// is coalesced as well, and none travels with a continuation.
final class WaitingElements<Element>: ElementReceiver, @unchecked Sendable {
    // `coalescing` is constant and captures nothing; everything else stands in a lock.

    private let state = Locked<State>(State())
    private let coalescing: Coalescing<Element>

    private struct State {
        var elements: [Element] = []
        /// Whether there was one ever.
        var isBegun = false
        var hasEnded = false
        var consumer: CheckedContinuation<Void, Never>?
    }

    /// What a consumer finds.
    enum Found {
        case element(Element)
        case nothing
        case end
    }

    init(_ coalescing: Coalescing<Element>) {
        self.coalescing = coalescing
    }

    // MARK: - Who offers

    /// Something has come.
    func offer(_ element: Element) {
        change { state in
            if state.hasEnded { return [] }
            state.isBegun = true
            return coalescing.add(element, to: &state.elements).map { [$0] } ?? []
        }
    }

    /// Offers what was there at the beginning, unless something has come since.
    func begin(with element: Element) {
        change { state in
            if !state.hasEnded, !state.isBegun {
                state.elements = [element]
                state.isBegun = true
            }
            return []
        }
    }

    /// Nothing will come any more; what is there may be taken.
    func end() {
        change { state in
            state.hasEnded = true
            return []
        }
    }

    /// The same, and what is there is dropped.
    func cancel() {
        change { state in
            state.hasEnded = true
            defer { state.elements = [] }
            return state.elements
        }
    }

    /// - Parameter body: returns what is to be let go of, outside of the lock: its end may run code of the
    ///   program.
    private func change(_ body: (inout State) -> [Element]) {
        let (elements, consumer) = state.withLock { state in
            let elements = body(&state)
            let mayGoOn = !state.elements.isEmpty || state.hasEnded
            return (elements, mayGoOn ? state.consumer.take() : nil)
        }
        consumer?.resume()
        withExtendedLifetime(elements) {}
    }

    // MARK: - Who takes

    /// Takes what there is.
    func take() -> Found {
        state.withLock { state in
            if !state.elements.isEmpty { return .element(state.elements.removeFirst()) }
            return state.hasEnded ? .end : .nothing
        }
    }

    /// Waits until there may be something to take, or the end. Ends if the task is cancelled.
    func wait(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { consumer in
                if !wait(consumer) { consumer.resume() }
            }
        } onCancel: {
            // Drops nothing: the runtime may hold a lock here.
            end()
        }
    }

    /// - Returns: whether there was nothing, so that the consumer waits.
    private func wait(_ consumer: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            if !state.elements.isEmpty || state.hasEnded { return false }
            if state.consumer != nil {
                stopTheProgram("two tasks wait for the next element of one iterator")
            }
            state.consumer = consumer
            return true
        }
    }
}
