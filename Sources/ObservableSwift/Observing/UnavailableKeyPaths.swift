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
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func onChange<Value>(
        of path: KeyPath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Value>) -> Void
    ) -> ObservationToken { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a typed path is written in the call, without its root: \\.address?.zipCode"
    )
    @_disfavoredOverload
    public func onChange(
        when path: PartialKeyPath<Self>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
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

    @available(*, unavailable, message: "values are those of one path; several have `recordOf:`")
    @_disfavoredOverload
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        of path: TypedPath<Self>, _ second: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, ObservedChange<Self, Any>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "values are those of one path; several have `recordOf:`")
    @_disfavoredOverload
    public func onChange(
        of path: TypedPath<Self>, _ second: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservedChange<Self, Any>) -> Void
    ) -> ObservationToken { fatalError("unavailable") }

    @available(*, unavailable, message: "values are those of one path; several have `recordOf:`")
    @_disfavoredOverload
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        valueOf path: TypedPath<Self>, _ second: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Any?) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "values are those of one path; several have `recordOf:`")
    @_disfavoredOverload
    public func onChange(
        valueOf path: TypedPath<Self>, _ second: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Any?) -> Void
    ) -> ObservationToken { fatalError("unavailable") }
}
