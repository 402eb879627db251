// SPDX-License-Identifier: Apache-2.0

import CObservable

extension DeliveryLoop {
    /// A loop that is drained by hand, by ``drain(limit:)``.
    ///
    ///     let loop = DeliveryLoop { window.postEmptyEvent() }
    ///
    /// - Parameter wake: called when something has become pending where nothing was, and when a
    ///   drain leaves something: the program drains soon after. It runs inside the change, on its
    ///   thread, with no lock held; it should signal the event loop and return, and must not drain.
    ///   Spare calls occur.
    public convenience init(wake: @escaping @Sendable () -> Void = {}) {
        self.init(turnedBy: ManualTurner(wake: wake))
    }

    /// A file descriptor that is readable while something is pending, for an event loop that waits
    /// for descriptors: to poll, not to read. The loop owns it and closes it with itself.
    ///
    /// - Throws: ``ObservationError`` of kind `limit` if the system has none left.
    ///
    /// Threads: where the loop is drained.
    public func descriptor() throws(ObservationError) -> CInt {
        var descriptor: CInt = -1
        guard obv_loop_descriptor(pointer.raw, &descriptor) == OBV_OK else {
            throw ObservationError(.limit, "no file descriptor is left")
        }
        return descriptor
    }
}

/// A loop that its program drains.
private final class ManualTurner: LoopTurner {
    private let wakeProgram: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void) {
        wakeProgram = wake
    }

    func begin(_ loop: DeliveryLoop) {}
    func wake() { wakeProgram() }
    func end() {}
    var isCurrent: Bool { true }
    var place: String { "no queue" }
}
