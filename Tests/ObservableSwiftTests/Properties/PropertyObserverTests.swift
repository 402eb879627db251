// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// `willSet` and `didSet` beside observers.
private class Clock: ObservableModel {
    var events: [String] = []

    @Observed var hour = 0 {
        willSet { events.append("will \(newValue)") }
        didSet { events.append("did \(oldValue)") }
    }

    @Observed var clamped = 0 {
        didSet { if clamped > 10 { clamped = 10 } }
    }

    @Observed private(set) var ticks = 0
    @Observed fileprivate(set) var names: [String] = []

    func tick() {
        ticks += 1
        names.append("\(ticks)")
    }
}

private final class LoudClock: Clock {
    override var hour: Int {
        didSet { events.append("loud \(hour)") }
    }

    override var clamped: Int {
        get { super.clamped }
        set { super.clamped = newValue + 1 }
    }
}

@Suite struct PropertyObserverTests {
    /// They run after the observers that are called inside the change.
    @Test func PK_1_willSet_and_didSet_run_after_immediate_observers() {
        let clock = Clock()
        let observation = clock.onChange(of: \.[text: "hour"], options: .immediate) { clock in
            clock.events.append("observed \(clock.hour)")
        }
        clock.hour = 3
        #expect(clock.events == ["will 3", "observed 3", "did 0"])
        clock.events = []
        // Also for an equal value, of which observers hear nothing.
        clock.hour = 3
        #expect(clock.events == ["will 3", "did 3"])
        observation.cancel()
    }

    /// A correction in `didSet` is a second set (KP-5).
    @Test func PK_1_KP_5_a_correction_in_didSet_is_a_second_set() {
        let clock = Clock()
        var seen: [Int] = []
        let token = clock.onChange(of: \.[text: "clamped"], options: .immediate) {
            seen.append($0.clamped)
        }
        let delayed = BothSpellings(clock, "clamped", \.clamped)
        clock.clamped = 50
        #expect(seen == [50, 10])
        #expect(delayed.new == 1)
        #expect(clock.clamped == 10)
        token.cancel()
    }

    @Test func PK_1_override_with_didSet() {
        let clock = LoudClock()
        let calls = BothSpellings(clock, "hour", \.hour)
        let all = Calls(clock, "*")
        clock.hour = 5
        #expect(clock.events == ["will 5", "did 0", "loud 5"])
        #expect(calls.new == 1 && all.new == 1)
        (clock as Clock).hour = 6
        #expect(calls.new == 1 && all.new == 1)
        clock.hour = 6
        #expect(calls.new == 0)
    }

    /// A getter that only forwards is taken for the property it reads.
    @Test func PK_1_override_with_a_getter_and_a_setter() {
        let clock = LoudClock()
        let calls = BothSpellings(clock, "clamped", \.clamped)
        clock.clamped = 4
        #expect(clock.clamped == 5)
        #expect(calls.new == 1)
    }

    @Test func PK_1_private_setters() {
        let clock = Clock()
        let ticks = BothSpellings(clock, "ticks", \.ticks)
        let names = BothSpellings(clock, "names", \.names)
        clock.tick()
        #expect(ticks.new == 1 && names.new == 1)
    }
}
