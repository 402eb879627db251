// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A value under a `Mutex`, whose order the thread sanitizer sees. When a thread has to wait,
/// `Mutex` calls a library that the sanitizer does not know. So `order` repeats the order of the
/// lock by two accesses that the sanitizer does know.
///
/// The value need not be `Sendable`: this is the only type that passes values between threads
/// unchecked. The owner of the lock answers for the use of whatever leaves it.
@usableFromInline
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline let mutex: Mutex<Unchecked<Value>>
    @usableFromInline let order = Atomic<UInt8>(0)

    @inlinable
    package init(_ value: consuming Value) {
        mutex = Mutex(Unchecked(value))
    }

    /// Calls `body` under the lock. `body` must not lock again, and so must not run code of the
    /// program.
    @inlinable
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { unchecked throws(Failure) in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return Unchecked(try body(&unchecked.value))
        }.value
    }
}

@usableFromInline
struct Unchecked<Value>: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(_ value: consuming Value) { self.value = value }
}
