// SPDX-License-Identifier: Apache-2.0

// Observing for other products. A product observes by a closure of its own, and calls the program's
// block itself, in that block's isolation, as often as it has something for it.

extension AnyObservation {
    /// - Parameters:
    ///   - path: the observed path. Its value is handed over only if `handsValue` is true. If it is
    ///     false, a set of an any-thread property calls an immediate observation without a drain.
    ///   - observer: nil: there is none.
    ///   - isolation: of the block of the program.
    ///   - perform: is called in that isolation, wherever the compiler thinks that it is.
    package convenience init<Root: ObservableHost, Value>(
        _ root: Root, of path: ValuePath<Root, Value>, tell observer: AnyObject? = nil,
        handsValue: Bool,
        on loop: DeliveryLoop?, options: ObservationOptions,
        comparing: ObservationComparison = .declared,
        label: StaticString?, file: StaticString, line: UInt,
        isolation: (any Actor)?, perform: @escaping (AnyObject?, Root, Value?) -> Void
    ) {
        let callback = Callback(isolation, handsValue ? .values : .nothing) {
            perform($0, unsafeDowncast($1!, to: Root.self), $2.pointee.newValue())
        }
        self.init(
            ObservationOrigin(root, RequestedPaths(path)), callback,
            .init(loop, options, comparing, label, file, line), observer)
    }

    /// An observation without a path, which the product schedules itself.
    ///
    /// - Parameter isolation: the isolation of the calls, if no loop is named.
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
