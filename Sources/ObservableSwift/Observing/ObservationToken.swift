// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What `ObservableHost.onChange` returns: the
/// observation lives as long as this is kept. Neither end is kept alive by it; it may be kept by
/// the observed object itself.
///
/// Threads: any.
public final class ObservationToken: Sendable {
    let registration: Registration

    init(_ registration: Registration) {
        self.registration = registration
    }

    deinit {
        obv_stop(registration.pointer)
    }

    /// Ends it, and takes back a call that is scheduled, with all that was held for it. After this
    /// call, on any thread, the block is not entered again, and it is released; on another thread it
    /// may still be running, and is released after that.
    public func cancel() {
        obv_stop(registration.pointer)
    }

    /// The same, and waits until the block runs on no other thread.
    ///
    /// - Returns: true when it does not; false at once inside any block, where waiting could never
    ///   end.
    @discardableResult
    public func cancelAndWait() -> Bool {
        obv_stop_and_wait(registration.pointer)
    }

    /// As ``KeyValueObservation/schedule()``.
    public func schedule() {
        registration.schedule()
    }

    /// As ``KeyValueObservation/execute()``.
    @discardableResult
    public func execute() -> Bool {
        registration.execute()
    }

    /// As ``KeyValueObservation/makeImmediate()``.
    public func makeImmediate() {
        registration.makeImmediate()
    }

    /// As ``KeyValueObservation/also(_:when:_:)``.
    public func also<Root: ObservableHost>(
        _ root: Root, when path: TypedPath<Root>, _ more: TypedPath<Root>...
    ) throws(ObservationError) {
        try registration.add(root, AskedPaths([path] + more))
    }

    public func also<Root: ObservableHost>(
        _ root: Root, whenAny paths: [TypedPath<Root>]
    ) throws(ObservationError) {
        try registration.add(root, AskedPaths(paths))
    }

    public func also<Root: ObservableHost>(
        _ root: Root, whenText path: TextPath, _ more: TextPath...
    ) throws(ObservationError) {
        try registration.add(root, .text([path] + more))
    }

    public func also<Root: ObservableHost>(
        _ root: Root, whenAnyText paths: [TextPath]
    ) throws(ObservationError) {
        try registration.add(root, .text(paths))
    }

    /// Whether it was cancelled, or its root is gone.
    public var hasEnded: Bool { registration.hasEnded }

    /// As ``KeyValueObservation/unresolvedPaths``.
    public var unresolvedPaths: [String] { registration.unresolvedPaths }

    /// As ``KeyValueObservation/failure``.
    public var failure: ObservationError? { registration.failure }
}

/// Two tokens are equal if they are one.
extension ObservationToken: Hashable {
    public static func == (a: ObservationToken, b: ObservationToken) -> Bool { a === b }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ObservationToken {
    /// Keeps it with others: their observations end with the set.
    ///
    ///     private var tokens: Set<ObservationToken> = []
    ///
    ///     user.onChange(when: \.name) { user in … }.store(in: &tokens)
    public func store(in tokens: inout Set<ObservationToken>) {
        tokens.insert(self)
    }

    /// The same in an array, or another collection.
    public func store<Tokens: RangeReplaceableCollection>(in tokens: inout Tokens)
    where Tokens.Element == ObservationToken {
        tokens.append(self)
    }
}
