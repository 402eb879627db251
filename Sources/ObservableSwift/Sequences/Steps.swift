// SPDX-License-Identifier: Apache-2.0

// Steps between what is observed and who uses it. A step may throw: that is told to diagnostics, and
// the element does not pass.

extension ObservationSequence {
    /// Lets only some elements pass.
    public func filter(
        _ isIncluded: @escaping @isolated(any) (Element) throws -> Bool
    ) -> ObservationSequence {
        let plain = uncheckedIsolation(isIncluded, as: ((Element) throws -> Bool).self)
        return step(isIncluded.isolation, source.coalescing) { try plain($0) ? $0 : nil }
    }

    /// Makes of each element another one, perhaps of another type.
    public func map<Made>(
        _ transform: @escaping @isolated(any) (Element) throws -> Made
    ) -> ObservationSequence<Made> {
        let plain = uncheckedIsolation(transform, as: ((Element) throws -> Made).self)
        return step(transform.isolation, source.coalescing.mapped()) { try plain($0) }
    }

    /// Makes of each element another one; an element of which it makes nil does not pass.
    public func compactMap<Made>(
        _ transform: @escaping @isolated(any) (Element) throws -> Made?
    ) -> ObservationSequence<Made> {
        let plain = uncheckedIsolation(transform, as: ((Element) throws -> Made?).self)
        return step(transform.isolation, source.coalescing.mapped()) { try plain($0) }
    }

    /// Puts a value where there is none: the property is nil, or the path leads nowhere.
    public func replaceUnreachable<Value>(with value: Value) -> ObservationSequence<Value>
    where Element == Value? {
        step(nil, source.coalescing.mapped()) { $0 ?? value }
    }

    /// Lets an element pass that differs from the last one that did.
    public func removeDuplicates() -> ObservationSequence where Element: Equatable {
        stepWithState(source.coalescing) {
            var last: Element?
            return { element in
                if element == last { return nil }
                last = element
                return element
            }
        }
    }

    private func step<Made>(
        _ isolation: (any Actor)?, _ coalescing: Coalescing<Made>,
        _ step: @escaping (Element) throws -> Made?
    ) -> ObservationSequence<Made> {
        var made = stepWithState(coalescing) { step }
        made.source.note(isolation)
        return made
    }

    /// - Parameter begin: makes the step, anew for each observation.
    private func stepWithState<Made>(
        _ coalescing: Coalescing<Made>, _ begin: @escaping () -> (Element) throws -> Made?
    ) -> ObservationSequence<Made> {
        let prepare = source.prepare
        return ObservationSequence<Made>(
            source: Source<Made>(source, coalescing) { () throws(ObservationError) in
                let prepared = try prepare()
                let (element, step) = (prepared.element, begin())
                return PreparedObservation<Made>(
                    origin: prepared.origin, handed: prepared.handed,
                    hasPresent: prepared.hasPresent, isCalledAtOnce: prepared.isCalledAtOnce,
                    followed: prepared.followed
                ) { moment in try element(moment).flatMap(step) }
            })
    }
}

// MARK: - Several as one

extension ObservationSequence {
    /// The values of this sequence and of others as one, which a function makes of them:
    ///
    ///     first.values(of: \.name).combined(with: second.values(of: \.name)) { "\($0) and \($1)" }
    ///
    /// The present one, then one for each cycle in which any of them has changed. It ends with the last
    /// of the objects; while one is gone, nothing passes.
    ///
    /// - Parameters:
    ///   - others: of values, as this one; others are refused, with kind `options`.
    ///   - transform: makes one value of theirs.
    public func combined<each Other, Made>(
        with others: repeat ObservationSequence<each Other>,
        by transform: @escaping @isolated(any) (Element, repeat each Other) throws -> Made
    ) -> ObservationSequence<Made> {
        let isolation = transform.isolation
        let plain = uncheckedIsolation(
            IsolatedCombination(call: transform),
            as: Combination<Element, repeat each Other, Made>.self)
        let prepare = source.prepare
        let preparations = (repeat (each others).source.prepare)
        var made = ObservationSequence<Made>(
            source: Source<Made>(source, .newest) { () throws(ObservationError) in
                let first = try prepare()
                let begin = first.element
                var parts = Parts(first)
                let elements = (repeat parts.add(try (each preparations)()))
                return PreparedObservation<Made>(
                    origin: try parts.origin(), handed: .nothing, hasPresent: true,
                    followed: parts.followed
                ) { moment in
                    let moment = moment.ofAll
                    var isWhole = true
                    func next<One>(_ element: (Moment) throws -> One?) rethrows -> One? {
                        let made = try element(moment)
                        isWhole = isWhole && made != nil
                        return made
                    }
                    let one = try next(begin)
                    let rest = (repeat try next(each elements))
                    return isWhole ? try plain.call(one!, repeat (each rest)!) : nil
                }
            })
        repeat made.source.note(of: each others)
        made.source.note(isolation)
        return made
    }
}

extension Sequence {
    /// The values of several sequences as one array, in their order:
    ///
    ///     items.map { $0.values(of: \.price) }.combined().map { prices in … }
    ///
    /// As ``ObservationSequence/combined(with:by:)``; where and how it is observed is said of the first.
    /// None at all is refused, with kind `argument`.
    public func combined<Value>() -> ObservationSequence<[Value]>
    where Element == ObservationSequence<Value> {
        let sources = map(\.source)
        let prepare: Source<[Value]>.Prepare = { () throws(ObservationError) in
            guard let first = sources.first else {
                throw ObservationError(.argument, "what is combined is one sequence at least")
            }
            let prepared = try first.prepare()
            var parts = Parts(prepared)
            var elements = [prepared.element]
            for source in sources.dropFirst() {
                elements.append(parts.add(try source.prepare()))
            }
            return PreparedObservation<[Value]>(
                origin: try parts.origin(), handed: .nothing, hasPresent: true,
                followed: parts.followed
            ) { [elements] moment in
                let moment = moment.ofAll
                let made = try elements.compactMap { try $0(moment) }
                return made.count == elements.count ? made : nil
            }
        }
        guard let first = sources.first else {
            return ObservationSequence(source: Source(.init("", 0, nil), .newest, prepare: prepare))
        }
        var made = ObservationSequence(source: Source(first, .newest, prepare: prepare))
        for source in sources.dropFirst() {
            for isolation in source.isolations { made.source.note(isolation) }
        }
        return made
    }
}

extension Source {
    fileprivate mutating func note<Other>(of other: ObservationSequence<Other>) {
        for isolation in other.source.isolations { note(isolation) }
    }
}

/// The observations of several sequences, as one.
private struct Parts {
    private var origins: [ObservationOrigin]
    private var areOfValues: Bool
    private(set) var followed: [FollowedEnd]

    init<Element>(_ first: PreparedObservation<Element>) {
        origins = [first.origin]
        areOfValues = first.hasPresent
        followed = first.followed
    }

    /// - Returns: what makes elements of it.
    mutating func add<Element>(
        _ next: PreparedObservation<Element>
    ) -> (Moment) throws -> Element? {
        let start = followed.count
        origins.append(next.origin)
        areOfValues = areOfValues && next.hasPresent
        followed += next.followed
        // An observation keeps what makes elements, and no object.
        return { [element = next.element] in try element($0.moved(by: start)) }
    }

    func origin() throws(ObservationError) -> ObservationOrigin {
        if areOfValues, let origin = ObservationOrigin(joining: origins) { return origin }
        throw ObservationError(.options, "what is combined are values of objects")
    }
}

extension Moment {
    /// The same behind values that are carried for others.
    fileprivate func moved(by count: Int) -> Moment {
        if case .carried(let values) = self { return .carried(values + count) }
        return self
    }

    /// The same where a call is of any of several.
    fileprivate var ofAll: Moment {
        if case .call = self { return .present }
        return self
    }
}

/// A function of several values, as the program gives it; the structs are for the compiler, which
/// cannot convert a function of a parameter pack by itself.
private struct IsolatedCombination<First, each Value, Made> {
    let call: @isolated(any) (First, repeat each Value) throws -> Made
}

/// The same without the isolation.
private struct Combination<First, each Value, Made> {
    let call: (First, repeat each Value) throws -> Made
}
