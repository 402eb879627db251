// SPDX-License-Identifier: Apache-2.0
//
// Loops of executors: of a serial one, of one for tasks, and of one that has stopped.

import ObservableSwift
import Testing

/// Jobs that wait until they are run by hand.
private final class Jobs: Sendable {
    private let waiting = Shared<[UnownedJob]>([])
    private let isRunning = Shared(false)
    /// One has come.
    let came = Event()

    /// Whether this is asked by one of them.
    var areRunning: Bool { isRunning.value }

    func add(_ job: UnownedJob) {
        waiting.change { $0.append(job) }
        came.happen()
    }

    func run(_ run: (UnownedJob) -> Void) {
        var jobs: [UnownedJob] = []
        waiting.change { (jobs, $0) = ($0, []) }
        isRunning.value = true
        jobs.forEach(run)
        isRunning.value = false
    }
}

private final class SerialByHand: SerialExecutor {
    let jobs = Jobs()

    func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job)) }
    func run() { jobs.run { $0.runSynchronously(on: asUnownedSerialExecutor()) } }
}

private final class TasksByHand: TaskExecutor {
    let jobs = Jobs()

    func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job)) }
    func run() { jobs.run { $0.runSynchronously(on: asUnownedTaskExecutor()) } }
}

/// One that nothing in the language runs.
private final class Neither: Executor {
    func enqueue(_ job: consuming ExecutorJob) {}
}

@Suite(.timeLimit(.minutes(1))) struct ExecutorLoopTests {
    @Test func DR_10_a_loop_of_a_serial_executor_runs_there() async {
        let (executor, gauge, calls) = (SerialByHand(), Gauge(), Shared<[Int]>([]))
        let loop = DeliveryLoop(executor: executor)
        let token = gauge.onChange(of: \.level, on: loop) { gauge in
            #expect(executor.jobs.areRunning)
            calls.change { $0.append(gauge.level) }
        }
        gauge.level = 1
        gauge.level = 2
        await executor.jobs.came.come()
        #expect(calls.value.isEmpty)
        executor.run()
        #expect(calls.value == [2])
        token.cancel()
    }

    @Test func DR_10_a_loop_of_a_task_executor_runs_there() async {
        let (executor, gauge, calls) = (TasksByHand(), Gauge(), Shared<[Int]>([]))
        let loop = DeliveryLoop(executor: executor)
        let token = gauge.onChange(of: \.level, on: loop) { gauge in
            #expect(executor.jobs.areRunning)
            // It is the loop's place: a drain there is none elsewhere.
            gauge.title = "\(loop.drain())"
            calls.change { $0.append(gauge.level) }
        }
        gauge.level = 1
        gauge.level = 2
        while calls.value.isEmpty {
            await executor.jobs.came.come()
            executor.run()
        }
        #expect(calls.value == [2])
        #expect(gauge.title == "0")
        token.cancel()
    }

    @Test func DR_10_what_waits_in_a_stopped_executor_is_called_when_it_goes_on() async {
        let (executor, gauge, calls) = (SerialByHand(), Gauge(), Shared<[Int]>([]))
        let loop = DeliveryLoop(executor: executor)
        let token = gauge.onChange(of: \.level, on: loop) { gauge in
            calls.change { $0.append(gauge.level) }
        }
        gauge.level = 1
        await executor.jobs.came.come()
        for level in 2...9 { gauge.level = level }
        #expect(loop.pendingCount == 1)
        executor.run()
        #expect(calls.value == [9])
        #expect(loop.pendingCount == 0)
        token.cancel()
    }

    @Test func DR_10_what_waits_in_a_stopped_executor_is_dropped_and_counted() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let (executor, gauge, calls) = (SerialByHand(), Gauge(), Shared(0))
            let loop = DeliveryLoop(executor: executor)
            let token = gauge.onChange(of: \.level, on: loop) { _ in calls.change { $0 += 1 } }
            gauge.level = 1
            await executor.jobs.came.come()
            #expect(loop.drain() == 0)
            #expect(reports.value.map(\.kind) == [.refused])
            #expect(reports.value.first?.text.contains("the executor SerialByHand") == true)
            let before = ObservationCounters.current.dropped
            #expect(loop.invalidate())
            gauge.level = 2
            #expect(ObservationCounters.current.dropped == before + 2)
            #expect(loop.pendingCount == 0)
            executor.run()
            #expect(calls.value == 0)
            token.cancel()
        }
    }

    @Test func LT_9_a_loop_that_has_gone_lets_go_of_its_executor() async {
        weak var left: SerialByHand?
        do {
            let (executor, gauge) = (SerialByHand(), Gauge())
            left = executor
            let token = gauge.onChange(of: \.level, on: DeliveryLoop(executor: executor)) { _ in }
            #expect(left != nil)
            gauge.level = 1
            await executor.jobs.came.come()
            executor.run()
            token.cancel()
        }
        // The thread that has enqueued the drain may be on its way out of `enqueue` still.
        while left != nil { await Task.yield() }
    }

    @Test func DR_10_an_executor_that_runs_no_code_stops_the_program() async {
        await #expect(processExitsWith: .failure) {
            _ = DeliveryLoop(executor: Neither())
        }
    }
}
