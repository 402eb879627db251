// SPDX-License-Identifier: Apache-2.0

/// Values, changes or the like of an object or a class, before anybody observes them: `values(of:)`,
/// `changes(of:)`, `record(of:)`, `differences(of:)` and `tracking(_:)` of ``ObservableHost`` return it. It is a
/// value, which observes nothing until it is used:
///
///     user.values(of: \.address?.zipCode)
///         .replaceUnreachable(with: "none").on(.main).named("zip")
///         .onChange { code in … }                        // a token
///         .tell(label) { label, code in … }              // an observer
///         .assign(to: \.text, of: label)                 // a binder
///     for await code in user.values(of: \.address?.zipCode) { … }
///
/// Each use is an observation of its own, begun by that call. Where and how it is called is said once:
/// ``on(_:)``, ``options(_:)``, ``comparing(_:)``, ``named(_:)``. Steps (``filter(_:)``, ``map(_:)``,
/// ``compactMap(_:)``) stand in any number and order; they run where the block does, or on the loop of
/// the iteration. An error of one is told to ``ObservationDiagnostics``, and the element does not pass.
///
/// **Each iteration** is an observation of its own. It begins with the iterator, so with the loop,
/// and nothing that happens between that and the first element is lost. It observes where the
/// sequence was made: in that isolation, or on the loop that was named. An iterator that is made
/// elsewhere begins as soon as that place is free, and its consumer stays where it is:
///
///     let names = user.values(of: \.name)  // on the main actor
///     Task.detached { for await name in names { … } }
///
/// **One element waits** for the consumer, the newest; of changes one that goes from the first's old value to
/// the last's new one. Records, differences, and what `map` makes of changes wait all, in their order.
///
/// **It ends** when the object is gone or can change nothing any more (its path has ended, as that
/// of an element that has left its array), behind the element that waits then; and at once when the
/// task is cancelled. Leaving the loop, or letting go of the iterator, ends the observation. What
/// is refused is told to ``ObservationDiagnostics``, and the sequence is empty.
///
/// Neither the sequence nor an iterator keeps the object alive, and a sequence whose object is gone
/// is empty. But a task keeps what it captures: one that captures the sequence ends with the object,
/// one that captures the object keeps it until the task is cancelled.
///
/// Threads: it may go to any thread if its elements may. An iterator is for one task at a time: two
/// that wait for its next element stop the program.
public struct ObservationSequence<Element>: AsyncSequence {
    package var source: Source<Element>

    public func makeAsyncIterator() -> Iterator {
        Iterator(source)
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let waiting: WaitingElements<Element>
        /// Observes as long as the iterator is kept.
        private let observation: SourceObservation<Element>

        fileprivate init(_ source: Source<Element>) {
            waiting = WaitingElements(source.coalescing)
            observation = SourceObservation(of: source, for: waiting)
        }

        /// The next element; nil when the sequence has ended or the task is cancelled, and ever
        /// after. It does not suspend if there is one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                switch waiting.take() {
                case .element(let element): return element
                case .nothing: await waiting.wait(isolation: actor)
                case .end: return end()
                }
            }
            return end()
        }

        private func end() -> Element? {
            waiting.cancel()
            observation.end()
            return nil
        }
    }
}

extension ObservationSequence: Sendable where Element: Sendable {}

@available(*, unavailable)
extension ObservationSequence.Iterator: Sendable {}
