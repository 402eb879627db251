// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A value under a lock: `Mutex`, in such a way that the thread sanitizer sees its order. Where a
/// thread has to wait, `Mutex` goes through a library that the sanitizer does not know; the two
/// accesses of an atomic word are what it goes by.
@usableFromInline
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let order = Atomic<UInt8>(0)

    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Not to be entered again inside `body`, which runs no code of the program.
    @inlinable
    package borrowing func withLock<Result>(
        _ body: (inout sending Value) -> sending Result
    ) -> sending Result {
        mutex.withLock { value in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return body(&value)
        }
    }
}
