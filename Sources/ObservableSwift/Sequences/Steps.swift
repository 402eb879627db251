// SPDX-License-Identifier: Apache-2.0

// Steps between the source and the use of a sequence. If a step throws, diagnostics are told, and
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

    /// Lets an element pass that differs from the last one that did. Of values that are combined with others,
    /// the last one stands while those change. An iteration is handed the newest of these elements: one that is
    /// busy meanwhile may be handed an element that equals its last one.
    public func removeDuplicates() -> ObservationSequence where Element: Equatable {
        let prepare = source.prepare
        return ObservationSequence(
            source: Source(source, source.coalescing) { () throws(ObservationError) in
                let prepared = try prepare()
                let element = prepared.element
                // Anew for each observation.
                var last: Element?
                var isRepeated = false
                return prepared.with(isRepeated: { isRepeated }) { moment in
                    guard let next = try element(moment) else { return nil }
                    isRepeated = next == last
                    last = next
                    return isRepeated && !moment.passesRepeated ? nil : next
                }
            })
    }

    private func step<Made>(
        _ isolation: (any Actor)?, _ coalescing: Coalescing<Made>,
        _ step: @escaping (Element) throws -> Made?
    ) -> ObservationSequence<Made> {
        let prepare = source.prepare
        var made = ObservationSequence<Made>(
            source: Source<Made>(source, coalescing) { () throws(ObservationError) in
                let prepared = try prepare()
                let element = prepared.element
                return prepared.with(isRepeated: prepared.isRepeated) { moment in
                    try element(moment).flatMap(step)
                }
            })
        made.source.note(isolation)
        return made
    }
}

extension PreparedObservation {
    /// The same observation, of which other elements are made.
    fileprivate func with<Made>(
        isRepeated: (() -> Bool)?, element: @escaping (Moment) throws -> Made?
    ) -> PreparedObservation<Made> {
        PreparedObservation<Made>(
            origin: origin, handed: handed, hasPresent: hasPresent, isCalledAtOnce: isCalledAtOnce,
            followed: followed, isRepeated: isRepeated, element: element)
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
        let plain = uncheckedIsolation(
            IsolatedCombination(call: transform),
            as: Combination<Element, repeat each Other, Made>.self)
        var all = [asPart()]
        repeat all.append((each others).asPart())
        return all.combined().step(transform.isolation, .newest) { parts in
            var next = parts.makeIterator()
            func take<One>() -> One { (next.next() as! Part<One>).value }
            return try plain.call(take(), repeat take() as each Other)
        }
    }

    private func asPart() -> ObservationSequence<Any> {
        step(nil, source.coalescing.mapped()) { Part(value: $0) }
    }
}

/// A value among those of other types.
private struct Part<Value> {
    let value: Value
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
            let parts = try sources.map { source throws(ObservationError) in try source.prepare() }
            if parts.isEmpty {
                throw ObservationError(.argument, "what is combined is one sequence at least")
            }
            // What is called at once and follows nothing keeps no value, as changes that a step with time
            // lets pass.
            guard
                parts.allSatisfy({ $0.hasPresent && !($0.isCalledAtOnce && $0.followed.isEmpty) }),
                let origin = ObservationOrigin(joining: parts.map(\.origin))
            else { throw ObservationError(.options, "what is combined are values of objects") }
            var followed: [FollowedEnd] = []
            var elements: [(Moment) throws -> Value?] = []
            for part in parts {
                // Captures `element` alone, since an observation must not keep the part's objects.
                elements.append { [element = part.element, start = followed.count] in
                    try element($0.ofPart(at: start))
                }
                followed += part.followed
            }
            // Nothing has changed where all say so, unless one of them made nothing the last time.
            let repeats = parts.compactMap(\.isRepeated)
            let canRepeat = repeats.count == parts.count
            var (isRepeated, isComplete) = (false, false)
            return PreparedObservation<[Value]>(
                origin: origin, handed: .nothing, hasPresent: true, followed: followed,
                isRepeated: canRepeat ? { isRepeated } : nil
            ) { [elements] moment in
                let wasComplete = isComplete
                isComplete = false
                let made = try elements.compactMap { try $0(moment) }
                guard made.count == elements.count else { return nil }
                isComplete = true
                isRepeated = canRepeat && wasComplete && repeats.allSatisfy { $0() }
                return isRepeated && !moment.passesRepeated ? nil : made
            }
        }
        var made = ObservationSequence(
            source: sources.first.map { Source($0, .newest, prepare: prepare) }
                ?? Source(.init("", 0, nil), .newest, prepare: prepare))
        for isolation in sources.flatMap(\.isolations) { made.source.note(isolation) }
        return made
    }
}

extension Moment {
    /// The moment for one of several combined sequences. A call may be another sequence's, so this
    /// one reads its present value. A binder carries the values of all; this one's begin at `start`.
    fileprivate func ofPart(at start: Int) -> Moment {
        if case .carried(let values, _) = self {
            .carried(values + start, passesRepeated: true)
        } else {
            .present(passesRepeated: true)
        }
    }
}

/// Wraps the program's function of several values. The struct is needed since the compiler cannot
/// convert a function with a parameter pack by itself.
private struct IsolatedCombination<First, each Value, Made> {
    let call: @isolated(any) (First, repeat each Value) throws -> Made
}

/// Wraps the same function without its isolation.
private struct Combination<First, each Value, Made> {
    let call: (First, repeat each Value) throws -> Made
}
