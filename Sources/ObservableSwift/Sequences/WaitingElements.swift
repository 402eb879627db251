// SPDX-License-Identifier: Apache-2.0

/// The elements that the consumer of an iteration has not taken yet, and the consumer if it waits
/// for one. Waiting elements are coalesced with new ones: one element waits, or all wait in their
/// order where none may be lost.
///
/// A waiting consumer is only woken to look again; its continuation carries no element. So an
/// element that comes before the consumer runs is coalesced as well.
final class WaitingElements<Element>: ElementReceiver, @unchecked Sendable {
    // Unchecked: `coalescing` is constant and captures nothing, and everything else lies in a lock.

    private let state = Locked<State>(State())
    private let coalescing: Coalescing<Element>

    private struct State {
        var elements: [Element] = []
        /// Whether any element has ever come.
        var isBegun = false
        var hasEnded = false
        var consumer: CheckedContinuation<Void, Never>?
    }

    /// The answer to a consumer that looks for an element.
    enum Found {
        case element(Element)
        case nothing
        case end
    }

    init(_ coalescing: Coalescing<Element>) {
        self.coalescing = coalescing
    }

    // MARK: - Who offers

    /// Adds an element, coalesced with those that wait.
    func offer(_ element: Element) {
        change { state in
            if state.hasEnded { return [] }
            state.isBegun = true
            return coalescing.add(element, to: &state.elements).map { [$0] } ?? []
        }
    }

    /// Offers the element that was present at the beginning, unless another one has come since.
    func begin(with element: Element) {
        change { state in
            if !state.hasEnded, !state.isBegun {
                state.elements = [element]
                state.isBegun = true
            }
            return []
        }
    }

    /// No element will come any more. Waiting elements may still be taken.
    func end() {
        change { state in
            state.hasEnded = true
            return []
        }
    }

    /// Ends, and drops the waiting elements.
    func cancel() {
        change { state in
            state.hasEnded = true
            defer { state.elements = [] }
            return state.elements
        }
    }

    /// - Parameter body: returns the elements to be released outside of the lock, since their
    ///   `deinit` may run code of the program.
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

    /// Takes the next element, if there is one.
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
            // Not `cancel()`: dropping elements may run code of the program, and the runtime may
            // hold a lock here.
            end()
        }
    }

    /// - Returns: whether there was no element, so that the consumer waits.
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
