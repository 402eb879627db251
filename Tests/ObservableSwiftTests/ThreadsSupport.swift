// SPDX-License-Identifier: Apache-2.0
//
// Threads for tests: joined, or let go step by step. Nothing here sleeps; what does not come within
// a minute stops the test.

import Dispatch
import Foundation

/// A value that a test hands to a thread, and does not touch before it is joined.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A variable that a test and its threads share. Its lock is one that the thread sanitizer knows.
final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: Value

    init(_ value: Value) {
        kept = value
    }

    var value: Value {
        get { lock.withLock { kept } }
        set { change { $0 = newValue } }
    }

    @discardableResult
    func change(_ body: (inout Value) -> Void) -> Value {
        lock.lock()
        let before = kept
        body(&kept)
        let after = kept
        lock.unlock()
        // What was there before may end here, outside of the lock.
        withExtendedLifetime(before) {}
        return after
    }
}

/// Something that happens, once or often, and is waited for.
final class Event: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func happen() {
        semaphore.signal()
    }

    /// Blocks this thread until it has happened once more.
    func wait(_ file: StaticString = #fileID, _ line: UInt = #line) {
        if semaphore.wait(timeout: .now() + 600) == .timedOut {
            fatalError("nothing has happened in ten minutes", file: file, line: line)
        }
    }

    /// The same for a task, whose thread is not blocked.
    func come() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}

/// A thread that runs `body`; `join` waits for its end.
final class TestThread: Sendable {
    private let ended = Event()

    @discardableResult
    init(_ body: @escaping @Sendable () -> Void) {
        let ended = ended
        Thread.detachNewThread {
            body()
            ended.happen()
        }
    }

    func join() {
        ended.wait()
    }
}

/// Runs `body` on another thread, and waits.
func onOtherThread(_ body: @escaping () -> Void) {
    let handed = Handed(body)
    TestThread { handed.value() }.join()
}

/// Runs `body` on several threads at once, each with its number, and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    (0..<count).map { number in TestThread { body(number) } }.forEach { $0.join() }
}
