// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private enum Percent: ObservationPolicy {
    static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
    static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
}

private enum Close: ObservationPolicy {
    static func areEqual(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 0.5 }
}

private enum Sorted: ObservationPolicy {
    static func areEqual(_ a: [Int], _ b: [Int]) -> Bool { a == b }
    static func corrected(_ offered: consuming [Int]) -> [Int] { offered.sorted() }
}

private final class Key: Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: Key, b: Key) -> Bool { a.number == b.number }
}

private protocol Part: AnyObject {}
extension Key: Part {}

private struct Box: Equatable {
    var number = 0
}

private final class Chosen: ObservableModel {
    @ObservedAs<Percent> var progress = 150
    @ObservedAs<Percent> var volume = -1
    @ObservedAs<Close> var level = 0.0
    @ObservedAs<Sorted> var sorted = [3, 1, 2]
    @ObservedAs<ByEquality<Key>> var key = Key(0)
    @ObservedAs<ByEquality<Key?>> var maybeKey: Key?
    @ObservedAs<ByIdentity<Key>> var same = Key(0)
    @ObservedAs<ByIdentity<Key?>> var maybeSame: Key?
    @ObservedAs<ByIdentity<any Part>> var part: any Part = Key(0)
    @ObservedAs<ByIdentity<Box>> var value = Box()
    @ObservedAs<AlwaysDifferent<Int>> var every = 0
    @ObservedAs<AlwaysDifferent<Int?>> var everyMaybe: Int?
    @ObservedAs<AlwaysDifferent<Chosen?>> var child: Chosen?
    @Observed var declared = Key(0)
    @Observed var next: Chosen?
}

@Suite struct PropertyPolicyTests {
    @Test func EQ_11_by_equality_also_for_classes() {
        let chosen = Chosen()
        let key = BothSpellings(chosen, "key", \.key)
        let maybe = BothSpellings(chosen, "maybeKey", \.maybeKey)
        chosen.key = Key(0)
        #expect(key.new == 0)
        chosen.key = Key(1)
        #expect(key.new == 1)
        chosen.maybeKey = nil
        #expect(maybe.new == 0)
        chosen.maybeKey = Key(1)
        #expect(maybe.new == 1)
        chosen.maybeKey = Key(1)
        #expect(maybe.new == 0)
        chosen.maybeKey = nil
        #expect(maybe.new == 1)
    }

    @Test func EQ_11_by_identity() {
        let chosen = Chosen()
        let key = Key(7)
        let same = BothSpellings(chosen, "same", \.same)
        let maybe = BothSpellings(chosen, "maybeSame", \.maybeSame)
        let part = BothSpellings(chosen, "part", \.part)
        let value = BothSpellings(chosen, "value", \.value)
        let declared = BothSpellings(chosen, "declared", \.declared)
        for calls in [1, 0] {
            chosen.same = key
            chosen.maybeSame = key
            chosen.part = key
            chosen.declared = key
            #expect(same.new == calls && maybe.new == calls)
            #expect(part.new == calls && declared.new == calls)
        }
        chosen.same = Key(7)
        chosen.maybeSame = Key(7)
        chosen.part = Key(7)
        chosen.declared = Key(7)
        #expect(same.new == 1 && maybe.new == 1 && part.new == 1 && declared.new == 1)
        chosen.maybeSame = nil
        #expect(maybe.new == 1)
        chosen.maybeSame = nil
        #expect(maybe.new == 0)
        // Values are never the same.
        chosen.value = Box()
        #expect(value.new == 1)
    }

    @Test func EQ_11_always_different() {
        let chosen = Chosen()
        let every = BothSpellings(chosen, "every", \.every)
        let maybe = BothSpellings(chosen, "everyMaybe", \.everyMaybe)
        let child = BothSpellings(chosen, "child", \.child)
        chosen.every = 0
        chosen.everyMaybe = nil
        chosen.child = nil
        #expect(every.new == 1 && maybe.new == 1 && child.new == 1)
        chosen.every += 0
        #expect(every.new == 1)
    }

    /// In the middle of a path, what ends it decides; out of reach before and after never calls.
    @Test func EQ_11_always_different_below_a_replaced_object() {
        let chosen = Chosen()
        let every = BothSpellings(chosen, "next.every", \.next?.every)
        let progress = BothSpellings(chosen, "child.progress", \.child?.progress)
        let deep = BothSpellings(
            chosen, "next.child.every", \.next?.child?.every)
        let first = Chosen()
        chosen.next = first
        chosen.child = first
        #expect(every.new == 1 && progress.new == 1 && deep.new == 0)
        chosen.next = Chosen()
        #expect(every.new == 1 && deep.new == 0)
        chosen.child = first
        #expect(progress.new == 0)
        chosen.child = Chosen()
        #expect(progress.new == 0)
        chosen.next = nil
        #expect(every.new == 1 && deep.new == 0)
    }

    @Test func EQ_11_a_function_of_the_program() {
        let chosen = Chosen()
        let level = BothSpellings(chosen, "level", \.level)
        chosen.level = 0.25
        #expect(level.new == 0)
        chosen.level = 1
        #expect(level.new == 1)
        chosen.level += 0.25
        #expect(level.new == 0)
        chosen.level += 1
        #expect(level.new == 1)
        // Stored all the same.
        #expect(chosen.level == 2.25)
    }

    @Test func EQ_11_KP_5_offered_values_are_corrected_before_the_store() {
        let chosen = Chosen()
        #expect(chosen.progress == 100 && chosen.volume == 0)
        var seen: [Int] = []
        let token = chosen.onChange(of: \.progress, options: .immediate) {
            seen.append($0.progress)
        }
        let calls = BothSpellings(chosen, "progress", \.progress)
        chosen.progress = 120
        #expect(calls.new == 0)
        chosen.progress = -5
        #expect(calls.new == 1 && chosen.progress == 0)
        chosen.progress -= 5
        #expect(calls.new == 0 && chosen.progress == 0)
        chosen.progress += 30
        #expect(calls.new == 1 && chosen.progress == 30)
        chosen.progress += 300
        #expect(chosen.progress == 100)
        chosen[keyPath: \.progress] = 200
        #expect(chosen.progress == 100)
        #expect(seen == [0, 30, 100])
        token.cancel()
    }

    @Test func EQ_11_correction_where_nobody_observes() {
        let chosen = Chosen()
        chosen.progress = 500
        #expect(chosen.progress == 100)
        chosen.progress -= 500
        #expect(chosen.progress == 0)
        #expect(chosen.sorted == [1, 2, 3])
        chosen.sorted.append(0)
        #expect(chosen.sorted == [0, 1, 2, 3])
        chosen.sorted = [2, 1]
        #expect(chosen.sorted == [1, 2])
    }

    @Test func EQ_11_PK_3_correction_of_a_mutation_in_place() {
        let chosen = Chosen()
        var seen: [[Int]] = []
        let token = chosen.onChange(of: \.[text: "sorted"], options: .immediate) {
            seen.append($0.sorted)
        }
        chosen.sorted.append(0)
        chosen.sorted = [9, 8]
        chosen.sorted = [8, 9]
        #expect(seen == [[0, 1, 2, 3], [8, 9]])
        token.cancel()
    }
}
