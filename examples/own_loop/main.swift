// SPDX-License-Identifier: Apache-2.0
//
// A program with a loop of its own: here one that takes a reading from a thermometer in each turn,
// as a game draws a frame.

import ObservableSwift

final class Room: ObservableModel {
    @Observed var degrees = 0
}

final class Display {
    func show(_ degrees: Int) {
        print("\(degrees) degrees")
    }
}

// 1. A manual loop: it calls what is pending when it is drained, and at no other time.
let loop = DeliveryLoop()

// 2. Observe on that loop. Without `on:` it would be the main loop, or in an actor the actor's.
let room = Room()
let display = Display()
room.tell(display, when: \.degrees, on: loop) { display, room in
    display.show(room.degrees)
}

// 3. The program's loop: take what has come, call what is pending.
for reading in [18, 19, 19, 21] {
    room.degrees = reading
    loop.drain()
}
