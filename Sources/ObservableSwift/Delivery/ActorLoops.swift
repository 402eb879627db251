// SPDX-License-Identifier: Apache-2.0

import ObservableRuntime
import Synchronization

/// The loop of each actor to which a block is isolated: one for all its observations, as long as
/// there is one of them.
enum ActorLoops {
    /// The loop by the actor's address, whose memory the key keeps: so it is nobody else's.
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
        // Outside of the lock: the actor may answer with code of the program. Of two threads that
        // come at once one has made its loop in vain.
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

    /// Drops the entries of loops that are gone, with the memory of their actors.
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
        // By now this may be the last reference to one of them: its end is not under the lock.
        withExtendedLifetime(living) {}
    }
}
