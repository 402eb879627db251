// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A value under a lock: `Mutex`, in such a way that the thread sanitizer sees its order. Where a
/// thread has to wait, `Mutex` goes through a library that the sanitizer does not know; the two
/// accesses of an atomic word are what it goes by.
///
/// Its value goes from thread to thread as it is, whatever its type: here alone that is unchecked, and what
/// leaves the lock is used as its owner says.
@usableFromInline
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline let mutex: Mutex<Unchecked<Value>>
    @usableFromInline let order = Atomic<UInt8>(0)

    @inlinable
    package init(_ value: consuming Value) {
        mutex = Mutex(Unchecked(value))
    }

    /// Not to be entered again inside `body`, which runs no code of the program.
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
