// SPDX-License-Identifier: Apache-2.0
//
// A music player shows what is playing: two tracks are set, one call comes.

import ObservableSwift

// 1. A model. The wrapper makes its property observable.
final class Player: ObservableModel {
    @Observed var track = ""
}

// 2. An observer: any object.
final class Display {
    let title = "now playing"

    func show(_ track: String) {
        print("  \(title): \(track)")
    }
}

let player = Player()
let display = Display()

// 3. Observe. The block is given the observer and the model.
player.tell(display, when: \.track) { display, player in
    display.show(player.track)
}

// 4. Change. Nobody is called yet.
player.track = "So What"
player.track = "Blue in Green"
print("two tracks were set")

// 5. Let the loop deliver: one call, which sees the last value. Where the main queue or the main
//    run loop is running, it does so by itself.
DeliveryLoop.main.drain()

// 6. Setting an equal value is no change.
player.track = "Blue in Green"
print("the same track was set")
DeliveryLoop.main.drain()
