// SPDX-License-Identifier: Apache-2.0
//
// IM-1 of properties that any thread may set: a call for each change, with the values of that very
// change, also where another thread has stored over it before anybody has looked.

import ObservableSwift
import Testing

/// Runs something once, in the midst of a set: while the value that it stores is compared.
private final class Between: @unchecked Sendable {
    static let shared = Between()
    private let body = Shared<Handed<() -> Void>?>(nil)

    func next(_ body: @escaping () -> Void) { self.body.value = Handed(body) }

    func run() {
        var body: Handed<() -> Void>?
        self.body.change {
            body = $0
            $0 = nil
        }
        body?.value()
    }
}

private struct Word: Equatable, Sendable {
    var number = 0

    static func == (a: Word, b: Word) -> Bool {
        Between.shared.run()
        return a.number == b.number
    }
}

private struct Long: Equatable, Sendable {
    var text = ""
    var number = 0

    static func == (a: Long, b: Long) -> Bool {
        Between.shared.run()
        return a.text == b.text && a.number == b.number
    }
}

private final class Meter: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var word = Word()
    @ObservedAtomic var long = Long()
    @ObservedAtomic var count = 0
    @ObservedAtomic var next: Meter?
}

@Suite(.serialized) struct ImmediateSharedTests {
    private let meter = Meter()

    /// Sets, and has another thread set something else before the set has looked for observers.
    private func set(_ body: () -> Void, overtakenBy other: @escaping () -> Void) {
        Between.shared.next { onOtherThread(other) }
        body()
    }

    @Test func IM_1_values_of_a_word_that_comes_back() {
        let seen = Shared<Set<[Int]>>([])
        let token = meter.onChange(valuesOf: \.word, options: .immediate) { old, new in
            seen.change { $0.insert([old?.number ?? -1, new?.number ?? -1]) }
        }
        set {
            meter.word = Word(number: 5)
        } overtakenBy: { [meter] in
            meter.word = Word(number: 0)
        }
        #expect(seen.value == [[0, 5], [5, 0]])
        withExtendedLifetime(token) {}
    }

    @Test func IM_1_values_of_a_longer_value_at_the_end_of_a_path() {
        let head = Meter()
        head.next = meter
        let seen = Shared<Set<[String]>>([])
        let token = head.onChange(valuesOf: \.next?.long, options: .immediate) { old, new in
            seen.change { $0.insert([old?.text ?? "none", new?.text ?? "none"]) }
        }
        set {
            meter.long = Long(text: "there")
        } overtakenBy: { [meter] in
            meter.long = Long()
        }
        #expect(seen.value == [["", "there"], ["there", ""]])
        withExtendedLifetime(token) {}
    }

    @Test func IM_1_KP_18_a_field_of_a_value_that_comes_back() {
        let calls = Shared(0)
        let seen = Shared<Set<[Int]>>([])
        let tokens = [
            meter.onChange(ofAny: \.long.number, options: .immediate) { _ in
                calls.change { $0 += 1 }
            },
            meter.onChange(valuesOf: \.long.number, options: .immediate) { old, new in
                seen.change { $0.insert([old ?? -1, new ?? -1]) }
            },
        ]
        set {
            meter.long = Long(number: 5)
        } overtakenBy: { [meter] in
            meter.long = Long()
        }
        #expect(calls.value == 2)
        #expect(seen.value == [[0, 5], [5, 0]])
        withExtendedLifetime(tokens) {}
    }

    @Test func IM_1_a_comparison_of_its_own() {
        let calls = Shared(0)
        let token = meter.onChange(
            ofAny: \.word, options: .immediate, comparing: .identity
        ) { _ in calls.change { $0 += 1 } }
        set {
            meter.word = Word(number: 5)
        } overtakenBy: { [meter] in
            meter.word = Word(number: 0)
        }
        #expect(calls.value == 2)
        withExtendedLifetime(token) {}
    }

    @Test func IM_1_an_update_that_is_overtaken() {
        let seen = Shared<Set<[Int]>>([])
        let token = meter.onChange(valuesOf: \.word, options: .immediate) { old, new in
            seen.change { $0.insert([old?.number ?? -1, new?.number ?? -1]) }
        }
        set {
            meter.$word.update { $0.number += 1 }
        } overtakenBy: { [meter] in
            meter.$word.update { $0.number -= 1 }
        }
        #expect(seen.value == [[0, 1], [1, 0]])
        withExtendedLifetime(token) {}
    }

    /// Also where the first change is one that a class-level observation begins with.
    @Test func IM_1_OS_3_every_instance() {
        let seen = Shared<Set<[Int]>>([])
        let token = Meter.onChange(of: \.word, options: .immediate) { change in
            seen.change { $0.insert([change?.old?.number ?? -1, change?.new?.number ?? -1]) }
        }
        set {
            meter.word = Word(number: 5)
        } overtakenBy: { [meter] in
            meter.word = Word(number: 0)
        }
        #expect(seen.value == [[0, 5], [5, 0]])
        withExtendedLifetime(token) {}
    }

    @Test func IM_1_two_threads_count_up_and_down() {
        let times = 2_000
        let calls = Shared(0)
        let moved = Shared(0)
        let steps = Shared<Set<Int>>([])
        let token = meter.onChange(valuesOf: \.count, options: .immediate) { old, new in
            let step = (new ?? 0) - (old ?? 0)
            calls.change { $0 += 1 }
            moved.change { $0 += step }
            steps.change { $0.insert(step) }
        }
        onThreads(2) { [meter] thread in
            for _ in 0..<times {
                meter.$count.update { $0 += thread == 0 ? 1 : -1 }
            }
        }
        #expect(calls.value == 2 * times)
        #expect(moved.value == 0 && steps.value == [1, -1])
        withExtendedLifetime(token) {}
    }

    @Test func RE_1_who_begins_before_the_store_is_not_called_for_it() {
        let calls = Shared(0)
        var tokens: [ObservationToken] = []
        tokens.append(
            meter.onChange(of: \.count, options: [.immediate, .prior]) { change in
                guard change.isPrior, tokens.count == 1 else { return }
                tokens.append(
                    change.object.onChange(ofAny: \.count, options: .immediate) { _ in
                        calls.change { $0 += 1 }
                    })
            })
        meter.count = 1
        #expect(tokens.count == 2 && calls.value == 0)
        meter.$count.update { $0 += 1 }
        #expect(calls.value == 1)
    }
}
