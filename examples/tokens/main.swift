// SPDX-License-Identifier: Apache-2.0
//
// A bell rings when the door moves, for as long as its token is kept. Dropping the token takes
// back even a call that is already scheduled.

import ObservableSwift

final class Door: ObservableModel {
    @Observed var isOpen = false
}

final class Bell {
    private var rings = 0

    func ring() {
        rings += 1
        print("  ding (\(rings))")
    }

    deinit {
        print("  the bell is gone")
    }
}

// 1. A token needs no observer. The block keeps the bell alive until the token goes.
func hangBell(on door: Door) -> ObservationToken {
    let bell = Bell()
    return door.onChange(of: \.isOpen) { _ in bell.ring() }
}

// 2. Observe, and keep the token.
let door = Door()
var token: ObservationToken? = hangBell(on: door)
door.isOpen = true
print("the door opens")
DeliveryLoop.main.drain()

// 3. Drop it while a call is scheduled: it does not come, and what it would have used goes at once.
door.isOpen = false
print("the door closes, and the bell is stopped before it rings")
token = nil
DeliveryLoop.main.drain()
