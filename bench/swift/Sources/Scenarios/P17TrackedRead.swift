// SPDX-License-Identifier: Apache-2.0
//
// P17: a read that Swift's Observation sees, of one of an object's eight properties; ours are seen by
// `ObservationBridge`, which is on meanwhile.
//
//     P17a  each property is read once in a `withObservationTracking`
//     P17b  each is read twenty times in one
//     P17c  nobody tracks
//     P17d  nobody tracks, and nobody has tracked a read of the object before
//
// The floor is a plain field.

import ObservableObservation
import ObservableSwift
import Observation

func trackedReads() -> [Variant] {
    [
        Variant(id: "P17a", name: "ours", step: 8) {
            let object = Ours()
            return reads { tracked { object.sum() } }
        },
        Variant(id: "P17a", name: "Observation", step: 8) {
            let object = Theirs()
            return reads { tracked { object.sum() } }
        },
        Variant(id: "P17b", name: "ours", step: 160) {
            let object = Ours()
            return reads(160) { tracked(20) { object.sum() } }
        },
        Variant(id: "P17b", name: "Observation", step: 160) {
            let object = Theirs()
            return reads(160) { tracked(20) { object.sum() } }
        },
        Variant(id: "P17c", name: "ours", step: 8) {
            let object = Ours()
            return reads(before: { _ = tracked { object.sum() } }) { object.sum() }
        },
        Variant(id: "P17c", name: "Observation", step: 8) {
            let object = Theirs()
            return reads { object.sum() }
        },
        Variant(id: "P17c", name: "floor", step: 8) {
            let object = Plain()
            return reads { object.sum() }
        },
        Variant(id: "P17d", name: "ours", step: 8) {
            let object = Ours()
            return reads { object.sum() }
        },
    ]
}

/// - Parameter sum: of so many reads, each of a 1.
private func reads(
    _ number: Int = 8, before: @escaping () -> Void = {}, _ sum: @escaping () -> Int
) -> Trial {
    var isRight = true
    return Trial(
        run: { _, count in
            ObservationBridge.isOn = true
            defer { ObservationBridge.isOn = false }
            before()
            return timed {
                for _ in 0..<count / number { isRight = sum() == number && isRight }
            }
        },
        verify: { _ in isRight })
}

private func tracked(_ times: Int = 1, _ sum: () -> Int) -> Int {
    withObservationTracking {
        (0..<times).reduce(0) { total, _ in total + sum() }
    } onChange: {
    }
}

private final class Ours: ObservableModel {
    @Observed private var a = 1
    @Observed private var b = 1
    @Observed private var c = 1
    @Observed private var d = 1
    @Observed private var e = 1
    @Observed private var f = 1
    @Observed private var g = 1
    @Observed private var h = 1

    @inline(never) func sum() -> Int { a + b + c + d + e + f + g + h }
}

@Observable private final class Theirs {
    private var a = 1
    private var b = 1
    private var c = 1
    private var d = 1
    private var e = 1
    private var f = 1
    private var g = 1
    private var h = 1

    @inline(never) func sum() -> Int { a + b + c + d + e + f + g + h }
}

private final class Plain {
    private var (a, b, c, d) = (1, 1, 1, 1)
    private var (e, f, g, h) = (1, 1, 1, 1)

    @inline(never) func sum() -> Int { a + b + c + d + e + f + g + h }
}
