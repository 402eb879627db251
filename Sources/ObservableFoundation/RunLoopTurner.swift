// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ObservableSwift

extension DeliveryLoop {
    /// A loop whose blocks run on the thread of a run loop, when that turns in one of these modes. What
    /// is scheduled wakes it.
    ///
    ///     Thread.detachNewThread {
    ///         let loop = DeliveryLoop(runLoop: .current)
    ///         start(loop)
    ///         RunLoop.current.run()
    ///     }
    ///
    /// Until it ends it is an input of its run loop, as a timer is: that has something to wait for, and
    /// `run(mode:before:)` does not return because of a call. What is scheduled when the thread has
    /// ended is called no more.
    ///
    /// For the main run loop take `DeliveryLoop.main`, which is that in its common modes.
    ///
    /// - Parameters:
    ///   - runLoop: kept as long as the loop is.
    ///   - modes: one at least; `.common` is those that are common in it.
    ///
    /// Threads: any.
    public convenience init(runLoop: RunLoop, modes: [RunLoop.Mode] = [.common]) {
        self.init(turnedBy: RunLoopTurner(runLoop, modes))
    }
}

/// Turns a loop on a run loop: by a block that it performs, and a timer that wakes it for that, since
/// a block alone does not.
final class RunLoopTurner: LoopTurner, @unchecked Sendable {
    // Everything is constant. Run loops and timers may be used from any thread for what is done here:
    // the calls below them have locks.

    private let runLoop: RunLoop
    private let modes: [RunLoop.Mode]
    private let timer: Timer
    private let woken = WokenLoop()

    init(_ runLoop: RunLoop, _ modes: [RunLoop.Mode]) {
        precondition(!modes.isEmpty, "a run loop turns in a mode: `modes:` needs one at least")
        self.runLoop = runLoop
        self.modes = modes
        timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) {
            _ in
        }
    }

    func begin(_ loop: DeliveryLoop) {
        woken.begin(loop)
        for mode in modes {
            runLoop.add(timer, forMode: mode)
        }
    }

    func wake() {
        woken.wake(by: perform)
    }

    @discardableResult
    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        runLoop.perform(inModes: modes, block: body)
        timer.fireDate = Date()
        return true
    }

    /// On its own thread: a run loop that waits does not see that it has nothing to wait for.
    func end() {
        if isCurrent {
            timer.invalidate()
        } else {
            perform { self.timer.invalidate() }
        }
    }

    var isCurrent: Bool { RunLoop.current === runLoop }

    var place: String { "a run loop" }

    var isApartFromMain: Bool { runLoop !== RunLoop.main }
}
