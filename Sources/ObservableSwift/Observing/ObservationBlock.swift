// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A block as a value, shared by several observations, so that they can be stopped by it:
///
///     let show = ObservationBlock { (cell: Cell, user: User) in cell.show(user) }
///     user.tell(cell, whenAny: [\.name], block: show)
///     user.stopTelling(block: show)
///
/// Where it is called, its options and its label are the block's.
///
/// Threads: any. A block with an isolation runs there; for one without, the program vouches that it
/// may be called wherever its roots are changed or drained: an observation that is begun with it
/// elsewhere than on the main loop is refused, unless the block names its loop. It keeps the block,
/// and the loop that was named.
public final class ObservationBlock<Observer: AnyObject, Root: ObservableHost>: @unchecked Sendable
{
    private let block: @isolated(any) (Observer, Root) -> Void
    private let configuration: ObservationConfiguration
    /// Where it is called, if that was said: it is kept with the block.
    let loop: DeliveryLoop?
    private let handlers = SharedHandlers<Place, ObserverHandler<Observer, Root>>()

    /// What a handler is made for.
    private struct Place: Equatable {
        let form: ObserverForm
        /// Where the roots' headers lie.
        let rootOffset: Int
    }

    /// Keeps a block with where and how it is called; observes nothing yet. The parameters are those
    /// of `tell`.
    public init(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ block: @escaping @isolated(any) (Observer, Root) -> Void
    ) {
        self.block = block
        self.loop = loop
        configuration = ObservationConfiguration(loop, options, comparing, label, file, line)
    }

    func handler(_ form: ObserverForm, rootOffset: Int) -> ObserverHandler<Observer, Root> {
        handlers.handler(for: Place(form: form, rootOffset: rootOffset)) {
            ObserverHandler(block, rootOffset: rootOffset, configuration, observer: form)
        }
    }

    /// Every handler made for it: what stopping goes through.
    var kinds: [UnsafePointer<obv_handler_kind>] { handlers.kinds }
}

extension ObservableHost {
    /// As `tell(_:whenAny:on:options:comparing:label:file:line:perform:)`, with a shared block.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer, whenAny paths: [TypedPath<Self>],
        block: ObservationBlock<Observer, Self>
    ) -> KeyValueObservation {
        tell(observer, AskedPaths(paths), block)
    }

    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer, whenAnyText paths: [TextPath],
        block: ObservationBlock<Observer, Self>
    ) -> KeyValueObservation {
        tell(observer, .text(paths), block)
    }

    private func tell<Observer: AnyObject>(
        _ observer: Observer, _ paths: AskedPaths, _ block: ObservationBlock<Observer, Self>
    ) -> KeyValueObservation {
        let form = ObserverForm(observer)
        return KeyValueObservation(
            Registration(
                self, paths, block.handler(form, rootOffset: headerOffset), observer: observer,
                form))
    }
}
