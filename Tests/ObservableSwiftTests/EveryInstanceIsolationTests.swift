// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// Where the blocks of class-level observations run (OS-3, TH-3).

private final class Reader {}

@Suite(.serialized) struct EveryInstanceIsolationTests {
    @Test @MainActor func TH_3_OS_3_each_form_keeps_the_isolation_of_its_block() {
        let reader = Reader()
        var calls = 0
        Meter.allInstances.instances(when: \.[text: "level"]).tell(reader) { _, _ in calls += 1 }
        Meter.allInstances.changes(of: \.level).tell(reader) { _, _ in calls += 1 }
        Meter.allInstances.changes(of: \.level).tell(reader) { _, _ in calls += 1 }
        Meter.allInstances.record(of: \.[text: "level"]).tell(reader) { _, _ in calls += 1 }
        let tokens = [
            Meter.allInstances.instances(when: \.level).onChange { _ in calls += 1 },
            Meter.allInstances.changes(of: \.level).onChange { _ in calls += 1 },
            Meter.allInstances.changes(of: \.level).onChange { _ in calls += 1 },
            Meter.allInstances.changes(of: \.level).onChange { _ in calls += 1 },
            Meter.allInstances.record(of: \.level).onChange { _ in calls += 1 },
        ]
        let gauge = Meter()
        gauge.level = 1
        #expect(calls == 0)
        DeliveryLoop.main.drain()
        #expect(calls == 9)
        Meter.allInstances.stopTelling(reader)
        for token in tokens { token.cancel() }
    }

    @Test func TH_3_OS_3_an_immediate_block_of_an_actor_is_scheduled_by_changes_elsewhere() async {
        let desk = Keeper()
        await desk.observe()
        let gauge = Meter()
        gauge.level = 1
        await desk.called.come()
        await withCheckedContinuation { done in
            TestThread { gauge.level = 2 }.join()
            done.resume()
        }
        await desk.called.come()
        #expect(await desk.seen == [1, 2])
        // In it, at once.
        #expect(await desk.set(gauge, 3) == [1, 2, 3])
        await desk.called.come()
        await desk.stop()
        gauge.level = 4
        #expect(await desk.seen == [1, 2, 3])
    }

    /// As by hand: of which instance is known, what its values were is not.
    @Test func TH_3_OS_3_the_same_with_values_by_token() async {
        let desk = Keeper()
        await desk.observeValues()
        let gauge = Meter()
        gauge.level = 5
        await desk.called.come()
        #expect(await desk.seen == [5])
        await desk.stop()
    }
}

/// Any thread may set it.
private final class Meter: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
}

private actor Keeper {
    private(set) var seen: [Int] = []
    nonisolated let called = Event()
    private var token: ObservationToken?

    func observe() {
        Meter.allInstances.instances(when: \.level).options(.immediate).tell(self) {
            [self] _, gauge in
            preconditionIsolated()
            seen.append(gauge?.level ?? -1)
            called.happen()
        }
    }

    func observeValues() {
        token = Meter.allInstances.changes(of: \.level).options(.immediate).onChange {
            [self] change in
            let meter = change?.object
            preconditionIsolated()
            seen.append(meter?.level ?? -1)
            called.happen()
        }
    }

    func set(_ gauge: Meter, _ level: Int) -> [Int] {
        gauge.level = level
        return seen
    }

    func stop() {
        Meter.allInstances.stopTelling(self)
        token = nil
    }
}
