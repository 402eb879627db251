// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// Every allocation of the core failing, one after the other, in what binds several properties.

@Suite struct FailingBinderTests {
    @Test func BI_5_FA_2_what_has_begun_ends_with_what_could_not() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            bind(failingAt: 0)
            bind(failingAt: 0)
            let blocks = CoreMemory.blocks
            let failures = CoreMemory.eachFailing { n in
                let failed = bind(failingAt: n)
                #expect(CoreMemory.blocks <= blocks, "\(n)")
                return failed
            }
            // Of each of the two binders.
            #expect(failures > 6)
        }
    }
}

@discardableResult
private func bind(failingAt n: Int) -> Bool {
    let reports = MemoryReports()
    let loop = DeliveryLoop()
    let source = Waypoint(1)
    let target = Waypoint(2)
    func make() -> ObservationToken {
        bind(source, target, properties: [\.number, \.next?.name], on: loop)
    }
    let (binder, failed) = CoreMemory.failing(at: n, make)
    if let failure = binder.failure {
        #expect(failed && failure.kind == .memory && binder.hasEnded)
        #expect(reports.take().map(\.error) == [failure])
        #expect(source.allObservedProperties == [] && target.allObservedProperties == [])
    }
    let second = binder.failure == nil ? binder : make()
    #expect(second.failure == nil && target.number == 1)
    target.number = 3
    while loop.drain() > 0 {}
    #expect(source.number == 3)
    second.cancel()
    #expect(source.allObservedProperties == [] && target.allObservedProperties == [])
    return failed
}
