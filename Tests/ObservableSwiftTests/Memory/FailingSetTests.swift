// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// A set stores whatever fails; what could not be followed is listed, told once, and heals.

@Suite struct FailingSetTests {
    @Test func FA_1_a_set_is_told_whichever_allocation_fails() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            for call in ObservingCall.all {
                CoreMemory.eachFailing { n in
                    setEnd(of: call, failingAt: n)
                }
                _ = setEnd(of: call, failingAt: 1, andFurther: true)
            }
        }
    }

    @Test func FA_1_a_path_heals_whichever_allocation_fails() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            var wasShort = 0
            for call in ObservingCall.ofPaths {
                // Components have learned where they are.
                _ = replaceMiddle(of: call, failingAt: 0)
                CoreMemory.eachFailing { n in
                    let (failed, isShort) = replaceMiddle(of: call, failingAt: n)
                    wasShort += isShort ? 1 : 0
                    if failed {
                        _ = replaceMiddle(of: call, failingAt: n, andFurther: true)
                    }
                    return failed
                }
            }
            #expect(wasShort > ObservingCall.ofPaths.count)
        }
    }

    @Test func FA_1_without_memory_a_record_says_how_much_it_is_missing() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            var records: [(entries: Int, missing: Int)] = []
            let token = stage.root.record(of: \.[text: "next.*"]).on(stage.loop).onChange {
                record in
                records.append((record.entries.count, record.missing))
            }
            CoreMemory.without {
                stage.middle.number = 7
                stage.middle.name = "b"
            }
            #expect(stage.middle.number == 7 && stage.middle.name == "b")
            stage.middle.count = 5
            #expect(stage.loop.drain() == 1)
            stage.middle.number = 8
            #expect(stage.loop.drain() == 1)
            #expect(records.map(\.entries) == [1, 1] && records.map(\.missing) == [2, 0])
            token.cancel()
        }
    }

    @Test func FA_1_DR_11_a_batch_and_its_delivery_need_no_memory() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            #expect(ObservingCall.all[0].make(stage) == nil)
            let calls = CoreMemory.without {
                withObservationBatch {
                    stage.leaf.number = 7
                    stage.leaf.number = 8
                    stage.handles[0].schedule()
                }
                return stage.loop.drain() + (stage.handles[0].execute() ? 1 : 0)
            }
            #expect(calls == 2 && stage.calls == 2 && stage.leaf.number == 8)
        }
    }

    @Test func FA_1_OS_3_a_change_that_could_not_be_followed_comes_once_for_no_instance() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            var changed: [Waypoint?] = []
            let token = Waypoint.allInstances.instances(when: \.[text: "number"]).on(stage.loop)
                .onChange {
                    changed.append($0)
                }
            let failures = CoreMemory.eachFailing { n in
                let fresh = Waypoint()
                changed = []
                let failed = CoreMemory.failing(at: n) { fresh.number = 1 }.failed
                #expect(fresh.number == 1)
                #expect(stage.loop.drain() == 1)
                #expect(changed.count == 1 && (changed[0] === fresh) == !failed, "\(n)")
                // Followed from the next change on.
                fresh.number = 2
                #expect(stage.loop.drain() == 1)
                #expect(changed.count == 2 && changed[1] === fresh)
                return failed
            }
            #expect(failures > 0)
            token.cancel()
        }
    }

    @Test func FA_1_an_object_of_a_class_that_is_new_is_followed_later() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            #expect(followLater(Int.self, failingAt: 1, MemoryReports()))
            #expect(followLater(Bool.self, failingAt: 1, MemoryReports(), from: nil))
        }
    }
}

/// What holds an object of any class below a class.
private class Rod: ObservableModel {
    @Observed var length = 0
}

private final class Hub: ObservableModel {
    @Observed var spoke: Rod?
}

private final class Spoke<Mark>: Rod {
    @Observed var mark: Mark?
}

/// An attempt with a class of its own: it is made with its first object. Answers whether attempts
/// have come to an end.
private func followLater<Mark>(_ mark: Mark.Type, failingAt n: Int, _ reports: MemoryReports)
    -> Bool
{
    followLater(mark, failingAt: n, reports, from: Spoke<Never>())
}

/// The same from an object whose class is known, or from nil.
private func followLater<Mark>(
    _ mark: Mark.Type, failingAt n: Int, _ reports: MemoryReports, from old: Rod?
) -> Bool {
    let root = Hub()
    let spoke = Spoke<Mark>()
    let loop = DeliveryLoop()
    root.spoke = old
    let token = root.onChange(of: \.[text: "spoke.length"], on: loop) { _ in }
    let failed = CoreMemory.failing(at: n, andFurther: true) { root.spoke = spoke }.failed
    #expect(root.spoke === spoke)
    #expect(loop.drain() == (failed || old == nil ? 1 : 0), "\(n)")
    #expect(token.unresolvedPaths == (failed ? ["spoke.length"] : []), "\(n)")
    #expect(reports.take().map(\.kind) == (failed ? [.memory] : []), "\(n)")
    root.spoke = old
    root.spoke = spoke
    #expect(token.unresolvedPaths.isEmpty)
    loop.drain()
    spoke.length = 7
    #expect(loop.drain() == 1, "\(n)")
    token.cancel()
    if !failed { return n > 3 }
    return n < 100 && followLater(Spoke<Mark>.self, failingAt: n + 1, reports, from: old)
}

/// A set of an end with an allocation failing: it stores and is told.
private func setEnd(
    of call: ObservingCall, failingAt n: Int, andFurther all: Bool = false
) -> Bool {
    let stage = Stage()
    #expect(call.make(stage) == nil)
    let before = stage.calls
    let failed = CoreMemory.failing(at: n, andFurther: all) {
        stage.leaf.number = 7
        stage.proxy?.didChange(\.waypoint)
    }.failed
    #expect(stage.leaf.number == 7)
    stage.loop.drain()
    #expect(stage.calls == before + 1, "\(call.name), \(n)")
    stage.stop()
    return failed
}

/// The same of the middle of a path.
private func replaceMiddle(
    of call: ObservingCall, failingAt n: Int, andFurther all: Bool = false
) -> (failed: Bool, isShort: Bool) {
    let stage = Stage()
    let reports = MemoryReports()
    let fresh = Waypoint(20, next: Waypoint(30))
    #expect(call.make(stage) == nil)
    let failed = CoreMemory.failing(at: n, andFurther: all) { stage.root.next = fresh }.failed
    #expect(stage.root.next === fresh)
    stage.loop.drain()
    #expect(stage.calls == 1, "\(call.name), \(n)")
    #expect(stage.leaf.numberOfObservers(of: "number") == 0)
    let isShort = !stage.unresolvedPaths.isEmpty
    #expect(failed || !isShort)
    let told = reports.take()
    #expect(told.isEmpty != isShort, "\(call.name), \(n)")
    #expect(told.allSatisfy { $0.kind == .memory })
    #expect(Set(told.map(\.path)).count == told.count, "\(call.name), \(n)")
    if !isShort {
        #expect(fresh.next!.numberOfObservers(of: "number") > 0)
    }
    // The next change above.
    stage.root.next = stage.middle
    stage.loop.drain()
    #expect(stage.unresolvedPaths.isEmpty)
    let calls = stage.calls
    stage.leaf.number = 7
    stage.loop.drain()
    #expect(stage.calls == calls + 1, "\(call.name), \(n)")
    stage.stop()
    return (failed, isShort)
}
