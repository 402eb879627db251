// SPDX-License-Identifier: Apache-2.0

import ObservableRuntime
import Synchronization

/// The loop of each actor to which blocks are isolated: one loop for all observations of an actor,
/// as long as there is any.
enum ActorLoops {
    /// The loops by the addresses of their actors. Each key holds an unowned reference, so that no
    /// other object gets the address.
    private static let loops = Locked<[UInt: WeakLoop]>([:])

    private struct WeakLoop {
        weak var loop: DeliveryLoop?
    }

    static func loop(of actor: any Actor) -> DeliveryLoop {
        if actor === MainActor.shared {
            return .main
        }
        let address = Unmanaged.passUnretained(actor as AnyObject).toOpaque()
        let key = UInt(bitPattern: address)
        if let known = loops.withLock({ $0[key]?.loop }) {
            return known
        }
        // Made outside of the lock, since asking an actor for its executor may run code of the
        // program. If two threads come at once, one loop is dropped.
        let made = DeliveryLoop(actor: actor)
        let (loop, isNew) = loops.withLock { loops in
            if let known = loops[key]?.loop {
                return (known, false)
            }
            let isNew = loops[key] == nil
            loops[key] = WeakLoop(loop: made)
            return (made, isNew)
        }
        if isNew {
            obv_swift_unowned_retain(address)
            forgetTheDead()
        }
        return loop
    }

    /// Drops the entries of loops that are gone, and the unowned references to their actors.
    private static func forgetTheDead() {
        let (dead, living) = loops.withLock { loops in
            var dead: [UInt] = []
            var living: [DeliveryLoop] = []
            for (key, kept) in loops {
                if let loop = kept.loop { living.append(loop) } else { dead.append(key) }
            }
            for key in dead { loops[key] = nil }
            return (dead, living)
        }
        for key in dead {
            obv_swift_unowned_release(UnsafeMutableRawPointer(bitPattern: key)!)
        }
        // The last reference to a loop may have gone to `living`, and must not be released under
        // the lock.
        withExtendedLifetime(living) {}
    }
}
