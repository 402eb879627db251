// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableFoundation
import ObservableSwift
import Testing

@Suite struct RunLoopTests {
    /// It has nothing else to wait for.
    @Test func OB_5_DR_5_a_change_on_another_thread_wakes_the_run_loop() {
        let thread = TurningThread()
        let gauge = Gauge()
        let called = Event()
        let wereThere = Shared(0)
        let runLoop = thread.runLoop!
        let token = gauge.onChange(of: \.level, on: thread.loop!) { _ in
            if RunLoop.current === runLoop { wereThere.change { $0 += 1 } }
            called.happen()
        }
        for level in 1...500 {
            gauge.level = level
            called.wait()
        }
        #expect(wereThere.value == 500)
        token.cancel()
        thread.end()
    }

    @Test func OB_5_TH_2_the_last_value_of_four_threads_is_delivered() {
        let thread = TurningThread()
        let gauges = (0..<4).map { _ in Gauge() }
        let arrived = Event()
        let tokens = gauges.map { gauge in
            gauge.changes(of: \.level).map { $0.new }.on(thread.loop!).onChange { level in
                if level == 2_000 { arrived.happen() }
            }
        }
        onThreads(4) { number in
            for level in 1...2_000 { gauges[number].level = level }
        }
        for _ in gauges { arrived.wait() }
        tokens.forEach { $0.cancel() }
        thread.end()
    }

    /// What a block sets is delivered without another wake-up; what waits for the next cycle wakes.
    @Test func OB_5_DR_3_a_block_that_sets_what_it_observes_is_called_again() {
        let thread = TurningThread()
        let gauge = Gauge()
        let settled = Event()
        let token = gauge.onChange(of: \.level, on: thread.loop!) { gauge in
            if gauge.level < 50 { gauge.level += 1 } else { settled.happen() }
        }
        gauge.level = 1
        settled.wait()
        #expect(gauge.level == 50)
        token.cancel()
        thread.end()
    }

    @Test func OB_5_it_is_called_in_its_modes_alone() {
        let mode = RunLoop.Mode("ObservableFoundationTests.mode")
        let loop = DeliveryLoop(runLoop: .current, modes: [mode])
        let common = DeliveryLoop(runLoop: .current)
        let gauge = Gauge()
        let seen = Shared<[String]>([])
        let tokens = [
            gauge.onChange(of: \.level, on: loop) { _ in seen.change { $0.append("mode") } },
            gauge.onChange(of: \.level, on: common) { _ in seen.change { $0.append("common") } },
        ]
        gauge.level = 1
        turn(.default)
        #expect(seen.value == ["common"])
        turn(mode)
        #expect(seen.value == ["common", "mode"])
        withExtendedLifetime(tokens) {}
    }

    @Test func OB_5_DR_10_a_loop_that_has_ended_is_no_input_any_more() {
        let mode = RunLoop.Mode("ObservableFoundationTests.input")
        let gauge = Gauge()
        weak var weakLoop: DeliveryLoop?
        var token: ObservationToken?
        do {
            let loop = DeliveryLoop(runLoop: .current, modes: [mode])
            weakLoop = loop
            token = gauge.onChange(of: \.level, on: loop) { _ in }
        }
        #expect(RunLoop.current.run(mode: mode, before: Date()))
        gauge.level = 1
        #expect(weakLoop?.pendingCount == 1)
        token = nil
        // What had woken it.
        turn(mode)
        #expect(weakLoop == nil)
        #expect(!RunLoop.current.run(mode: mode, before: Date()))
        withExtendedLifetime(token) {}
    }

    /// It waits for nothing else.
    @Test func OB_5_DR_10_a_run_loop_returns_when_its_loop_is_ended_by_another_thread() {
        for _ in 0..<100 {
            let thread = TurningThread()
            thread.loop.invalidate()
            thread.waitForEnd()
        }
    }

    @Test func OB_5_TH_3_a_drain_elsewhere_is_refused() {
        let thread = TurningThread()
        let gauge = Gauge()
        let called = Event()
        let token = gauge.onChange(of: \.level, on: thread.loop!) { _ in called.happen() }
        #expect(!token.execute())
        #expect(thread.loop!.drain() == 0)
        gauge.level = 1
        called.wait()
        token.cancel()
        thread.end()
    }

    /// Lets the run loop of this thread do what is there.
    private func turn(_ mode: RunLoop.Mode) {
        for _ in 0..<3 { _ = RunLoop.current.run(mode: mode, before: Date()) }
    }
}
