// SPDX-License-Identifier: Apache-2.0

// Binding properties of two objects, both ways. One way it is `assign`.

/// Sets each of two properties to what the other is set to; as it begins, the second one to what the
/// first is:
///
///     token = bind(user, \.name, field, \.text)
///     token = bind(user, \.age, field, \.text, converting: Decimal())
///
/// The present value of the first is carried over as it begins, and from then on what either is set to,
/// at most once a turn of the other's loop.
///
/// Binders in both directions, in chains and in rings settle, on one thread or on several: a binder
/// sets only what was set before, and what it sets counts as set when its source was. So a set goes
/// round a ring once, and of several the last one stays, everywhere. A set of an equal value is a set.
/// A property that has had a value from a set keeps it, where the functions in a ring make another of
/// that set.
///
/// A property may correct a value that a binder sets it to, by `didSet`, a policy or its setter. That is a
/// set right behind that one and is carried back: all ends agree on it, if its values can be compared.
/// Corrections that never settle are told to diagnostics
/// (``ObservationDiagnostics/Report/Kind/binder``), and what stands then stays.
///
/// The property that a path leads to is set: `\.detail?.title` of whatever `detail` is, and as soon as it is
/// another.
/// A path that leads nowhere leaves the other end as it is.
///
/// - Parameters:
///   - first: the one object; not kept.
///   - firstPath: from it to a property that can be set.
///   - second: the other; not kept.
///   - secondPath: likewise, from the second.
///   - loop: the loop that both belong to; nil: the main one.
///   - secondLoop: that of the second, if it is another.
///   - label: shown in all debug output.
///   - file: of the caller; leave it out.
///   - line: likewise.
/// - Returns: a token: it lasts as long as that is kept, and as both objects live. What is refused stands in
///   its ``AnyObservation/failure``, and is told to ``ObservationDiagnostics``: kind `unsupportedElement` if
///   a path does not end at a property that can be set, `argument` if both ends are one property.
///
/// Threads: each end belongs to whoever drains its loop: it is read where it is set, and set by a drain of
/// its loop, which also calls the converter. Begun where the first belongs; given up on any.
public func bind<First: ObservableHost, Second: ObservableHost, Value>(
    _ first: First, _ firstPath: ValuePath<First, Value>,
    _ second: Second, _ secondPath: ValuePath<Second, Value>,
    on loop: DeliveryLoop? = nil,
    and secondLoop: DeliveryLoop? = nil,
    label: StaticString? = nil,
    file: StaticString = #fileID,
    line: UInt = #line
) -> ObservationToken {
    bind(
        BinderEnd(first, firstPath), BinderEnd(second, secondPath),
        BinderForm(loop, secondLoop, label, file, line), forth: { $0 }, back: { $0 })
}

/// The same of properties of two types: the converter makes the second of the first, and back.
///
///     token = bind(user, \.age, form, \.ageText, converting: Decimal()) { [weak form] error in
///         form?.ageError = error.map { "\($0)" }
///     }
///
/// `onFailure` is told of each error that the converter throws; then nothing is set. With the next value that
/// it does not throw for, of either end, it is handed nil, before that is set. Without it
/// ``ObservationDiagnostics`` is told. It is called where the converter is: of `convert` on the second's loop,
/// of `convertBack` on the first's, and as the binder begins before this function has returned. One that is
/// isolated where a loop never drains is refused with an error of kind `isolation`. It lives as long as the
/// binder, so it captures the objects weakly.
public func bind<First: ObservableHost, Second: ObservableHost, Converter: ValueConverter>(
    _ first: First, _ firstPath: ValuePath<First, Converter.Input>,
    _ second: Second, _ secondPath: ValuePath<Second, Converter.Output>,
    converting converter: Converter,
    on loop: DeliveryLoop? = nil,
    and secondLoop: DeliveryLoop? = nil,
    label: StaticString? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    onFailure: (@isolated(any) ((any Error)?) -> Void)? = nil
) -> ObservationToken {
    bind(
        BinderEnd(first, firstPath), BinderEnd(second, secondPath),
        BinderForm(loop, secondLoop, label, file, line), forth: converter.convert,
        back: converter.convertBack, onFailure)
}

private func bind<A, B>(
    _ first: BinderEnd<A>, _ second: BinderEnd<B>, _ form: BinderForm,
    forth: @escaping (A) throws -> B, back: @escaping (B) throws -> A,
    _ onFailure: (@isolated(any) ((any Error)?) -> Void)? = nil
) -> ObservationToken {
    BinderToken(form.configuration) { () throws(ObservationError) in
        var form = form
        let failures = try onFailure.map { block throws(ObservationError) in
            if let isolation = block.isolation {
                try form.note(
                    isolation, of: "a block", mend: "`on:` names the loop of both ends")
            }
            return ConverterFailures(
                uncheckedIsolation(block, as: (((any Error)?) -> Void).self))
        }
        return [try BinderPlan(first, second, form, forth: forth, back: back, failures)]
    }
}

/// The same of several properties that two objects have in common: of a class, or of a protocol.
///
///     protocol Named: AnyObject {
///         var first: String { get set }
///         var last: String { get set }
///     }
///     let allOfNamed: [TypedPath<any Named> & Sendable] = [\.first, \.last]
///
///     token = bind(user, card, properties: allOfNamed)
///     token = bind(user, copy, properties: [\.first, \.last], isTwoWay: false)
///
/// Swift does not say what properties a protocol has, so a program lists them, once. A protocol is
/// for classes (`AnyObject`), else nothing can be set through it. Paths may go on: `\.place?.city`.
///
/// - Parameters:
///   - first: an observable object, or it is refused with an error of kind `unsupportedElement`; not kept.
///   - second: likewise.
///   - properties: of none nothing is bound, and the token has ended. If one of them is refused, nothing
///     is bound and nothing was set.
///   - isTwoWay: false: the properties of the second alone are set.
///   - loop: the loop that both belong to; nil: the main one.
///   - secondLoop: that of the second, if it is another.
///   - label: shown in all debug output.
///   - file: of the caller; leave it out.
///   - line: likewise.
public func bind<Shared>(
    _ first: Shared, _ second: Shared, properties: [TypedPath<Shared>],
    isTwoWay: Bool = true,
    on loop: DeliveryLoop? = nil,
    and secondLoop: DeliveryLoop? = nil,
    label: StaticString? = nil,
    file: StaticString = #fileID,
    line: UInt = #line
) -> ObservationToken {
    let form = BinderForm(loop, secondLoop, label, file, line)
    return BinderToken(form.configuration) { () throws(ObservationError) in
        let (first, second) = (try host(first), try host(second))
        return try properties.map { path throws(ObservationError) in
            guard let end = ObservedPath<Shared>()[keyPath: path] as? any BoundPath else {
                preconditionFailure("\(path) is no key path from \(Shared.self)")
            }
            return try end.plan(first, second, form, isTwoWay)
        }
    }
}

private func host<End>(_ end: End) throws(ObservationError) -> any ObservableHost {
    guard let host = end as? any ObservableHost else {
        throw ObservationError(
            .unsupportedElement,
            "an end of a binder is an observable object: \(type(of: end as Any))")
    }
    return host
}

/// An ``ObservedPath`` with the type of its value erased.
private protocol BoundPath {
    func plan(
        _ first: any ObservableHost, _ second: any ObservableHost, _ form: BinderForm,
        _ isTwoWay: Bool
    ) throws(ObservationError) -> BinderPlan
}

extension ObservedPath: BoundPath {
    fileprivate func plan(
        _ first: any ObservableHost, _ second: any ObservableHost, _ form: BinderForm,
        _ isTwoWay: Bool
    ) throws(ObservationError) -> BinderPlan {
        try BinderPlan(
            BinderEnd(first, self), BinderEnd(second, self), form, forth: { $0 },
            back: isTwoWay ? { $0 } : nil)
    }
}

// MARK: - Refused

// Without this overload the compiler's message would not mention that the two types differ.

@available(
    *, unavailable,
    message:
        "the two properties are of different types: `converting:` says how one is made of the other"
)
@_disfavoredOverload
public func bind<First: ObservableHost, Second: ObservableHost, Value, Other>(
    _ first: First, _ firstPath: ValuePath<First, Value>,
    _ second: Second, _ secondPath: ValuePath<Second, Other>,
    on loop: DeliveryLoop? = nil,
    and secondLoop: DeliveryLoop? = nil,
    label: StaticString? = nil
) -> ObservationToken {
    fatalError("unavailable")
}
