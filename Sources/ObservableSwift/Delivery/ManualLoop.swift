// SPDX-License-Identifier: Apache-2.0

import CObservable

extension DeliveryLoop {
    /// A loop that is drained by hand, by ``drain(limit:)``.
    ///
    ///     let loop = DeliveryLoop { window.postEmptyEvent() }
    ///     while !window.isClosed {
    ///         if !loop.isReady { window.waitForEvents() }
    ///         loop.drain()
    ///     }
    ///
    /// - Parameter wake: called when something is scheduled where nothing was and no drain runs, and
    ///   when a drain leaves something: the program drains soon after. It runs inside the change or
    ///   at the drain's end, on its thread, with no lock held; it should signal the event loop and
    ///   return, and must not drain. Spare calls occur.
    public convenience init(wake: @escaping @Sendable () -> Void = {}) {
        self.init(turnedBy: ManualTurner(wake: wake))
    }

    /// A file descriptor that is readable while something is scheduled and no drain runs, for an
    /// event loop that waits for descriptors: to poll, not to read. A drain that leaves nothing
    /// leaves it silent. The loop owns it and closes it with itself.
    ///
    /// - Throws: ``ObservationError`` of kind `ended` if the loop has ended, of kind `memory`, else of
    ///   kind `limit` if the system has none left.
    ///
    /// Threads: where the loop is drained.
    public func descriptor() throws(ObservationError) -> CInt {
        var descriptor: CInt = -1
        let status = try obv_loop_descriptor(pointer(), &descriptor)
        guard status == OBV_OK else {
            throw status == OBV_E_ENDED
                ? ObservationError(.ended, "the loop has ended")
                : ObservationError(.limit, String(cString: obv_status_text(status)))
        }
        return descriptor
    }

    /// Whether a drain has something to do: what an event loop asks before it blocks, and after.
    /// While another thread drains the loop it is false; that drain's end wakes.
    ///
    /// Threads: where the loop is drained. Cost: a few loads, however much is scheduled.
    public var isReady: Bool {
        (try? pointer()).map(obv_loop_prepare) ?? false
    }
}

/// A loop that its program drains.
final class ManualTurner: LoopTurner {
    private let wakeProgram: @Sendable () -> Void
    /// The loop. Set once, before anybody has the loop.
    nonisolated(unsafe) private(set) var name: LoopName?

    init(wake: @escaping @Sendable () -> Void) {
        wakeProgram = wake
    }

    func begin(_ loop: DeliveryLoop) { name = LoopName(loop) }
    func wake() { wakeProgram() }
    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        body()
        return true
    }
    func end() {}
    var isCurrent: Bool { true }
    var place: String { "no queue" }
}
