// SPDX-License-Identifier: Apache-2.0
//
// P10: two threads on two CPUs set at the same time, each a property that one immediate observer of
// its own watches; a set of the one, while the other goes on.
//
//     P10a   two objects
//     P10b   one object, the properties on cache lines of their own
//     P10c   one object, the properties side by side
//
// The floor is the left thread alone, ours: two threads do twice as much in the same time if a set
// costs no more beside another.

import BenchSupport

func twoThreads() -> [Variant] {
    guard bench_has_two_cpus() else { return [] }
    return ours("P10a", TwoObjects.init) + ours("P10b", ApartObject.init)
        + ours("P10c", TogetherObject.init)
        + [
            pair("P10a", "Observation") { ObservationPair(ObservationApart(), ObservationApart()) },
            pair("P10b", "Observation") {
                let user = ObservationApart()
                return ObservationPair(user, user)
            },
            pair("P10c", "Observation") { ObservationPair(together: ObservationTogether()) },
        ] + combinePairs()
}

/// Two setters, and the tallies that they count in.
protocol Pair {
    var left: Side { get }
    var right: Side { get }
}

struct Side {
    let setter: Setter
    let object: AnyObject
    let tally: LoneTally

    fileprivate var atWork: bench_side {
        bench_side(setter: setter, context: Unmanaged.passUnretained(object).toOpaque())
    }
}

/// Sets of each thread between two meetings.
private let stretch = 20_000

func pair(_ id: String, _ name: String, _ make: @escaping () -> some Pair) -> Variant {
    Variant(id: id, name: name, step: stretch) {
        let pair = make()
        let (left, right) = (pair.left, pair.right)
        return stretches { first in
            bench_side_by_side(left.atWork, right.atWork, first, stretch)
        } verify: { last in
            withExtendedLifetime(pair) {
                left.tally.sawEach(to: last) && right.tally.sawEach(to: last)
            }
        }
    }
}

/// With the floor: the left one alone.
private func ours<Ours: Pair>(_ id: String, _ make: @escaping () -> Ours) -> [Variant] {
    [
        pair(id, "ours", make),
        Variant(id: id, name: "floor", step: stretch) {
            let pair = make()
            let left = pair.left
            return stretches { first in
                bench_side_by_side(left.atWork, bench_side(), first, stretch)
            } verify: { last in
                withExtendedLifetime(pair) { left.tally.sawEach(to: last) }
            }
        },
    ]
}

private func stretches(
    _ work: @escaping (Int) -> Double, verify: @escaping (Int) -> Bool
) -> Trial {
    Trial(
        run: { first, count in
            stride(from: first, to: first + count, by: stretch).reduce(0) { $0 + work($1) }
        },
        verify: verify)
}

// MARK: - Cache lines

/// Two cache lines: what lies before it and what lies behind share none.
struct Gap {
    private var words: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    private var more: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
}

/// A tally that nobody else writes beside.
final class LoneTally {
    private let front = Gap()
    private var calls = 0
    private var sum = 0
    private let back = Gap()

    @inline(__always)
    func add(_ value: Int) {
        calls &+= 1
        sum &+= value
    }

    /// Every value from 1 to `last`.
    func sawEach(to last: Int) -> Bool {
        calls == last && sum == last * (last + 1) / 2
    }

    func forget() {
        (calls, sum) = (0, 0)
    }
}
