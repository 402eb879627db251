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
public final class ObservationBlock<Observer: AnyObject, Root: ObservableHost>: @unchecked Sendable
{
    // Everything is constant except the handlers, which lie in a lock.

    private let callback: Callback
    private let configuration: ObservationConfiguration
    /// The named loop, which the block keeps even if it is a manual one.
    private let loop: DeliveryLoop?
    /// One handler for each combination of observer form and root offset. There is seldom more than
    /// one.
    private let handlers = Locked<[Handler]>([])

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
        self.loop = loop
        configuration = ObservationConfiguration(
            loop, options, comparing, label, file, line, isolation)
        callback = Callback(block)
    }

    /// The handler for a form and an offset. A new one is made outside of the lock, since the actor
    /// of the block's isolation may run code of the program. If two threads make one at once, the
    /// second is dropped.
    fileprivate func handler(for form: ObserverForm, rootOffset: Int) -> Handler {
        func find(in handlers: [Handler]) -> Handler? {
            handlers.first { $0.form == form && $0.rootOffset == rootOffset }
        }
        if let known = handlers.withLock({ find(in: $0) }) { return known }
        let made = Handler(callback, rootOffset: rootOffset, configuration, form)
        return handlers.withLock { handlers in
            if let known = find(in: handlers) { return known }
            handlers.append(made)
            return made
        }
    }

    /// The kinds of all handlers, by which a block is stopped.
    var kinds: [UnsafePointer<obv_handler_kind>] { handlers.withLock { $0 }.map(\.kind) }
}

extension ObservableHost {
    /// As `tell(_:when:on:options:comparing:label:file:line:isolation:perform:)`, with a shared block.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer, when path: TypedPath<Self>, _ more: TypedPath<Self>...,
        block: ObservationBlock<Observer, Self>
    ) -> ObservationHandle {
        let handler = block.handler(for: ObserverForm(observer), rootOffset: headerOffset)
        return ObservationHandle(self, RequestedPaths(path, more), handler, observer)
    }
}
