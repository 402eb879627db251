// SPDX-License-Identifier: Apache-2.0

import Observation

@Observable
final class ObservationApart {
    @ObservationIgnored private let front = Gap()
    var left = 0
    @ObservationIgnored private let middle = Gap()
    var right = 0
    @ObservationIgnored private let back = Gap()
}

@Observable
final class ObservationTogether {
    var left = 0
    var right = 0
}

/// Observes one property, and again when it has told.
private final class ObservationSide: @unchecked Sendable {
    private let front = Gap()
    let tally = LoneTally()
    private let read: () -> Int
    private let store: (Int) -> Void
    private var hasTold = false
    private let back = Gap()

    init(_ read: @escaping () -> Int, _ store: @escaping (Int) -> Void) {
        self.read = read
        self.store = store
        observe()
        tally.forget()
    }

    private func observe() {
        withObservationTracking {
            tally.add(read())
        } onChange: { [unowned self] in
            hasTold = true
        }
    }

    /// One set, and the observer that it has told.
    static var setter: Setter {
        { context, value in
            context.with(ObservationSide.self) { side in
                side.store(value)
                if side.hasTold {
                    side.hasTold = false
                    side.observe()
                }
            }
        }
    }

    var asSide: Side { Side(setter: Self.setter, object: self, tally: tally) }
}

struct ObservationPair: Pair {
    let left, right: Side

    /// Of two objects, or of one.
    init(_ one: ObservationApart, _ other: ObservationApart) {
        left = ObservationSide({ one.left }, { one.left = $0 }).asSide
        right = ObservationSide({ other.right }, { other.right = $0 }).asSide
    }

    init(together user: ObservationTogether) {
        left = ObservationSide({ user.left }, { user.left = $0 }).asSide
        right = ObservationSide({ user.right }, { user.right = $0 }).asSide
    }
}
