// SPDX-License-Identifier: Apache-2.0
//
// Where a sequence observes, and where its consumer is (BI-6, TH-3). Nobody drains by hand.

import Dispatch
import ObservableSwift
import Testing

@MainActor private final class Account: ObservableModel, Sendable {
    @Observed var name = "a"

    nonisolated override init() { super.init() }
}

/// An actor with a model of its own.
private actor Clerk {
    private let link = Link(1)
    private var seen: [Int?] = []
    let took = Event()

    /// Takes values until one is 3; each makes the next.
    func count() async -> [Int?] {
        for await count in link.values(of: \.count) {
            preconditionIsolated()
            seen.append(count)
            if count == 3 { break }
            link.count += 1
        }
        #expect(link.numberOfObservers(of: "count") == 0)
        return seen
    }

    /// Takes what comes from elsewhere.
    func take(_ names: ObservationSequence<String?>) async -> [String?] {
        var seen: [String?] = []
        for await name in names {
            preconditionIsolated()
            seen.append(name)
            took.happen()
            if name == "c" { break }
        }
        return seen
    }
}

@Suite(.timeLimit(.minutes(1))) struct SequencePlaceTests {
    @Test func BI_6_TH_3_an_actor_takes_the_values_of_its_model() async {
        #expect(await Clerk().count() == [1, 2, 3])
    }

    @MainActor @Test func BI_6_TH_3_the_main_actor_takes_the_values_of_its_model() async {
        let account = Account()
        var seen: [String?] = []
        for await name in account.values(of: \.name) {
            MainActor.preconditionIsolated()
            seen.append(name)
            if name == "ab" { break }
            account.name += "b"
        }
        #expect(seen == ["a", "ab"])
        #expect(account.numberOfObservers(of: "name") == 0)
    }

    /// The observation is the main actor's, the consumer is not.
    @MainActor @Test func BI_6_TH_3_an_actor_follows_a_model_of_the_main_actor() async {
        let account = Account()
        let clerk = Clerk()
        let sequence = account.values(of: \.name)
        async let names = clerk.take(sequence)
        await clerk.took.come()
        account.name = "b"
        await clerk.took.come()
        account.name = "c"
        #expect(await names == ["a", "b", "c"])
        #expect(account.numberOfObservers(of: "name") == 0)
    }

    /// Begun elsewhere than it was made, it observes where it was made.
    @MainActor @Test func BI_6_TH_3_a_sequence_goes_to_another_task() async {
        let account = Account()
        let names = account.values(of: \.name)
        let taken = Event()
        let task = Task.detached {
            var seen: [String?] = []
            for await name in names {
                seen.append(name)
                taken.happen()
                if name == "b" { break }
            }
            return seen
        }
        await taken.come()
        account.name = "b"
        #expect(await task.value == ["a", "b"])
        #expect(account.numberOfObservers(of: "name") == 0)
    }

    /// It is cancelled before its place is free.
    @MainActor @Test func BI_6_an_iteration_that_ends_before_it_has_begun() async {
        let account = Account()
        let names = account.values(of: \.name)
        let ended = Event()
        let task = Task.detached {
            var iterator = names.makeAsyncIterator()
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(await iterator.next() == nil)
            ended.happen()
            // What waited for the main actor comes before this.
            let count = await MainActor.run { account.numberOfObservers(of: "name") }
            withExtendedLifetime(iterator) {}
            return count
        }
        // Until then the main actor is not free.
        ended.wait()
        #expect(await task.value == 0)
    }

    /// Where it is iterated says nothing of where its object belongs.
    @Test func BI_6_TH_3_a_sequence_without_a_place_is_empty_everywhere() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared(0)
            ObservationDiagnostics.setHandler { report in
                #expect(report.error?.kind == .isolation)
                reports.change { $0 += 1 }
            }
            let link = Link(1)
            let counts = link.values(of: \.count)
            let isEmpty = Task { @MainActor in
                for await _ in counts { return false }
                return true
            }
            #expect(await isEmpty.value)
            #expect(reports.value == 1)
            withExtendedLifetime(link) {}
        }
    }

    @MainActor @Test func BI_6_a_sequence_of_an_actor_that_is_gone_is_empty() async {
        let account = Account()
        let loop = DeliveryLoop(actor: Clerk())
        for await _ in account.values(of: \.name).on(loop) { Issue.record("a value") }
        withExtendedLifetime(account) {}
    }

    @Test func BI_6_DR_10_a_queue_brings_the_values() async {
        let gauge = Gauge()
        let loop = DeliveryLoop(queue: DispatchQueue(label: "gauge"))
        var seen: [Int?] = []
        for await level in gauge.values(of: \.level).on(loop) {
            seen.append(level)
            if level == 3 { break }
            onOtherThread { gauge.level += 1 }
        }
        #expect(seen == [0, 1, 2, 3])
        #expect(gauge.numberOfObservers(of: "level") == 0)
    }

    /// Whatever is missed in between, the last value is told, and none after a later one.
    @Test(arguments: [ObservationOptions(), .immediate])
    func BI_6_TH_2_the_last_value_set_is_the_last_told(_ options: ObservationOptions) async {
        let last = 2_000
        let gauge = Gauge()
        let loop = DeliveryLoop(queue: DispatchQueue(label: "gauge"))
        let consumers = (0..<2).map { _ in
            let levels = gauge.values(of: \.level).on(loop).options(options)
            return Task {
                var told = -1
                for await level in levels {
                    #expect(level! >= told)
                    told = level!
                    if told == last { return }
                }
            }
        }
        let thread = TestThread {
            for level in 1...last { gauge.level = level }
        }
        for consumer in consumers { await consumer.value }
        thread.join()
        #expect(gauge.numberOfObservers(of: "level") == 0)
    }

    /// A root changes and dies while its consumer is cancelled, or is not: it ends all the same.
    @Test func BI_6_TH_2_everything_ends_at_once() async {
        let loop = DeliveryLoop(queue: DispatchQueue(label: "gauge"))
        for round in 0..<200 {
            let (levels, thread) = Self.levelsOfOneThatDies(loop)
            let consumer = Task {
                for await _ in levels {}
            }
            if round % 2 == 0 { consumer.cancel() }
            await consumer.value
            thread.join()
        }
    }

    private static func levelsOfOneThatDies(
        _ loop: DeliveryLoop
    ) -> (ObservationSequence<ObservedChange<Gauge, Int>>, TestThread) {
        let gauge = Gauge()
        return (
            gauge.changes(of: \.level).on(loop), TestThread { gauge.level += 1 }
        )
    }
}
