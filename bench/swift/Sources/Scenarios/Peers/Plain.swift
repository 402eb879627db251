// SPDX-License-Identifier: Apache-2.0
//
// The floor: no library at all.

import Synchronization

final class PlainUser {
    var age = 0, size = 0, weight = 0, height = 0

    static var setter: Setter {
        { context, value in context.with(PlainUser.self) { $0.age = value } }
    }
}

public final class PublicPlainUser {
    public var age = 0, size = 0, weight = 0, height = 0

    static var setter: Setter {
        { context, value in context.with(PublicPlainUser.self) { $0.age = value } }
    }
}

open class OpenPlainUser {
    public final var age = 0
    public final var size = 0, weight = 0, height = 0

    static var setter: Setter {
        { context, value in context.with(OpenPlainUser.self) { $0.age = value } }
    }
}

/// A function of one observer: its pointer, and what it is called with.
struct Callback {
    let call: @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Void
    let observer: UnsafeRawPointer

    /// Adds the user's age to a tally.
    static func adding(to tally: Tally) -> Callback {
        Callback(
            call: { observer, user in
                observer.with(Tally.self) { tally in
                    user.with(CallingUser.self) { tally.add($0.age) }
                }
            },
            observer: UnsafeRawPointer(Unmanaged.passUnretained(tally).toOpaque()))
    }
}

/// Calls its observers, one after the other, after each set.
final class CallingUser {
    var age = 0
    let tally = Tally()
    let callbacks: UnsafeMutableBufferPointer<Callback>

    init(observers: Int) {
        callbacks = .allocate(capacity: observers)
        callbacks.initialize(repeating: .adding(to: tally))
    }

    deinit {
        callbacks.deallocate()
    }

    @inline(__always)
    func callAll() {
        let user = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        for callback in callbacks {
            callback.call(callback.observer, user)
        }
    }

    static var setter: Setter {
        { context, value in
            context.with(CallingUser.self) { user in
                user.age = value
                user.callAll()
            }
        }
    }

    /// The store alone.
    static var silentSetter: Setter {
        { context, value in context.with(CallingUser.self) { $0.age = value } }
    }
}

/// A value that any thread may set.
final class ExchangedUser {
    let age = Atomic(0)

    static var setter: Setter {
        { context, value in
            context.with(ExchangedUser.self) { user in
                _ = user.age.exchange(value, ordering: .sequentiallyConsistent)
            }
        }
    }
}

/// What a program without a library writes for P4: a flag and a list under a mutex. Its observer
/// may never stop, and its loop may never end.
final class ListedUser {
    var age = 0
    let tally = Tally()
    private let pending = Mutex((isListed: false, list: [Listed]()))

    private struct Listed: @unchecked Sendable {
        let user: Unmanaged<ListedUser>
    }

    static var setAndDrain: Setter {
        { context, value in
            context.with(ListedUser.self) { user in
                user.age = value
                user.schedule()
                user.drain()
            }
        }
    }

    @inline(never)
    private func schedule() {
        let user = Listed(user: .passUnretained(self))
        pending.withLock { pending in
            guard !pending.isListed else { return }
            pending.isListed = true
            pending.list.append(user)
        }
    }

    @inline(never)
    private func drain() {
        while let next = next() {
            next.user._withUnsafeGuaranteedRef { $0.tally.add($0.age) }
        }
    }

    private func next() -> Listed? {
        pending.withLock { pending in
            let next = pending.list.popLast()
            if next != nil { pending.isListed = false }
            return next
        }
    }
}
