// SPDX-License-Identifier: Apache-2.0

import ObservableRuntime
import Synchronization

/// The loop of each actor to which a block is isolated: one for all its observations, as long as
/// there is one of them.
enum ActorLoops {
    /// The loop by the actor's address, whose memory the key keeps: so it is nobody else's.
    private static let loops = Locked<[UInt: WeakLoop]>([:])

    private struct WeakLoop: @unchecked Sendable {
        weak var loop: DeliveryLoop?
    }

    static func loop(of actor: any Actor) -> DeliveryLoop {
        if actor === MainActor.shared {
            return .main
        }
        let address = Unmanaged.passUnretained(actor as AnyObject).toOpaque()
        let (loop, isNew) = loops.withLock { loops in
            let key = UInt(bitPattern: address)
            if let known = loops[key]?.loop {
                return (known, false)
            }
            let isNew = loops[key] == nil
            let made = DeliveryLoop(actor: actor)
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
        let dead = loops.withLock { loops in
            let dead = loops.filter { $0.value.loop == nil }.map(\.key)
            for key in dead { loops[key] = nil }
            return dead
        }
        for key in dead {
            obv_swift_unowned_release(UnsafeMutableRawPointer(bitPattern: key)!)
        }
    }
}
