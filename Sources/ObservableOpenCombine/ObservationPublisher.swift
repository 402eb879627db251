// SPDX-License-Identifier: Apache-2.0

#if OpenCombine
    public import ObservableSwift
    public import OpenCombine

    /// What a path leads to, as a publisher: what `publisher(of:)` of a model returns, and what any sequence
    /// of `values(of:)` and `changes(of:)` has.
    ///
    ///     user.publisher(of: \.address?.zipCode)
    ///         .map { $0 ?? "no code" }
    ///         .sink { code in label.show(code) }
    ///         .store(in: &cancellables)
    ///
    /// **Each subscription** is an observation of its own. It observes where the publisher was made: in
    /// that isolation, or on the loop that was named, and elements come there. One that is begun elsewhere
    /// begins as soon as that place is free.
    ///
    /// **Demand is respected.** While there is none, one element waits: the newest; changes are one then,
    /// from the value before the first to that after the last.
    ///
    /// **It finishes** when the object is gone or can change nothing any more, behind the element that waits
    /// then; of an actor that is gone too, where the object went or where that element is demanded.
    /// Cancelling the subscription ends the observation. What is refused is told to
    /// `ObservationDiagnostics`, and the publisher finishes at once.
    ///
    /// Neither the publisher nor a subscription keeps the object alive.
    public struct ObservationPublisher<Output>: Publisher {
        public typealias Failure = Never

        private let sequence: ObservationSequence<Output>

        init(_ sequence: ObservationSequence<Output>) {
            self.sequence = sequence
        }

        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Never {
            let subscription = ObservationSubscription(sequence.source, subscriber)
            subscriber.receive(subscription: subscription)
            subscription.begin(sequence.source)
        }
    }

    extension ObservationPublisher: Sendable where Output: Sendable {}

    extension ObservationSequence {
        /// The same elements as a publisher.
        ///
        ///     user.values(of: \.[text: "address.zipCode"]).publisher
        public var publisher: ObservationPublisher<Element> { ObservationPublisher(self) }

        fileprivate func observed(
            _ loop: DeliveryLoop?, _ options: ObservationOptions,
            _ comparison: ObservationComparison, _ label: StaticString?
        ) -> ObservationSequence {
            let observed = on(loop).options(options).comparing(comparison)
            return label.map(observed.named) ?? observed
        }
    }

    extension ObservableHost {
        /// What a path leads to, now and after each change, as a publisher:
        ///
        ///     user.publisher(of: \.address?.zipCode).sink { code in … }
        ///
        /// The first element is the present value. Nil is an element, too: the value is nil, or cannot be
        /// reached. The parameters are those of `values(of:)`.
        ///
        /// Threads: any. The object is observed and read where it belongs.
        public func publisher<Value>(
            of path: ValuePath<Self, Value>,
            on loop: DeliveryLoop? = nil,
            options: ObservationOptions = [],
            comparing: ObservationComparison = .declared,
            label: StaticString? = nil,
            file: StaticString = #fileID,
            line: UInt = #line,
            isolation: (any Actor)? = #isolation
        ) -> ObservationPublisher<Value?> {
            values(of: path, file: file, line: line, isolation: isolation)
                .observed(loop, options, comparing, label).publisher
        }

        /// The changes of what a path leads to, as a publisher:
        ///
        ///     user.changePublisher(of: \.name).sink { change in log.add(change.old, change.new) }
        ///
        /// It begins with the first change. The parameters are those of `changes(of:)`.
        public func changePublisher<Value>(
            of path: ValuePath<Self, Value>,
            on loop: DeliveryLoop? = nil,
            options: ObservationOptions = [],
            comparing: ObservationComparison = .declared,
            label: StaticString? = nil,
            file: StaticString = #fileID,
            line: UInt = #line,
            isolation: (any Actor)? = #isolation
        ) -> ObservationPublisher<ObservedChange<Self, Value>> {
            changes(of: path, file: file, line: line, isolation: isolation)
                .observed(loop, options, comparing, label).publisher
        }
    }

    extension Publisher where Failure == Never {
        /// Sets a property of a model to each element, as long as both live; the first element that finds
        /// the model gone ends it:
        ///
        ///     words.map(\.count).assign(to: \.length, of: model).store(in: &cancellables)
        ///
        /// As OpenCombine's `assign(to:on:)`, which keeps its object.
        ///
        /// Threads: elements come where the model may be set.
        public func assign<Root: ObservableHost>(
            to property: ReferenceWritableKeyPath<Root, Output>, of root: Root
        ) -> AnyCancellable {
            prefix { [weak root] _ in root != nil }
                .sink { [weak root] value in root?[keyPath: property] = value }
        }
    }
#endif
