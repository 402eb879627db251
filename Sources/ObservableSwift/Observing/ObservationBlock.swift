// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A block as a value, shared by several observations, so that they can be stopped by it:
///
///     let show = ObservationBlock { (cell: Cell, user: User) in cell.show(user) }
///     user.tell(cell, when: \.name, block: show)
///     user.stopTelling(block: show)
///
/// The block decides on which loop it is called, with which options and which label.
///
/// Threads: any. A block with an isolation runs there; for one without, the program vouches that it
/// may be called wherever its roots are changed or drained: it belongs to the loop that it names, or
/// to the isolation of the code that has made it; without either an observation that is begun with it elsewhere
/// than on the main loop is refused. It keeps the block, and the loop that was named.
public final class ObservationBlock<Observer: AnyObject, Root: ObservableHost>: Sendable {
    let handlers: SharedHandlers

    /// Keeps a block with where and how it is called; observes nothing yet. The parameters are those
    /// of `tell`.
    public init(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ block: @escaping @isolated(any) (Observer, Root) -> Void
    ) {
        let configuration = ObservationConfiguration(
            loop, options, comparing, label, file, line, isolation)
        let callback = Callback(block)
        handlers = SharedHandlers(keeping: loop) { key in
            Handler(callback, rootOffset: key.rootOffset, configuration, key.form)
        }
    }
}

extension ObservableHost {
    /// As `tell(_:when:on:options:comparing:label:file:line:isolation:perform:)`, with a shared block.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer, when path: TypedPath<Self>, _ more: TypedPath<Self>...,
        block: ObservationBlock<Observer, Self>
    ) -> ObservationHandle {
        let handler = block.handlers.handler(
            for: ObserverForm(observer), rootOffset: headerOffset)
        return ObservationHandle(self, RequestedPaths(path, more), handler, observer)
    }
}
