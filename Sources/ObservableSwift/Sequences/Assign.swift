// SPDX-License-Identifier: Apache-2.0

extension ObservationSequence {
    /// Sets a property to what comes, now and on every change:
    ///
    ///     token = user.values(of: \.age).map { "\($0 ?? 0) years" }.assign(to: \.text, of: label)
    ///
    /// The present value flows as it begins, and then what the source is set to, at most once a turn of the
    /// target's loop. It is a binder that goes one way: the newest set wins, in chains and rings of
    /// binders too, as `bind` says.
    ///
    /// - Parameters:
    ///   - path: to what is set: it ends at a property that can be. What it leads to is set,
    ///     `\.detail?.title` of whatever `detail` is, and as soon as it is another.
    ///   - target: not kept.
    ///   - action: called with the target once it has been set.
    /// - Returns: a token: it lasts as long as that is kept, and as all objects live; it keeps none of them.
    ///   A refusal is told to diagnostics, and stands in ``AnyObservation/failure``: an
    ///   ``ObservationError`` of kind `options` where this sequence is not of values,
    ///   `unsupportedElement` if the path does not end at a property that can be set, `argument` if a source
    ///   is that property, `ended` if an object is gone, `isolation` if a step would be called where it
    ///   does not belong, `memory`.
    ///
    /// Threads: begun where the sources belong; steps run and the target is set on the loop of
    /// ``on(_:)``, else in the isolation of the code that has made the sequence, or of its first step
    /// that has one, else on the main loop. Cost: an observation for each source and two more; about a
    /// microsecond for each value.
    public func assign<Target: ObservableHost>(
        to path: ValuePath<Target, Element>, of target: Target,
        then action: (@isolated(any) (Target) throws -> Void)? = nil
    ) -> ObservationToken {
        assign(path, target, action) { element, _ in .reached(element) }
    }

    /// The same of values that may be nil: nil sets a property that is optional, and leaves another as it
    /// is. A source that leads nowhere leaves it as it is, unless a step has made a value of that.
    public func assign<Target: ObservableHost, Value>(
        to path: ValuePath<Target, Value>, of target: Target,
        then action: (@isolated(any) (Target) throws -> Void)? = nil
    ) -> ObservationToken where Element == Value? {
        assign(path, target, action) { value, isReachable in
            value == nil && !isReachable ? nil : .reached(value)
        }
    }

    /// - Parameter value: makes the value to set; nil: nothing is set.
    private func assign<Target: ObservableHost, Value>(
        _ path: ValuePath<Target, Value>, _ target: Target,
        _ action: (@isolated(any) (Target) throws -> Void)?,
        _ value: @escaping (_ element: Element, _ isReachable: Bool) -> PathValue<Value>?
    ) -> ObservationToken {
        var source = source
        let then = action.map { action in
            source.note(action.isolation)
            return uncheckedIsolation(action, as: ((Target) throws -> Void).self)
        }
        return BinderToken(source.configuration) { () throws(ObservationError) in
            let prepared = try source.prepare()
            guard !prepared.followed.isEmpty else {
                throw ObservationError(
                    .options, "what is assigned are values: of others `onChange` is told")
            }
            let end = BinderEnd(target, path)
            let (element, areSeveral) = (prepared.element, prepared.followed.count > 1)
            let plan = try BinderPlan(
                prepared.followed, end.followed, try source.form(),
                forth: try end.setter(
                    then: { root in try then?(unsafeDowncast(root, to: Target.self)) }
                ) { values, isElsewhere in
                    try element(.carried(values.first, passesRepeated: isElsewhere)).flatMap {
                        value($0, areSeveral || values.isReachable)
                    }
                })
            return [plan]
        }
    }
}

extension Source {
    fileprivate func form() throws(ObservationError) -> BinderForm {
        var form = BinderForm(configuration, target: try target())
        for isolation in isolations {
            try form.note(isolation, of: "a step", mend: "leave `on` out")
        }
        return form
    }
}

// MARK: - Refused

extension ObservationSequence {
    @available(
        *, unavailable,
        message: "the elements are of another type than the property: a step makes them that"
    )
    @_disfavoredOverload
    public func assign<Target: ObservableHost, Value>(
        to path: ValuePath<Target, Value>, of target: Target,
        then action: (@isolated(any) (Target) throws -> Void)? = nil
    ) -> ObservationToken { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func assign<Target: ObservableHost>(
        to path: KeyPath<Target, Element>, of target: Target,
        then action: (@isolated(any) (Target) throws -> Void)? = nil
    ) -> ObservationToken { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func assign<Target: ObservableHost, Value>(
        to path: KeyPath<Target, Value>, of target: Target,
        then action: (@isolated(any) (Target) throws -> Void)? = nil
    ) -> ObservationToken where Element == Value? { fatalError("unavailable") }
}
