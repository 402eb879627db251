// SPDX-License-Identifier: Apache-2.0
//
// Where is the parcel? In the city of its van, whichever van that is, and if it has none, nowhere.
// One path follows all of it.

import ObservableSwift

// 1. A parcel, which may have a van, which is in a city.
final class Van: ObservableModel {
    @Observed var city: String

    init(in city: String) {
        self.city = city
    }
}

final class Parcel: ObservableModel {
    @Observed var van: Van?
}

final class Display {
    func show(_ city: String?) {
        print("  the parcel: \(city ?? "nowhere")")
    }
}

func deliver(_ whatHasHappened: String) {
    print(whatHasHappened)
    DeliveryLoop.main.drain()
}

let parcel = Parcel()
let display = Display()
let first = Van(in: "Hamburg")
let second = Van(in: "Bremen")

// 2. Observe while there is no van. As text the path is "van.city".
parcel.tell(display, when: \.van?.city) { display, parcel in
    display.show(parcel.van?.city)
}

// 3. The rest of the path attaches when a van comes.
parcel.van = first
deliver("a van in Hamburg takes it")
first.city = "Bremen"
deliver("the van drives to Bremen")

// 4. Another object in the middle, the same value at the end: no change.
parcel.van = second
deliver("another van in Bremen takes over")

// 5. The path leads to the second van now; the first may go anywhere.
first.city = "Kiel"
deliver("the first van drives to Kiel")

// 6. Nil again: a change.
parcel.van = nil
deliver("it is unloaded")
