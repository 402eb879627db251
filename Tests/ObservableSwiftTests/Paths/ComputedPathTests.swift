// SPDX-License-Identifier: Apache-2.0
//
// Typed paths to computed properties without a wrapper, which read observed properties.

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
    @Test func KP_19_a_path_that_is_kept_is_another_property_on_each_class() {
        let label: TypedPath<Entry> = \.label
        let loop = DeliveryLoop()
        for _ in 0..<3 {
            // It is known once a class has come twice.
            let entries = [Entry(), Entry(), Entry(), Friend(), Loud()]
            let tokens = (entries + entries).map { $0.onChange(of: label, on: loop) { _ in } }
            for entry in entries { entry.name += "x" }
            #expect(loop.drain() == 8)
            for entry in entries { entry.nick += "x" }
            #expect(loop.drain() == 2)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test func KP_19_an_overridden_getter_is_the_property_that_each_class_returns() {
        for _ in 0..<2 {
            let entries = [Entry(), Friend(), Loud()]
            let labels = entries.map { Calls($0, \.label) }
            #expect(labels.map { $0.observation.unresolvedPaths } == [[], [], []])
            for entry in entries { entry.name += "x" }
            #expect(labels.map(\.new) == [1, 0, 1])
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
            let token = root.changes(of: \.next?.label).options(.immediate).onChange {
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
            let loud = Loud()
            root.next = loud
            #expect(label.observation.unresolvedPaths == [])
            _ = label.new
            loud.name = "A"
            #expect(label.new == 0)
            loud.name = "b"
            #expect(label.new == 1 && values.last == "B")
            token.cancel()
        }
    }

    @Test func LL_2_a_getter_that_returns_another_value_is_computed() {
        let job = Job()
        let idle = Calls(job, \.isIdle)
        let shout = Calls(job, \.shout)
        let left = Calls(job, \.stepsLeft)
        let later = Calls(job, \.later?.note)
        for calls in [idle, shout, left, later] {
            #expect(calls.observation.unresolvedPaths == [])
        }
        job.note = "A"
        #expect(shout.new == 0 && later.new == 1)
        job.isBusy = true
        job.note += "b"
        job.steps += 1
        #expect(idle.new == 1 && shout.new == 1 && left.new == 1 && later.new == 1)
        job.next = Job()
        #expect(later.new == 0)
        job.next?.next = Job()
        #expect(later.new == 1)
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
