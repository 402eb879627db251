// SPDX-License-Identifier: Apache-2.0

/// What a path leads to, as an asynchronous sequence: what
/// ``ObservableHost/values(of:on:options:comparing:label:file:line:isolation:)`` and
/// ``ObservableHost/changes(of:on:options:comparing:label:file:line:isolation:)`` return.
///
///     for await code in user.values(of: \.address?.zipCode) { label.show(code ?? "no code") }
///
/// **Each iteration** is an observation of its own. It begins with the iterator, so with the loop,
/// and nothing that happens between that and the first element is lost. It observes where the
/// sequence was made: in that isolation, or on the loop that was named. An iterator that is made
/// elsewhere begins as soon as that place is free, and its consumer stays where it is:
///
///     let names = user.values(of: \.name)  // on the main actor
///     Task.detached { for await name in names { … } }
///
/// **One element waits** for the consumer, the newest. A slow consumer costs nothing, and misses no
/// more than what was there in between.
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
    public typealias Failure = Never

    package let source: Source<Element>

    public func makeAsyncIterator() -> Iterator {
        Iterator(iteration: Iteration(of: source))
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        let iteration: Iteration<Element>

        /// The next element; nil when the sequence has ended or the task is cancelled, and ever
        /// after. It does not suspend if there is one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                switch iteration.newest.take() {
                case .element(let element):
                    return element
                case .nothing:
                    await iteration.newest.wait(isolation: actor)
                case .end:
                    iteration.end()
                    return nil
                }
            }
            iteration.end()
            return nil
        }
    }
}

extension ObservationSequence: Sendable where Element: Sendable {}

@available(*, unavailable)
extension ObservationSequence.Iterator: Sendable {}
