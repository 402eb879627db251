// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A block as a value, shared by several class-level observations, so that they can be stopped by
/// it:
///
///     let note = ClassObservationBlock { (saver: Saver, document: Document?) in
///         if let document { saver.note(document) } else { saver.noteAll() }
///     }
///     Document.allInstances.tell(saver, when: \.text, block: note)
///     Document.allInstances.stopTelling(block: note)
///
/// The counterpart of an ``ObservationBlock`` for a class. It is a type of its own since its block
/// has a place for a call that is for no instance. The block decides on which loop it is called, with
/// which options and which label.
///
/// Threads: as of ``ObservationBlock``. It keeps the block, and the loop that was named.
public final class ClassObservationBlock<Observer: AnyObject, Root: ObservableHost>: Sendable {
    let handlers: SharedHandlers

    /// Keeps a block with where and how it is called; observes nothing yet. The parameters are
    /// those of `tell` of a class.
    public init(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ block: @escaping @isolated(any) (Observer, Root?) -> Void
    ) {
        let configuration = ObservationConfiguration(
            loop, options, comparing, label, file, line)
        let plain = uncheckedIsolation(block, as: ((Observer, Root?) -> Void).self)
        let callback = Callback(block.isolation) { observer, root, _ in
            plain(
                unsafeDowncast(observer!, to: Observer.self),
                root.map { unsafeDowncast($0, to: Root.self) })
        }
        handlers = SharedHandlers(keeping: loop) { key in
            Handler(callback, rootOffset: nil, configuration, key.form)
        }
    }
}

extension AllInstances {
    /// As `tell(_:when:on:options:comparing:label:file:line:perform:)`, with a shared block.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer, when path: TypedPath<Root>,
        block: ClassObservationBlock<Observer, Root>
    ) -> ObservationHandle {
        let handler = block.handlers.handler(for: ObserverForm(observer), rootOffset: nil)
        return ObservationHandle(
            ObservationOrigin(every: type, RequestedPaths(path)), handler, observer)
    }
}
