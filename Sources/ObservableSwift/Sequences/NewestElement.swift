// SPDX-License-Identifier: Apache-2.0

/// The newest element of an iteration that its consumer has not taken yet, and the consumer, if it
/// waits for one. What no consumer has taken is coalesced with what comes.
///
/// A waiting consumer is only told to look again. So an element that comes before the consumer runs
/// is coalesced as well, and none travels with a continuation.
final class NewestElement<Element>: ElementReceiver, @unchecked Sendable {
    // `coalesce` is constant and captures nothing; everything else stands in a lock.

    private let state = Locked<State>(State())
    /// The element to tell instead of one that waits and one that comes.
    private let coalesce: (_ waiting: Element, _ next: Element) -> Element

    private struct State: @unchecked Sendable {
        var element: Element?
        /// Whether there was one ever.
        var isBegun = false
        var hasEnded = false
        var consumer: CheckedContinuation<Void, Never>?
    }

    /// What a change of the state leaves to be done outside of the lock.
    private struct Rest: @unchecked Sendable {
        /// Let go of there: its end may run code of the program.
        let element: Element?
        let consumer: CheckedContinuation<Void, Never>?
    }

    /// What a consumer finds.
    enum Found: @unchecked Sendable {
        case element(Element)
        case nothing
        case end
    }

    init(_ coalesce: @escaping (_ waiting: Element, _ next: Element) -> Element) {
        self.coalesce = coalesce
    }

    // MARK: - Who offers

    /// Something has come.
    func offer(_ element: Element) {
        change { state in
            if state.hasEnded { return nil }
            let waiting = state.element
            state.element = waiting.map { coalesce($0, element) } ?? element
            state.isBegun = true
            return waiting
        }
    }

    /// Offers what was there at the beginning, unless something has come since.
    func begin(with element: Element) {
        change { state in
            if !state.hasEnded, !state.isBegun {
                state.element = element
                state.isBegun = true
            }
            return nil
        }
    }

    /// Nothing will come any more; what is there may be taken.
    func end() {
        change { state in
            state.hasEnded = true
            return nil
        }
    }

    /// The same, and what is there is dropped.
    func cancel() {
        change { state in
            state.hasEnded = true
            return state.element.take()
        }
    }

    /// - Parameter body: returns what is to be let go of.
    private func change(_ body: (inout State) -> Element?) {
        let rest = state.withLock { state in
            let element = body(&state)
            let mayGoOn = state.element != nil || state.hasEnded
            return Rest(element: element, consumer: mayGoOn ? state.consumer.take() : nil)
        }
        rest.consumer?.resume()
    }

    // MARK: - Who takes

    /// Takes what there is.
    func take() -> Found {
        state.withLock { state in
            if let element = state.element.take() { return .element(element) }
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
            if state.element != nil || state.hasEnded { return false }
            if state.consumer != nil {
                stopTheProgram("two tasks wait for the next element of one iterator")
            }
            state.consumer = consumer
            return true
        }
    }
}
