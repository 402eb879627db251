// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift

/// A model that any thread may set.
final class Gauge: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
}

/// A value under a lock that the thread sanitizer knows: where a thread has to wait for a `Mutex`,
/// that goes through a library which it does not.
final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var shared: Value

    init(_ value: Value) {
        shared = value
    }

    var value: Value { lock.withLock { shared } }

    func change(_ body: @Sendable (inout Value) -> Void) {
        lock.withLock { body(&shared) }
    }
}

/// Something that happens on another thread, as often as it is waited for.
final class Event: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func happen() {
        semaphore.signal()
    }

    func wait(_ file: StaticString = #fileID, _ line: UInt = #line) {
        if semaphore.wait(timeout: .now() + 600) == .timedOut {
            fatalError("nothing has happened in ten minutes", file: file, line: line)
        }
    }
}

/// Runs a body on several threads, and waits for their ends.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let ended = Event()
    for number in 0..<count {
        Thread.detachNewThread {
            body(number)
            ended.happen()
        }
    }
    for _ in 0..<count { ended.wait() }
}

/// A thread whose run loop turns until it is told to end.
final class TurningThread: @unchecked Sendable {
    // Both are written before `init` returns.

    private(set) var runLoop: RunLoop!
    private(set) var loop: DeliveryLoop!
    private let ended = Event()

    init() {
        let begun = Event()
        Thread.detachNewThread { [ended] in
            self.runLoop = RunLoop.current
            // The only input: without it the run loop ends.
            self.loop = DeliveryLoop(runLoop: .current)
            begun.happen()
            RunLoop.current.run()
            ended.happen()
        }
        begun.wait()
    }

    /// The loop of a thread that has ended.
    static func endedLoop() -> DeliveryLoop {
        let thread = TurningThread()
        defer { thread.end() }
        return thread.loop
    }

    func waitForEnd() {
        ended.wait()
    }

    /// Ends it by a call that its own loop delivers.
    func end() {
        let gauge = Gauge()
        let token = gauge.onChange(of: \.level, on: loop) { _ in self.loop.invalidate() }
        gauge.level += 1
        ended.wait()
        withExtendedLifetime(token) {}
    }
}

/// Counts how many of them live.
final class Counted: Sendable {
    private let living: Shared<Int>

    init(_ living: Shared<Int>) {
        self.living = living
        living.change { $0 += 1 }
    }

    func stay() {}

    deinit {
        living.change { $0 -= 1 }
    }
}
