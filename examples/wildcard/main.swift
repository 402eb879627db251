// SPDX-License-Identifier: Apache-2.0
//
// Settings are saved when any of them has changed: `allProperties` is every property, also those
// that somebody adds next year.

import ObservableSwift

// 1. Settings, some of which are in an object of their own.
final class Window: ObservableModel {
    @Observed var width = 800
    @Observed var height = 600
}

final class Settings: ObservableModel {
    @Observed var window = Window()
    @Observed var volume = 5
}

final class Disk {
    func save(_ settings: Settings) {
        let window = settings.window
        print("  saved: volume \(settings.volume), window \(window.width) x \(window.height)")
    }
}

func deliver(_ whatHasHappened: String) {
    print(whatHasHappened)
    DeliveryLoop.main.drain()
}

let settings = Settings()
let disk = Disk()

// 2. `allProperties` is the settings' own properties; what is inside the window is reached by a
//    second path. As text the two are "*" and "window.*".
settings.tell(disk, when: \.allProperties, \.window.allProperties) { disk, settings in
    disk.save(settings)
}

// 3. Whatever changes: saved once.
settings.volume = 7
deliver("the volume is turned up")
settings.window.width = 1024
settings.window.height = 768
deliver("the window is resized")
