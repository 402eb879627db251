// SPDX-License-Identifier: Apache-2.0
//
// A class of another library cannot be changed. Its objects are observed through a proxy, which is
// told when they have changed.

import Foundation
import ObservableSwift

// 1. A model that leads to it: the property holds the proxy of the object, here of Foundation's
//    Progress.
final class Window: ObservableModel {
    @Observed var download: ObservableProxy<Progress>?
}

final class Display {
    func show(_ download: Progress?) {
        if let download {
            print("  \(download.completedUnitCount) of \(download.totalUnitCount)")
        } else {
            print("  nothing is downloaded")
        }
    }
}

func deliver(_ whatHasHappened: String) {
    print(whatHasHappened)
    DeliveryLoop.main.drain()
}

let window = Window()
let display = Display()
window.tell(display, when: \.download?.completedUnitCount) { display, window in
    display.show(window.download?.object)
}

// 2. The path leads on from the model through the proxy to the object.
let progress = Progress(totalUnitCount: 4)
let proxy = ObservableProxy.of(progress)
window.download = proxy
deliver("a download begins")

// 3. The other library changes it; the program tells. What is changed inside the closure is told if
//    it is another afterwards; where only the fact is known, `didChange` tells that.
proxy.changing(\.completedUnitCount) { progress.completedUnitCount = 1 }
deliver("a part has come")
proxy.changing(\.completedUnitCount) { progress.completedUnitCount = 1 }
deliver("nothing has come")

// 4. There is one proxy of an object, and it keeps the object not alive.
window.download = nil
deliver("the download ends")
