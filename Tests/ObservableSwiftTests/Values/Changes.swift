// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// Every kind of value that a path may end at.
class Sample: ObservableModel {
    @Observed var count = 0
    @Observed var ratio = 0.0
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var list: [Int] = []
    @Observed var size = Size(width: 0, height: 0, depth: nil)
    @Observed var mode = Mode.off
    @Observed var plain = Plain(number: 0)
    @Observed var anything: Any?
    @Observed var shape: (any Cornered)?
    @Observed var action: (() -> Int)?
    @Observed var next: Sample?
    @Observed var spot = Spot(0)
    @Observed var mark: Spot?
    @ObservedWeak var weakNext: Sample?
    @ObservedAs<ByEquality<Spot?>> var equalSpot: Spot?
    @ObservedAs<ByIdentity<Spot?>> var sameSpot: Spot?
    @ObservedAs<AlwaysDifferent<Int>> var everySet = 0
    @ObservedAs<Percent> var percent = 0

    struct Size: Equatable {
        var width: Int
        var height: Int
        var depth: Int?
    }

    enum Mode: Equatable {
        case off
        case on(level: Int)
    }

    /// Has no `==`.
    struct Plain {
        var number: Int
    }

    enum Percent: ObservationPolicy {
        static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
        static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
    }
}

protocol Cornered {
    var corners: Int { get }
}

struct Block: Cornered, Equatable {
    var corners: Int { 4 }
    var side = 1
}

/// No model, with an `==` that is not identity.
class Spot: Equatable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    static func == (a: Spot, b: Spot) -> Bool { a.number == b.number }
}

/// Collects what the blocks of one observation were handed; on a loop of its own.
final class Changes<Value> {
    let loop = DeliveryLoop()
    var token: ObservationToken!
    private var changes: [ObservedChange<Sample, Value>] = []

    init(
        _ root: Sample, _ path: ValuePath<Sample, Value>,
        options: ObservationOptions = [], comparing: ObservationComparison = .declared
    ) {
        token = root.changes(of: path).on(loop).options(options).comparing(comparing).onChange {
            [unowned self] change in changes.append(change)
        }
    }

    /// The changes since the last look; one drain.
    var new: [ObservedChange<Sample, Value>] {
        loop.drain()
        defer { changes = [] }
        return changes
    }

    /// The only one since the last look.
    var one: ObservedChange<Sample, Value>? {
        let new = new
        return new.count == 1 ? new[0] : nil
    }

    var calls: Int { new.count }
}
