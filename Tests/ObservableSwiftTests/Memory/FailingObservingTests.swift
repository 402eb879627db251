// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// Every allocation of the core failing, one after the other, in what begins to observe.

@Suite struct FailingObservingTests {
    @Test func FA_2_observing_in_each_form_survives_each_failing_allocation() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            var failures = 0
            for call in ObservingCall.all {
                // What is made once stays: names, classes, what components are.
                observe(call, failingAt: 0)
                observe(call, failingAt: 0)
                let blocks = CoreMemory.blocks
                failures += CoreMemory.eachFailing { n in
                    let failed = observe(call, failingAt: n)
                    #expect(CoreMemory.blocks <= blocks, "\(call.name), \(n)")
                    return failed
                }
            }
            #expect(failures > 3 * ObservingCall.all.count)
        }
    }
}

/// One attempt: what is refused leaves all as it was, and says so; then it works.
@discardableResult
private func observe(_ call: ObservingCall, failingAt n: Int) -> Bool {
    weak var block: Stage.Canary?
    weak var root: Waypoint?
    let failed: Bool
    do {
        let stage = Stage()
        (block, root) = (stage.token, stage.root)
        let reports = MemoryReports()
        let references = _getRetainCount(stage.token)
        let before = stage.picture
        let failure: ObservationError?
        (failure, failed) = CoreMemory.failing(at: n) { call.make(stage) }
        if let failure {
            #expect(failed && failure.kind == .memory, "\(call.name), \(n): \(failure)")
            let told = reports.take()
            #expect(told.allSatisfy { $0.kind == .refused && $0.error == failure })
            stage.handles = []
            stage.tokens = []
            #expect(stage.picture == before, "\(call.name), \(n)")
            #expect(_getRetainCount(stage.token) == references, "\(call.name), \(n)")
            #expect(call.make(stage) == nil)
        }
        #expect(reports.take().isEmpty)
        stage.leaf.number += 1
        stage.proxy?.didChange(\.waypoint)
        stage.loop.drain()
        #expect(stage.calls == 1, "\(call.name), \(n)")
        stage.stop()
        stage.leaf.number += 1
        stage.loop.drain()
        #expect(stage.calls == 1)
    }
    #expect(block == nil && root == nil, "\(call.name), \(n)")
    return failed
}
