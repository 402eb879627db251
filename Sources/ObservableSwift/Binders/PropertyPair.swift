// SPDX-License-Identifier: Apache-2.0

// Binding several properties of two objects by one binder.

/// Two properties that a binder binds, of two objects that it is told with others of their kind:
///
///     binder = Binder(
///         from: user, to: card,
///         pairs: [PropertyPair(\.name, \.title), PropertyPair(\.age, \.years, by: Decimal())])
public struct PropertyPair<First, Second> {
    fileprivate let plan: BinderManner.Plan

    /// Two properties of one type.
    public init<Value>(_ first: ValuePath<First, Value>, _ second: ValuePath<Second, Value>) {
        self.init(first, second, forth: { $0 }, back: { $0 })
    }

    /// The same with a transformer between them, which makes the second of the first.
    public init<Change: ReversibleTransformer>(
        _ first: ValuePath<First, Change.Input>, _ second: ValuePath<Second, Change.Output>,
        by transformer: Change
    ) {
        self.init(
            first, second, forth: { try $0.mapped(transformer.transform) },
            back: { try $0.mapped(transformer.reverse) })
    }

    private init<A, B>(
        _ first: ValuePath<First, A>, _ second: ValuePath<Second, B>,
        forth: @escaping (PathValue<A>) throws -> PathValue<B>,
        back: @escaping (PathValue<B>) throws -> PathValue<A>
    ) {
        // The builder's optional is never nil.
        let firstPath = first(ObservedPath<First, First>())!
        let secondPath = second(ObservedPath<Second, Second>())!
        plan = { manner, first, second throws(ObservationError) in
            try manner.plan(first, firstPath, second, secondPath, forth: forth, back: back)
        }
    }
}

extension PropertyPair where First == Second {
    /// One property of both.
    fileprivate init(_ path: TypedPath<First>) {
        guard let end = ObservedPath<First, First>()[keyPath: path] as? any BindablePath else {
            preconditionFailure("\(path) is no key path from \(First.self)")
        }
        plan = { manner, first, second throws(ObservationError) in
            try end._plan(manner, first, second)
        }
    }
}

// MARK: - Binders

extension Binder {
    /// Sets several properties of an object to what those of another are, as one binder. It costs what
    /// a binder for each of them costs.
    ///
    /// - Parameter pairs: which to which; of none nothing is bound, and the binder has ended. If one of
    ///   them is refused, nothing is bound and nothing was set.
    public convenience init<Source: ObservableHost, Target: ObservableHost>(
        from source: Source, to target: Target, pairs: [PropertyPair<Source, Target>],
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(source, target, pairs, BinderManner(loop, nil, false, label, file, line))
    }

    /// The same, both ways.
    public convenience init<First: ObservableHost, Second: ObservableHost>(
        between first: First, and second: Second, pairs: [PropertyPair<First, Second>],
        on loop: DeliveryLoop? = nil,
        and secondLoop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            first, second, pairs, BinderManner(secondLoop ?? loop, loop, true, label, file, line))
    }

    /// Sets the properties of an object to what the same ones of another are: of two objects of a
    /// class, or of a protocol.
    ///
    ///     protocol Named: AnyObject {
    ///         var first: String { get set }
    ///         var last: String { get set }
    ///     }
    ///     let allOfNamed: [TypedPath<any Named> & Sendable] = [\.first, \.last]
    ///
    ///     binder = Binder(from: user, to: card, properties: allOfNamed)
    ///     binder = Binder(from: user, to: copy, properties: [\.first, \.last])
    ///
    /// Swift does not say what properties a protocol has, so a program lists them, once. A protocol is
    /// for classes (`AnyObject`), else nothing can be set through it. Paths may go on: `\.place?.city`.
    ///
    /// - Parameters:
    ///   - source: the object whose properties are followed; not kept. An observable object, or it is
    ///     refused with an error of kind `unsupportedElement`.
    ///   - target: the object whose properties are set; not kept. Observable likewise.
    ///   - properties: as `pairs`.
    public convenience init<Shared>(
        from source: Shared, to target: Shared, properties: [TypedPath<Shared>],
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            source, target, properties.map(PropertyPair.init),
            BinderManner(loop, nil, false, label, file, line))
    }

    /// The same, both ways.
    public convenience init<Shared>(
        between first: Shared, and second: Shared, properties: [TypedPath<Shared>],
        on loop: DeliveryLoop? = nil,
        and secondLoop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            first, second, properties.map(PropertyPair.init),
            BinderManner(secondLoop ?? loop, loop, true, label, file, line))
    }

    private convenience init<First, Second>(
        _ first: First, _ second: Second, _ pairs: [PropertyPair<First, Second>],
        _ manner: BinderManner
    ) {
        self.init(manner.configuration) { () throws(ObservationError) in
            let ends = (try Self.host(first), try Self.host(second))
            return try pairs.map { pair throws(ObservationError) in
                try pair.plan(manner, ends.0, ends.1)
            }
        }
    }

    private static func host<End>(_ end: End) throws(ObservationError) -> any ObservableHost {
        guard let host = end as? any ObservableHost else {
            throw ObservationError(
                .unsupportedElement,
                "an end of a binder is an observable object: \(type(of: end as Any))")
        }
        return host
    }
}

// MARK: - How

/// What the binders of several properties have in common.
private struct BinderManner {
    typealias Plan = (BinderManner, any ObservableHost, any ObservableHost) throws(ObservationError)
        -> BinderPlan

    let loop, sourceLoop: DeliveryLoop?
    let isTwoWay: Bool
    let label: StaticString?
    let file: StaticString
    let line: UInt

    init(
        _ loop: DeliveryLoop?, _ sourceLoop: DeliveryLoop?, _ isTwoWay: Bool,
        _ label: StaticString?, _ file: StaticString, _ line: UInt
    ) {
        self.loop = loop
        self.sourceLoop = sourceLoop
        self.isTwoWay = isTwoWay
        self.label = label
        self.file = file
        self.line = line
    }

    var configuration: ObservationConfiguration {
        ObservationConfiguration(loop, [], .declared, label, file, line)
    }

    func plan<A, B, FirstStart, SecondStart>(
        _ first: some ObservableHost, _ firstPath: ObservedPath<FirstStart, A>,
        _ second: some ObservableHost, _ secondPath: ObservedPath<SecondStart, B>,
        forth: @escaping (PathValue<A>) throws -> PathValue<B>,
        back: @escaping (PathValue<B>) throws -> PathValue<A>
    ) throws(ObservationError) -> BinderPlan {
        try BinderPlan(
            BinderEnd(first, of: firstPath), BinderEnd(second, of: secondPath),
            BinderForm(loop, source: sourceLoop, label, file, line), forth: forth,
            back: isTwoWay ? back : nil)
    }
}

/// A typed path whose value's type is known to itself alone.
private protocol BindablePath {
    func _plan(
        _ manner: BinderManner, _ first: any ObservableHost, _ second: any ObservableHost
    ) throws(ObservationError) -> BinderPlan
}

extension ObservedPath: BindablePath {
    fileprivate func _plan(
        _ manner: BinderManner, _ first: any ObservableHost, _ second: any ObservableHost
    ) throws(ObservationError) -> BinderPlan {
        try manner.plan(first, self, second, self, forth: { $0 }, back: { $0 })
    }
}
