// SPDX-License-Identifier: Apache-2.0
//
// A path as an asynchronous sequence: of the values that it leads to, and of their changes.

import ObservableSwift

final class Sensor: ObservableModel {
    @Observed var degrees = 20
}

final class Room: ObservableModel {
    @Observed var sensor: Sensor?
}

/// An actor that takes values from elsewhere, in its own time.
actor Recorder {
    private(set) var warmest = Int.min

    func record(_ degrees: ObservationSequence<Int?>) async {
        for await degrees in degrees {
            warmest = max(warmest, degrees ?? warmest)
            if degrees == 30 { break }
        }
    }
}

@MainActor func follow() async {
    var room: Room? = Room()

    // 1. Values: the present one comes first, nil while the path leads nowhere. Of two changes in one
    //    turn the newest is told. Leaving the loop ends the observation.
    print("values")
    for await degrees in room!.values(of: \.sensor?.degrees) {
        print("  \(degrees.map(String.init) ?? "no sensor")")
        if degrees == 22 { break }
        room!.sensor = Sensor()
        room!.sensor?.degrees += 2
    }

    // 2. Changes: those that wait for their consumer are one. An iterator loses nothing from its
    //    beginning on.
    print("changes")
    var changes = room!.changes(of: \.sensor?.degrees).makeAsyncIterator()
    for degrees in [23, 24] {
        room!.sensor?.degrees = degrees
        DeliveryLoop.main.drain()
    }
    if let change = await changes.next(isolation: #isolation) {
        print("  \(change.old ?? 0) -> \(change.new ?? 0)")
    }

    // 3. The sequence observes here, and its consumer is an actor.
    print("elsewhere")
    let recorder = Recorder()
    let degrees = room!.values(of: \.sensor?.degrees)
    async let isDone: Void = recorder.record(degrees)
    room!.sensor?.degrees = 30
    await isDone
    print("  \(await recorder.warmest)")

    // 4. It keeps nothing alive, and ends with its object.
    print("the end")
    for await degrees in degrees {
        print("  \(degrees ?? 0)")
        room = nil
    }
    print("  the room is gone")
}

await follow()
