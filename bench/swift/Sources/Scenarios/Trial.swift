// SPDX-License-Identifier: Apache-2.0

import BenchSupport

/// A setter as a loop of known place calls it. Its context is an object, not retained.
typealias Setter = @convention(c) (UnsafeRawPointer, Int) -> Void

/// One program state that is timed, made anew for each round.
struct Trial {
    /// Performs operations with the values first, first + 1, …; the nanoseconds they took.
    let run: (_ first: Int, _ count: Int) -> Double
    /// Whether the observers saw what they must have, the last value being `last`.
    let verify: (_ last: Int) -> Bool
}

/// A scenario by one library.
struct Variant {
    let id: String
    /// "ours", "floor" or a peer.
    let name: String
    /// Operations come in multiples of this.
    var step = 1
    /// At most so many operations in a go; nil: as many as the time allows.
    var limit: Int?
    let make: () -> Trial
}

/// CPU time of this thread, so that another program costs caches, not time slices.
func timed(_ work: () -> Void) -> Double {
    let start = bench_cpu_time()
    work()
    return bench_cpu_time() - start
}

extension Trial {
    /// Sets of one object's property, from a loop at `place`.
    static func sets(
        of object: AnyObject, by setter: @escaping Setter, at place: Int = 0,
        verify: @escaping (Int) -> Bool
    ) -> Trial {
        Trial(
            run: { first, count in
                timed {
                    bench_sets(
                        Int32(place), setter, Unmanaged.passUnretained(object).toOpaque(), first,
                        count)
                }
            },
            verify: { last in withExtendedLifetime(object) { verify(last) } })
    }

    /// Bursts of sets, each with something before and after it, timed with them.
    static func bursts(
        of object: AnyObject, by setter: @escaping Setter, deliver: @escaping () -> Void,
        verify: @escaping (Int) -> Bool
    ) -> Trial {
        Trial(
            run: { first, count in
                timed {
                    for begin in stride(from: first, to: first + count, by: burst) {
                        bench_sets(
                            0, setter, Unmanaged.passUnretained(object).toOpaque(), begin, burst)
                        deliver()
                    }
                }
            },
            verify: { last in withExtendedLifetime(object) { verify(last) } })
    }

    /// Operations that are no sets of an int.
    static func operations(
        _ operation: @escaping (Int) -> Void, verify: @escaping (Int) -> Bool
    ) -> Trial {
        Trial(
            run: { first, count in
                timed {
                    for value in first..<first + count { operation(value) }
                }
            },
            verify: verify)
    }
}

/// Sets between two deliveries in P3.
let burst = 100

extension UnsafeRawPointer {
    /// The object that a setter was handed, without a retain.
    @inline(__always)
    func with<Object: AnyObject>(_ type: Object.Type, _ body: (Object) -> Void) {
        Unmanaged<Object>.fromOpaque(self)._withUnsafeGuaranteedRef(body)
    }
}
