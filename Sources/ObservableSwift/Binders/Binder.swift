// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Two properties, one of which is set to what the other is set to, or to what a function makes of
/// it; one way or both. It lasts as long as it is kept, and as both objects live; it keeps neither.
///
///     binder = user.values(of: \.address?.city).assign(to: \.text, of: label)
///     binder = Binder(between: user, \.name, and: field, \.text)
///
/// The present value of the source is carried over as the binder begins, and from then on what it is
/// set to, at most once a turn of the target's loop.
///
/// Binders in both directions, in chains and in rings settle, on one thread or on several: a binder
/// sets only what was set before, and what it sets counts as set when its source was. So a set goes
/// round a ring once, and of several the last one stays, everywhere. A set of an equal value is a set.
/// Where the functions in a ring make of one set another value for a property that has had one from that
/// set already, the first stays.
///
/// What a property makes of a value that a binder sets it to, by `didSet`, a policy or its setter, is a
/// set right behind that one and is carried back: all ends agree on it, if its values can be compared.
/// Corrections that never settle are told to diagnostics
/// (``ObservationDiagnostics/Report/Kind/binder``), and what stands then stays.
///
/// What the target's path leads to is set: `\.detail?.title` of whatever `detail` is, and as soon as
/// it is another. A source that leads nowhere leaves the target as it is, unless a value for that is
/// given.
///
/// Each end belongs to whoever drains its loop: the source is read where it is set, the target is set
/// by its own loop, which also calls the functions.
///
/// Threads: begun where the source belongs; given up on any.
public final class Binder: @unchecked Sendable {
    /// Of several properties one each; none: it was refused or cancelled.
    private let pointers: Locked<[OpaquePointer]>
    /// What was refused when it was made; then it has ended.
    public let failure: ObservationError?

    /// - Parameters:
    ///   - configuration: for diagnostics.
    ///   - plans: nothing begins if one of them is refused.
    init(
        _ configuration: ObservationConfiguration,
        _ plans: () throws(ObservationError) -> [BinderPlan]
    ) {
        do throws(ObservationError) {
            pointers = Locked(try Self.begin(try plans()))
            failure = nil
        } catch {
            pointers = Locked([])
            failure = error
            ObservationDiagnostics.tellRefused(error, of: configuration)
        }
    }

    private static func begin(
        _ plans: [BinderPlan]
    ) throws(ObservationError) -> [OpaquePointer] {
        if plans.count > 1 {
            for plan in plans { try plan.check() }
        }
        var begun: [OpaquePointer] = []
        do throws(ObservationError) {
            for plan in plans { begun.append(try plan.begin()) }
        } catch {
            begun.forEach(obv_unbind)
            throw error
        }
        return begun
    }

    deinit {
        cancel()
    }

    /// Ends it. What was set and not carried over yet stays where it is. May be repeated.
    public func cancel() {
        let ended = pointers.withLock { pointers in
            defer { pointers = [] }
            return pointers
        }
        ended.forEach(obv_unbind)
    }

    /// Whether it was cancelled, or one of its objects is gone.
    public var hasEnded: Bool {
        pointers.withLock { $0.allSatisfy(obv_binder_has_ended) }
    }
}

extension Binder: Hashable {
    public static func == (a: Binder, b: Binder) -> Bool { a === b }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Binder {
    /// Keeps it with others: they end with the set.
    public func store(in binders: inout Set<Binder>) {
        binders.insert(self)
    }
}

// MARK: - Both ways

extension Binder {
    /// Sets each of two properties to what the other is set to; as it begins, the second one to what the
    /// first is.
    ///
    /// - Parameters:
    ///   - first: the one object; not kept.
    ///   - second: the other; not kept.
    ///   - loop: the loop that both belong to; nil: the main one.
    ///   - secondLoop: that of the second, if it is another.
    public convenience init<First: ObservableHost, Second: ObservableHost, Value>(
        between first: First, _ firstPath: ValuePath<First, Value>,
        and second: Second, _ secondPath: ValuePath<Second, Value>,
        on loop: DeliveryLoop? = nil,
        and secondLoop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(.init(loop, [], .declared, label, file, line)) { () throws(ObservationError) in
            [
                try BinderPlan(
                    BinderEnd(first, firstPath), BinderEnd(second, secondPath),
                    BinderForm(secondLoop ?? loop, source: loop, label, file, line), forth: { $0 },
                    back: { $0 })
            ]
        }
    }

    /// The same with a transformer between them, which makes the second of the first.
    public convenience init<
        First: ObservableHost, Second: ObservableHost, Change: ReversibleTransformer
    >(
        between first: First, _ firstPath: ValuePath<First, Change.Input>,
        and second: Second, _ secondPath: ValuePath<Second, Change.Output>,
        by transformer: Change,
        on loop: DeliveryLoop? = nil,
        and secondLoop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(.init(loop, [], .declared, label, file, line)) { () throws(ObservationError) in
            [
                try BinderPlan(
                    BinderEnd(first, firstPath), BinderEnd(second, secondPath),
                    BinderForm(secondLoop ?? loop, source: loop, label, file, line),
                    forth: { try $0.mapped(transformer.transform) },
                    back: { try $0.mapped(transformer.reverse) })
            ]
        }
    }
}

// MARK: - Refused

// Without these the compiler says nothing of two types that differ.

extension Binder {
    @available(
        *, unavailable,
        message: "the two properties are of different types: `by:` a transformer"
    )
    @_disfavoredOverload
    public convenience init<First: ObservableHost, Second: ObservableHost, Value, Other>(
        between first: First, _ firstPath: ValuePath<First, Value>,
        and second: Second, _ secondPath: ValuePath<Second, Other>,
        on loop: DeliveryLoop? = nil,
        and secondLoop: DeliveryLoop? = nil,
        label: StaticString? = nil
    ) {
        fatalError("unavailable")
    }
}

extension PathValue {
    /// Nil, and what cannot be reached, stay as they are.
    func mapped<Made>(_ transform: (Value) throws -> Made) rethrows -> PathValue<Made> {
        guard case .reached(let value) = self else { return .unreachable }
        return .reached(try value.map(transform))
    }
}
