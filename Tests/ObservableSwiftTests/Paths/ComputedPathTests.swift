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

private class Entry: ObservableModel {
    @Observed var next: Entry?
    @Observed var name = "a"
    @Observed var nick = "b"
    /// Each subclass shows another property, or none.
    var label: String { name }
}

private final class Friend: Entry {
    override var label: String { nick }
}

private final class Loud: Entry {
    override var label: String { name.uppercased() }
}

@Suite struct ComputedPathTests {
    @Test func KP_19_an_overridden_getter_is_the_property_that_each_class_returns() {
        for _ in 0..<2 {
            let entries = [Entry(), Friend(), Loud()]
            let labels = entries.map { Calls($0, \.label) }
            #expect(labels.map { $0.observation.unresolvedPaths.count } == [0, 0, 1])
            for entry in entries { entry.name += "x" }
            #expect(labels.map(\.new) == [1, 0, 0])
            for entry in entries { entry.nick += "x" }
            #expect(labels.map(\.new) == [0, 1, 0])
        }
    }

    @Test func KP_3_an_overridden_getter_in_the_middle_moves_to_what_it_returns() {
        for start in [nil, Entry(), Friend()] {
            let root = Entry()
            root.next = start
            let label = Calls(root, \.next?.label)
            var values: [String?] = []
            let token = root.onChange(of: \.next?.label, options: .immediate) {
                values.append($0.new)
            }
            let entry = Entry()
            let friend = Friend()
            root.next = entry
            _ = label.new
            root.next = friend
            #expect(label.new == 1)
            friend.name = "x"
            #expect(label.new == 0)
            friend.nick = "y"
            #expect(label.new == 1)
            root.next = entry
            #expect(label.new == 1)
            entry.nick = "z"
            #expect(label.new == 0)
            #expect(values.suffix(3) == ["b", "y", "a"])
            root.next = Loud()
            #expect(label.observation.unresolvedPaths.count == 1)
            token.cancel()
        }
    }

    @Test func KP_12_a_getter_that_returns_another_value_is_reported() {
        let job = Job()
        for path in [
            \.isIdle as TypedPath<Job>, \.shout, \.stepsLeft,
            \.later?.note,
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
            job, \.alsoBusy, \.alsoRate, \.alsoNext?.note,
            \.alsoBare, \.alsoAct, \.alsoSteps)
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
