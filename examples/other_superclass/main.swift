// SPDX-License-Identifier: Apache-2.0
//
// A class that inherits from somebody else's, and is observable all the same.

import ObservableSwift

// 1. The superclass, from a library that knows nothing of observing.
class View {
    func draw() {
        print("  an empty view")
    }
}

// 2. Conform to `ObservableHost` instead of inheriting from `ObservableModel`. The header is all
//    there is to write; it comes before the observed properties.
final class Slider: View, ObservableHost {
    let observation = ObservationHeader()
    @Observed var value = 0

    override func draw() {
        print("  a slider at \(value)")
    }
}

// 3. From here on it is a model like any other.
final class Screen {
    func redraw(_ view: View) {
        view.draw()
    }
}

let slider = Slider()
let screen = Screen()
slider.tell(screen, when: \.value) { screen, slider in
    screen.redraw(slider)
}

slider.value = 3
slider.value = 7
print("the slider is moved")
DeliveryLoop.main.drain()
