// SPDX-License-Identifier: Apache-2.0

// How the products beside this one observe for a block of the program: they call it themselves, in
// its isolation, as often as they have something for it.

extension ObservationToken {
    /// - Parameters:
    ///   - path: whose value is handed over.
    ///   - isolation: of the block of the program.
    ///   - perform: is called in that isolation, wherever the compiler thinks that it is.
    package convenience init<Root: ObservableHost, Value>(
        _ root: Root, of path: ValuePath<Root, Value>,
        on loop: DeliveryLoop?, options: ObservationOptions,
        comparing: ObservationComparison = .declared,
        label: StaticString?, file: StaticString, line: UInt,
        isolation: (any Actor)?, perform: @escaping (Root, Value?) -> Void
    ) {
        let callback = Callback(isolation, .values) {
            perform(unsafeDowncast($1!, to: Root.self), $2.pointee.newValue())
        }
        self.init(
            ObservationOrigin(root, RequestedPaths(path)), callback,
            .init(loop, options, comparing, label, file, line), nil)
    }

    /// The same, handed nothing: of a property that any thread may set it is called by the set.
    package convenience init<Root: ObservableHost, Value>(
        _ root: Root, when path: ValuePath<Root, Value>,
        on loop: DeliveryLoop?, options: ObservationOptions,
        label: StaticString?, file: StaticString, line: UInt,
        isolation: (any Actor)?, perform: @escaping (Root) -> Void
    ) {
        let callback = Callback(isolation) { _, root, _ in
            perform(unsafeDowncast(root!, to: Root.self))
        }
        self.init(
            ObservationOrigin(root, RequestedPaths(path)), callback,
            .init(loop, options, .declared, label, file, line), nil)
    }

    /// Without a path: what the product schedules itself.
    ///
    /// - Parameter isolation: where it is called if no loop is named.
    package convenience init<Root: ObservableHost>(
        scheduledByHand root: Root, on loop: DeliveryLoop?, inIsolation isolation: (any Actor)?,
        label: StaticString?, file: StaticString, line: UInt, perform: @escaping (Root) -> Void
    ) {
        let callback = Callback(nil) { _, root, _ in
            perform(unsafeDowncast(root!, to: Root.self))
        }
        self.init(
            ObservationOrigin(root, RequestedPaths([])), callback,
            .init(loop ?? isolation.map(ActorLoops.loop), [], .declared, label, file, line), nil)
    }
}

extension ObservationHandle {
    /// The same for an observer.
    package convenience init<Root: ObservableHost, Observer: AnyObject, Value>(
        _ root: Root, when path: ValuePath<Root, Value>, tell observer: Observer,
        on loop: DeliveryLoop?, options: ObservationOptions,
        label: StaticString?, file: StaticString, line: UInt,
        isolation: (any Actor)?, perform: @escaping (Observer, Root) -> Void
    ) {
        let callback = Callback(isolation) { observer, root, _ in
            perform(
                unsafeDowncast(observer!, to: Observer.self), unsafeDowncast(root!, to: Root.self))
        }
        self.init(
            ObservationOrigin(root, RequestedPaths(path)), callback,
            .init(loop, options, .declared, label, file, line), observer)
    }
}
