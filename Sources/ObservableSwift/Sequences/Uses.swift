// SPDX-License-Identifier: Apache-2.0

// Observing by a sequence: with a token, with an observer, or with a method of one.

extension ObservationSequence {
    /// Observes as long as the token is kept, and hands over each element:
    ///
    ///     token = user.values(of: \.name).onChange { name in label.text = name }
    ///
    /// Of values the present one comes first, by a drain; of an immediate observation at once.
    ///
    /// - Parameter perform: is called in its own isolation, or if it has none, on the loop of ``on(_:)``,
    ///   else on the main loop; see `tell(_:when:)` of ``ObservableHost``.
    /// - Returns: a token. Dropping it ends the observation, a scheduled call included. What is refused
    ///   stands in its ``AnyObservation/failure``, and is told to ``ObservationDiagnostics``.
    public func onChange(
        _ perform: @escaping @isolated(any) (Element) -> Void
    ) -> ObservationToken {
        let block = uncheckedIsolation(perform, as: ((Element) -> Void).self)
        return ObservationToken(source, perform.isolation, nil) { _, element in block(element) }
    }

    /// Observes until the observer is gone, which is not kept, and hands it over with each element:
    ///
    ///     user.values(of: \.name).tell(label) { label, name in label.text = name }
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer, _ perform: @escaping @isolated(any) (Observer, Element) -> Void
    ) -> ObservationHandle {
        let block = uncheckedIsolation(perform, as: ((Observer, Element) -> Void).self)
        return ObservationHandle(source, perform.isolation, observer) {
            block(unsafeDowncast($0!, to: Observer.self), $1)
        }
    }

    /// The same with a method of the observer, which takes the element:
    ///
    ///     user.values(of: \.name).call(Screen.show, of: screen)
    ///
    /// Its result is dropped.
    @discardableResult
    @_disfavoredOverload
    public func call<Observer: AnyObject, Result>(
        _ method: @escaping (Observer) -> @isolated(any) (Element) -> Result, of observer: Observer
    ) -> ObservationHandle {
        let plain = uncheckedIsolation(method, as: ((Observer) -> (Element) -> Result).self)
        return ObservationHandle(source, method(observer).isolation, observer) {
            _ = plain(unsafeDowncast($0!, to: Observer.self))($1)
        }
    }

    /// The same with a method that takes nothing.
    @discardableResult
    @_disfavoredOverload
    public func call<Observer: AnyObject, Result>(
        _ method: @escaping (Observer) -> @isolated(any) () -> Result, of observer: Observer
    ) -> ObservationHandle {
        let plain = uncheckedIsolation(method, as: ((Observer) -> () -> Result).self)
        return ObservationHandle(source, method(observer).isolation, observer) { observer, _ in
            _ = plain(unsafeDowncast(observer!, to: Observer.self))()
        }
    }
}

// MARK: - How it is observed

extension ObservationSequence {
    /// The loop of blocks, steps and iterations; see `on:` of `tell`. nil: as if nothing had been said.
    public func on(_ loop: DeliveryLoop?) -> ObservationSequence {
        with { $0.loop = loop.map(NamedLoop.init) }
    }

    /// Instead of those that were said before.
    public func options(_ options: ObservationOptions) -> ObservationSequence {
        with { $0.options = options }
    }

    /// How the values at the ends of the paths are compared.
    public func comparing(_ comparison: ObservationComparison) -> ObservationSequence {
        with { $0.comparison = comparison }
    }

    /// The name in all debug output.
    public func named(_ label: StaticString) -> ObservationSequence {
        with { $0.label = label }
    }

    private func with(
        _ change: (inout ObservationConfiguration) -> Void
    ) -> ObservationSequence {
        var other = self
        change(&other.source.configuration)
        return other
    }
}

// MARK: - Refused

// A closure behind the call is of the form with a block: the result of its method, which only its body
// says, keeps the compiler from taking it for one of a method, so that errors in it are about the block.

extension ObservationSequence {
    @available(
        *, unavailable,
        message: "the method takes an element of the sequence as its only argument, or nothing"
    )
    @_disfavoredOverload
    @discardableResult
    public func call<Observer: AnyObject, Argument, Result>(
        _ method: @escaping (Observer) -> (Argument) -> Result, of observer: Observer
    ) -> ObservationHandle { fatalError("unavailable") }
}
