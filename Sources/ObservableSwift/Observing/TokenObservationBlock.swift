// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A block as a value, shared by several observations with tokens, so that they can be stopped by
/// it:
///
///     let show = TokenObservationBlock { (user: User) in show(user) }
///     token = user.onChange(of: \.name, block: show)
///     user.stopTelling(block: show)
///
/// The counterpart of an ``ObservationBlock``, without an observer. The block decides on which loop
/// it is called, with which options and which label.
///
/// Threads: as of ``ObservationBlock``. It keeps the block, and the loop that was named.
public final class TokenObservationBlock<Root: ObservableHost>: Sendable {
    let handlers: SharedHandlers

    /// Keeps a block with where and how it is called; observes nothing yet. The parameters are those
    /// of `onChange`.
    public init(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ block: @escaping @isolated(any) (Root) -> Void
    ) {
        let configuration = ObservationConfiguration(
            loop, options, comparing, label, file, line)
        let callback = Callback(block)
        handlers = SharedHandlers(keeping: loop) { key in
            Handler(callback, rootOffset: key.rootOffset, configuration, key.form)
        }
    }
}

extension ObservableHost {
    /// As `onChange(of:on:options:comparing:label:file:line:perform:)`, with a shared block.
    public func onChange(
        of path: TypedPath<Self>, _ more: TypedPath<Self>..., block: TokenObservationBlock<Self>
    ) -> ObservationToken {
        let handler = block.handlers.handler(for: .none, rootOffset: headerOffset)
        return ObservationToken(self, RequestedPaths(path, more), handler, nil)
    }
}
