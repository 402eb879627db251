// SPDX-License-Identifier: Apache-2.0
//
// Typed paths to computed properties that read one observed property.

import ObservableSwift
import Testing

private struct Bare {
    var number = 0
}

private final class Job: ObservableModel {
    @Observed var isBusy = false
    @Observed var note = "a"
    @Observed var rate = Double.nan
    @Observed var next: Job? = nil
    @Observed var bare = Bare()
    @Observed var act: () -> Void = {}
    @ObservedAtomic var steps = 1

    var isIdle: Bool { !isBusy }
    var shout: String { note.uppercased() }
    var stepsLeft: Int { 10 - steps }
    var later: Job? { next?.next ?? self }

    var alsoBusy: Bool { isBusy }
    var alsoRate: Double { rate }
    var alsoNext: Job? { next }
    var alsoBare: Bare { bare }
    var alsoAct: () -> Void { act }
    var alsoSteps: Int { steps }
}

@Suite struct ComputedPathTests {
    @Test func KP_12_a_getter_that_returns_another_value_is_reported() {
        let job = Job()
        for path in [
            TypedPath<Job>(\.isIdle), TypedPath(\.shout), TypedPath(\.stepsLeft),
            TypedPath(\.later?.note),
        ] {
            let calls = Calls(job, path)
            #expect(calls.observation.unresolvedPaths.count == 1)
            job.isBusy.toggle()
            job.note += "b"
            job.steps += 1
            #expect(calls.new == 0)
        }
    }

    @Test func KP_12_an_alias_is_the_property() {
        let job = Job()
        let calls = Calls(
            job, TypedPath(\.alsoBusy), TypedPath(\.alsoRate), TypedPath(\.alsoNext?.note),
            TypedPath(\.alsoBare), TypedPath(\.alsoAct), TypedPath(\.alsoSteps))
        #expect(calls.observation.unresolvedPaths == [])
        let changes: [(Job) -> Void] = [
            { $0.isBusy = true }, { $0.rate = 1 }, { $0.next = Job() }, { $0.bare.number = 1 },
            { $0.act = {} }, { $0.steps = 2 },
        ]
        for change in changes {
            change(job)
            #expect(calls.new == 1)
        }
    }
}
