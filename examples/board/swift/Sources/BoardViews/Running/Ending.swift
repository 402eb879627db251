// SPDX-License-Identifier: Apache-2.0

/// What the board waits for: a key, a signal, the end of its time.
@MainActor public final class Ending {
    private var waiting: CheckedContinuation<Void, Never>?
    private var hasCome = false

    public init() {}

    public func come() {
        hasCome = true
        waiting?.resume()
        waiting = nil
    }

    public func wait() async {
        guard !hasCome else { return }
        await withCheckedContinuation { waiting = $0 }
    }
}
