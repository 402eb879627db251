// SPDX-License-Identifier: Apache-2.0

public import ObservableSwift
public import Observation

// `@Observable` objects with the tokens, words and loops of this library.

extension Observable where Self: AnyObject {
    /// Observes what an expression of this object is worth, as long as the token is kept:
    ///
    ///     counter.onChange(valueOf: { $0.count }) { count in label.text = "\(count)" }
    ///         .store(in: &tokens)
    ///
    /// The block is called by a drain of its loop, at most once, however many changes there were, and
    /// not if the value is the same then. See ``FollowedValue``, which the token keeps, and which has
    /// other forms of blocks.
    ///
    /// Neither the token nor the block keeps this object alive.
    ///
    /// - Parameters:
    ///   - expression: evaluated now and by drains; what it reads is tracked.
    ///   - loop: where this object belongs; nil: in the block's own isolation, or if it has none, on the
    ///     main loop. What is begun off the main loop with neither is refused.
    ///   - options: as those of `onChange(of:)` of a model; but no call comes before the drain, also
    ///     of an immediate block.
    ///   - comparing: how values are compared.
    ///   - label: shown in all debug output.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - perform: is handed the value.
    /// - Returns: a token; what is refused stands in its `failure`.
    ///
    /// Threads: where this object may be read.
    public func onChange<Value>(
        valueOf expression: @escaping (Self) -> Value,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Value) -> Void
    ) -> ObservationToken {
        let isolation = perform.isolation
        let block = uncheckedIsolation(perform, as: ((Value) -> Void).self)
        let followed = FollowedValue(
            of: self, on: loop, label: label, file: file, line: line, isolation: isolation,
            expression: expression)
        let following = Following(followed)
        return ObservationToken(
            followed, of: \.value, handsValue: true, on: loop, options: options,
            comparing: comparing, label: label,
            file: file, line: line, isolation: isolation
        ) { _, root, value in
            withExtendedLifetime(following) { block(value ?? root.value) }
        }
    }
}
