// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A token, which `onChange`, `assign` and `bind` return: what they have begun lives as long as it is kept.
/// The token keeps no object alive; the observed object itself may keep it.
///
/// Threads: any.
public class ObservationToken: AnyObservation, @unchecked Sendable {
    override class var isToken: Bool { true }

    deinit {
        obv_detail_let_go(pointer)
    }

    /// Ends it, and takes back a call that is scheduled. After this call, on any thread, the block is
    /// not entered again, and it is released; on another thread it may still be running, and is
    /// released after that, and where a call was scheduled with the loop's next drain.
    public final func cancel() {
        end()
    }

    /// The same, and waits until the block runs on no other thread.
    ///
    /// - Returns: true when it does not; false at once inside any block, where waiting could never
    ///   end, and of `assign` and `bind`, whose functions may run still.
    @discardableResult
    public func cancelAndWait() -> Bool {
        obv_stop_and_wait(pointer)
    }
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
    ///     user.onChange(of: \.name) { user in … }.store(in: &tokens)
    public func store(in tokens: inout Set<ObservationToken>) {
        tokens.insert(self)
    }
}
