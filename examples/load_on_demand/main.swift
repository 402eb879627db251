// SPDX-License-Identifier: Apache-2.0
//
// An object is told when somebody begins to look at it, and when nobody does any more: a picture is
// loaded when it is shown, and not before.

import ObservableSwift

final class Picture: ObservableModel, ObservationAware {
    @Observed private(set) var pixels: String?
    private var reasons: Set<String> = []  // who looks: at the property, or at all of them

    // 1. Told of each property that becomes observed, and of `*` as one.
    func didBecomeObserved(_ property: String) {
        guard property == "pixels" || property == "*" else { return }
        if reasons.isEmpty {
            print("  loading")
            pixels = "a cat"
        }
        reasons.insert(property)
    }

    func didBecomeUnobserved(_ property: String) {
        if reasons.remove(property) != nil, reasons.isEmpty {
            print("  letting go")
            pixels = nil
        }
    }
}

final class Frame: ObservableModel {
    @Observed var picture: Picture?
}

final class Display {
    func show(_ pixels: String?) {
        print("  the frame shows \(pixels ?? "nothing")")
    }
}

let picture = Picture()
let frame = Frame()
let display = Display()

// 2. A picture that nobody looks at is not loaded.
print("somebody looks at the frame")
let handle = frame.tell(display, when: \.picture?.pixels) { display, frame in
    display.show(frame.picture?.pixels)
}
DeliveryLoop.main.drain()

// 3. The path reaches it: now somebody looks.
print("the picture is put into the frame")
frame.picture = picture
DeliveryLoop.main.drain()

print("nobody looks any more")
handle.stop()
DeliveryLoop.main.drain()
