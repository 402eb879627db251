// SPDX-License-Identifier: Apache-2.0
//
// P3: 100 sets of one property, one delayed observer, one delivery; a set.
//
//     P3    on the thread that drains
//     P3b1  the sets on a thread that is not the one that drains
//     P3b2  the sets inside a block of the drain

import BenchSupport
import ObservableSwift

func coalescedSets() -> [Variant] {
    [
        Variant(id: "P3", name: "ours", step: burst) {
            let observed = ObservedUser(.model)
            return .bursts(of: observed.user, by: User.setter) {
                observed.loop.drain()
            } verify: {
                observed.tally.sawLastOfEachBurst(to: $0)
            }
        },
        Variant(id: "P3", name: "Observation", step: burst) {
            let watcher = ObservationWatcher()
            return .bursts(of: watcher.user, by: ObservationUser.setter) {
                watcher.deliver()
            } verify: {
                watcher.tally.sawLastOfEachBurst(to: $0)
            }
        },
        Variant(id: "P3b1", name: "ours", step: burst, make: fromAnotherThread),
        Variant(id: "P3b2", name: "ours", step: burst, make: insideABlock),
        Variant(id: "P3", name: "floor", step: burst) {
            let user = CallingUser(observers: 1)
            return .bursts(of: user, by: CallingUser.silentSetter) {
                user.callAll()
            } verify: {
                user.tally.sawLastOfEachBurst(to: $0)
            }
        },
    ]
}

/// Times the sets on the second thread and the drain on this one; what lies between them, the
/// change of threads, is nobody's work.
private func fromAnotherThread() -> Trial {
    let observed = ObservedUser(.model)
    let cost = clockCost()
    return Trial(
        run: { first, count in
            var time = 0.0
            for begin in stride(from: first, to: first + count, by: burst) {
                time += setsOnSecondThread(of: observed.user, from: begin)
                let start = bench_clock()
                observed.loop.drain()
                time += bench_clock() - start - 2 * cost
            }
            return time
        },
        verify: { observed.tally.sawLastOfEachBurst(to: $0) })
}

/// A burst there, and the nanoseconds it took.
private struct Burst {
    let user: UnsafeRawPointer
    let first: Int
    var time = 0.0
}

private func setsOnSecondThread(of user: User, from first: Int) -> Double {
    var work = Burst(
        user: UnsafeRawPointer(Unmanaged.passUnretained(user).toOpaque()), first: first)
    bench_on_second_thread(
        { context in
            let work = context.assumingMemoryBound(to: Burst.self)
            let start = bench_clock()
            bench_sets(0, User.setter, work.pointee.user, work.pointee.first, burst)
            work.pointee.time = bench_clock() - start
        }, &work)
    return work.time
}

/// What two looks at the clock measure between them.
private func clockCost() -> Double {
    (0..<10_000).reduce(.infinity) { best, _ in
        let start = bench_clock()
        return min(best, bench_clock() - start)
    }
}

/// The block of one observation sets another object, whose observer is called in the same drain.
private func insideABlock() -> Trial {
    let observed = ObservedUser(.model)
    let trigger = User()
    let setter = ModelWatcher()
    trigger.tell(setter, when: \.age, on: observed.loop) { _, trigger in
        let user = UnsafeRawPointer(Unmanaged.passUnretained(observed.user).toOpaque())
        bench_sets(0, User.setter, user, trigger.age, burst)
    }
    return Trial(
        run: { first, count in
            timed {
                for begin in stride(from: first, to: first + count, by: burst) {
                    trigger.age = begin
                    observed.loop.drain()
                }
            }
        },
        verify: { last in
            withExtendedLifetime(setter) { observed.tally.sawLastOfEachBurst(to: last) }
        })
}
