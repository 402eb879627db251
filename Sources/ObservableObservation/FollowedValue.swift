// SPDX-License-Identifier: Apache-2.0

public import ObservableSwift
public import Observation

/// What an expression of an `@Observable` object is worth, as a model of this library: with one observed
/// property, which computed properties may read and paths may lead to.
///
///     let total = FollowedValue(of: cart) { $0.items.reduce(0) { $0 + $1.price } }
///     token = total.values(of: \.value).onChange { total in show(total ?? 0) }
///
/// The expression is evaluated now, and again by a drain of the loop when something that it has read has
/// changed, however often; ``value`` is set to the result. Until that drain it is the former one. So it is
/// evaluated where the object may be read, after the change: Observation tells of changes before the
/// store. A drain inside an `onChange` of Observation comes before the store as well: it finds the
/// former value, and that change is not seen.
///
/// The object is not kept alive; when it is gone the value stays. What Observation keeps of this for its
/// next change is a few words.
public final class FollowedValue<Value>: ObservableModel {
    @Observed public private(set) var value: Value
    /// What was refused when it was made: then the value does not change.
    public var failure: ObservationError? { token?.failure }

    private let expression: () -> Value?
    private var token: ObservationToken?

    /// - Parameters:
    ///   - subject: not kept.
    ///   - loop: where the object, the expression and this model belong; nil: to the isolation of the
    ///     caller, or if it has none, to the main loop. What is made off the main loop with neither is
    ///     refused.
    ///   - label: shown in all debug output.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///   - expression: what it reads of `@Observable` objects is tracked, whichever they are.
    ///
    /// Threads: made where the object may be read.
    public init<Subject: Observable & AnyObject>(
        of subject: Subject,
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        expression: @escaping (Subject) -> Value
    ) {
        let alarm = Alarm()
        let evaluate = { [weak subject] in
            subject.map { subject in
                withObservationTracking {
                    expression(subject)
                } onChange: {
                    alarm.ring()
                }
            }
        }
        self.expression = evaluate
        value = evaluate()!
        super.init()
        let token = ObservationToken(
            scheduledByHand: self, on: loop, inIsolation: isolation, label: label, file: file,
            line: line
        ) { $0.follow() }
        self.token = token
        alarm.set(token)
    }

    /// Ends it, and takes back what is scheduled, which would keep it until the next drain.
    fileprivate func cancel() {
        token?.cancel()
    }

    private func follow() {
        if let new = expression() { value = new }
    }
}

/// Follows as long as it is kept.
final class Following<Value> {
    private let value: FollowedValue<Value>

    init(_ value: FollowedValue<Value>) {
        self.value = value
    }

    deinit {
        value.cancel()
    }
}

/// What schedules an observation when Observation tells of a change, which may be before there is one.
private final class Alarm: Sendable {
    private let state = Locked<State>(State())

    private struct State {
        weak var token: ObservationToken?
        var hasRung = false
    }

    func set(_ token: ObservationToken) {
        let hasRung = state.withLock { state in
            state.token = token
            return state.hasRung
        }
        if hasRung { token.schedule() }
    }

    func ring() {
        let token = state.withLock { state in
            state.hasRung = true
            return state.token
        }
        token?.schedule()
    }
}
