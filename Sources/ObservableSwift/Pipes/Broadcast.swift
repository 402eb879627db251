// SPDX-License-Identifier: Apache-2.0

import CObservable

extension ObservableHost {
    /// Posts the changes of a property of this object to a block:
    ///
    ///     token = broadcast(\.name) { user, name in user.save(name) }
    ///
    /// As `onChange(valueOf:)`, but the block is handed this object as well, so that it need not
    /// capture it; and ``stopBroadcasting(_:)`` ends all posts of a path, whoever keeps their tokens.
    /// The present value is not posted, unless the options have `initial`.
    ///
    /// - Parameter perform: is handed the object and the new value: nil if it is nil or cannot be
    ///   reached.
    /// - Returns: a token. Dropping it ends the posts, a scheduled one included.
    public func broadcast<Value>(
        _ path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self, Value?) -> Void
    ) -> ObservationToken {
        let handler = ChangeHandler<AnyObject, Self>(
            Callback(perform, .values) { ($1!, $2.newValue()) }, rootOffset: headerOffset,
            .init(loop, options, comparing, label, file, line), .none)
        return ObservationToken(self, RequestedPaths(path), handler, Broadcaster.shared)
    }

    /// Ends all posts of a property (``broadcast(_:on:options:comparing:label:file:line:perform:)``),
    /// however its path is spelt; scheduled ones are taken back. Other observations go on.
    ///
    /// Threads: any. Cost: in proportion to all that is observed from this object.
    public func stopBroadcasting(_ path: TypedPath<Self>) {
        stopTelling(Broadcaster.shared, about: path)
    }

    /// The same for all properties.
    public func stopBroadcasting() {
        stopTelling(Broadcaster.shared)
    }
}

/// The observer of all posts, by which they are found. It lives for ever, so nobody needs to hold it
/// for a call.
private final class Broadcaster: Sendable {
    static let shared = Broadcaster()
}
