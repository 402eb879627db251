// SPDX-License-Identifier: Apache-2.0

// Calls that are refused with a sentence of the library's. The library cannot split a key path of
// Swift's own, whose root is spelt out or which was made before the call; and it hands over the
// values of one path, not of several.

extension ObservableHost {
    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        when path: PartialKeyPath<Self>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        perform: @escaping @isolated(any) (Observer, Self) -> Void
    ) -> ObservationHandle { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func onChange(
        of path: PartialKeyPath<Self>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        perform: @escaping @isolated(any) (Self) -> Void
    ) -> ObservationToken { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func stopTelling(_ observer: AnyObject, about path: PartialKeyPath<Self>) {
        fatalError("unavailable")
    }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func values<Value>(of path: KeyPath<Self, Value>) -> ObservationSequence<Value?> {
        fatalError("unavailable")
    }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func changes<Value>(
        of path: KeyPath<Self, Value>
    ) -> ObservationSequence<ObservedChange<Self, Value>> { fatalError("unavailable") }

    @available(*, unavailable, message: "values are those of one path; several have `record(of:)`")
    @_disfavoredOverload
    public func values(
        of path: TypedPath<Self>, _ second: TypedPath<Self>, _ more: TypedPath<Self>...
    ) -> ObservationSequence<Any?> { fatalError("unavailable") }

    @available(*, unavailable, message: "values are those of one path; several have `record(of:)`")
    @_disfavoredOverload
    public func changes(
        of path: TypedPath<Self>, _ second: TypedPath<Self>, _ more: TypedPath<Self>...
    ) -> ObservationSequence<ObservedChange<Self, Any>> { fatalError("unavailable") }
}
