// SPDX-License-Identifier: Apache-2.0

/// What makes of a value another one, for a ``Binder`` and for whoever else wants it.
///
/// Where it throws nothing is set.
public protocol Transformer<Input, Output> {
    associatedtype Input
    associatedtype Output

    func transform(_ value: Input) throws -> Output
}

/// One that also makes the way back. What comes back need not be what went: a binder does not carry
/// back what it has carried.
public protocol ReversibleTransformer<Input, Output>: Transformer {
    func reverse(_ value: Output) throws -> Input
}

extension ReversibleTransformer {
    /// The same in the other direction.
    public var reversed: some ReversibleTransformer<Output, Input> {
        ReversedTransformer(base: self)
    }
}

private struct ReversedTransformer<Base: ReversibleTransformer>: ReversibleTransformer {
    let base: Base

    func transform(_ value: Base.Output) throws -> Base.Input { try base.reverse(value) }
    func reverse(_ value: Base.Input) throws -> Base.Output { try base.transform(value) }
}
