// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// Memory that fails in what is neither observing nor a set.

/// Whether it throws, for want of memory.
private func isShort(_ body: () throws(ObservationError) -> Void) -> Bool {
    do {
        try body()
        return false
    } catch {
        return error.kind == .memory
    }
}

@Suite struct FailingCallsTests {
    @Test func FA_2_what_has_an_answer_says_out_of_memory() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            #expect(ObservingCall.all[0].make(stage) == nil)
            let path: TextPath = "next.name"
            CoreMemory.without {
                #expect(isShort { () throws(ObservationError) in _ = try TextPath(parsing: "a.b") })
                #expect(
                    isShort { () throws(ObservationError) in try path.validate(for: Waypoint.self) }
                )
                #expect(
                    isShort { () throws(ObservationError) in
                        try TextPath(parsing: "name").validate(for: Seer.self)
                    })
                #expect(ObservationIdentity(Seer()) == nil)
                // A literal is looked at again by what takes it.
                let literal: TextPath = "next.name"
                #expect(literal == path)
                #expect(
                    stage.root.tell(stage, when: \.[text: literal], on: .main) { _, _ in }.failure?
                        .kind
                        == .memory)
            }
            stage.stop()
        }
    }

    @Test func FA_2_stopping_by_paths_says_that_it_could_not() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            let reports = MemoryReports()
            let handle = stage.root.tell(stage.plain, when: \.number, on: stage.loop) { _, _ in }
            let every = Waypoint.allInstances.instances(when: \.number).on(stage.loop).tell(
                stage.plain
            ) {
                _, _ in
            }
            let stops: [() -> Void] = [
                { handle.stop(about: "number") },
                { handle.stop(about: \.number, of: stage.root) },
                { handle.stop(about: \.number as TypedPath<Waypoint>) },
                { stage.root.stopTelling(stage.plain, about: \.[text: "number"]) },
                { every.stop(about: "number") },
                { Waypoint.allInstances.stopTelling(stage.plain, about: \.[text: "number"]) },
                { Waypoint.allInstances.stopTelling(stage.plain, about: \.number) },
            ]
            for (index, stop) in stops.enumerated() {
                CoreMemory.without(stop)
                let told = reports.take()
                #expect(told.map(\.kind) == [.refused], "\(index)")
                #expect(told.map { $0.error?.kind } == [.memory], "\(index)")
                #expect(!handle.hasEnded && !every.hasEnded, "\(index)")
            }
            // What looks for no path needs none, nor for one that is known.
            CoreMemory.without {
                stage.root.stopTelling(stage.plain, about: \.number)
                Waypoint.allInstances.stopTelling(stage.plain)
            }
            #expect(handle.hasEnded && every.hasEnded && reports.take().isEmpty)
        }
    }

    @Test func FA_2_ends_need_no_memory() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            for call in ObservingCall.all {
                var stage: Stage? = Stage()
                weak let leaf = stage!.leaf
                #expect(call.make(stage!) == nil)
                CoreMemory.without {
                    stage!.root.number += 1
                    stage!.middle.next = nil
                    stage!.loop.drain()
                    stage!.stop()
                    stage = nil
                }
                #expect(leaf == nil, "\(call.name)")
            }
        }
    }

    @Test func FA_2_a_trigger_that_is_refused_may_be_repeated() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            let reports = MemoryReports()
            let token = stage.root.onChange(of: \.[text: "next.number"], on: stage.loop) { _ in }
            let path: TextPath = "next.number"
            let triggers: [() -> Void] = [
                { stage.root.trigger(\.[text: path], old: 0) },
                { stage.root.trigger(\.next?.number, old: 0) },
            ]
            for trigger in triggers {
                let failures = CoreMemory.eachFailing { n in
                    let failed = CoreMemory.failing(at: n, trigger).failed
                    #expect(stage.loop.drain() == (failed ? 0 : 1))
                    #expect(reports.take().map { $0.error?.kind } == (failed ? [.memory] : []))
                    return failed
                }
                #expect(failures > 0)
            }
            token.cancel()
        }
    }

    @Test func FA_2_a_loop_without_memory_refuses_until_there_is_some() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            let reports = MemoryReports()
            let failures = CoreMemory.eachFailing { n in
                let woken = Shared(0)
                let (loop, failed) = CoreMemory.failing(at: n, andFurther: true) {
                    let loop = DeliveryLoop { woken.change { $0 += 1 } }
                    #expect(loop.drain() == 0 && loop.pendingCount == 0 && !loop.isReady)
                    let token = stage.root.onChange(of: \.[text: "number"], on: loop) { _ in }
                    #expect(token.failure?.kind == .memory)
                    return loop
                }
                #expect(reports.take().count == 1)
                let token = stage.root.onChange(of: \.[text: "number"], on: loop) { _ in }
                #expect(token.failure == nil)
                stage.root.number += 1
                #expect(woken.value == 1 && loop.drain() == 1)
                // Never needed, and ended.
                weak var gone: DeliveryLoop?
                CoreMemory.without {
                    let other = DeliveryLoop()
                    gone = other
                    #expect(other.invalidate())
                }
                #expect(gone == nil)
                return failed && n < 3
            }
            #expect(failures == 2)
        }
    }

    @Test func FA_2_a_class_that_is_new_is_refused_and_made_later() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            #expect(makeLater(Int.self, failingAt: 1) > 3)
        }
    }

    @Test func FA_2_an_observer_of_a_class_that_is_new_is_told_of_deaths() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let stage = Stage()
            let observer = Widow()
            var observed = 0
            let path: TextPath = "number"
            let failures = CoreMemory.eachFailing { n in
                let root = Waypoint()
                let (handle, failed) = CoreMemory.failing(at: n) {
                    root.tell(observer, when: \.[text: path], on: stage.loop) { _, _ in }
                }
                // Its class may have been made at a second look.
                if let failure = handle.failure {
                    #expect(failed && failure.kind == .memory, "\(n)")
                } else {
                    observed += 1
                }
                return failed
            }
            #expect(failures > 3)
            stage.loop.drain()
            #expect(observer.notices == observed)
        }
    }
}

private final class Fresh<Mark>: ObservableModel {
    @Observed var mark: Mark?
    @Observed var length = 0
}

private final class FreshHost<Mark>: ObservableHost {
    let observation = ObservationHeader()
    @Observed var mark: Mark?
    @Observed var length = 0
}

private final class Shut<Mark> {
    var mark: Mark?
    var length = 0
}

private final class Widow: ObservableModel, DeallocationAware {
    @Observed var seen = 0
    nonisolated(unsafe) var notices = 0
    func rootDidDeallocate(_: ObservationIdentity, path _: String) { notices += 1 }
}

/// Observes an object, a host, a class and a proxy, each of a class of its own for each attempt,
/// which it makes. Answers how many were refused.
private func makeLater<Mark>(_ mark: Mark.Type, failingAt n: Int) -> Int {
    let loop = DeliveryLoop()
    let object = Fresh<Mark>()
    let host = FreshHost<Mark>()
    let shut = Shut<Mark>()
    let proxy = ObservableProxy.of(shut)
    let length: TextPath = "length"
    func observe() -> [ObservationToken] {
        [
            object.onChange(of: \.[text: length], on: loop) { _ in },
            host.onChange(of: \.length, on: loop) { _ in },
            FreshHost<Mark?>.allInstances.instances(when: \.[text: length]).on(loop).onChange { _ in
            },
            proxy.onChange(of: \.length, on: loop) { _ in },
        ]
    }
    var (tokens, failed) = CoreMemory.failing(at: n, observe)
    let refused = tokens.compactMap(\.failure)
    // Where a hash table of names could not grow, nothing is refused.
    #expect(refused.allSatisfy { $0.kind == .memory } && refused.count <= (failed ? 1 : 0), "\(n)")
    tokens = observe()
    #expect(tokens.allSatisfy { $0.failure == nil }, "\(n)")
    #expect(tokens.map(\.unresolvedPaths) == [[], [], [], []], "\(n)")
    object.length = 1
    host.length = 1
    FreshHost<Mark?>().length = 1
    proxy.didChange(\.length)
    #expect(loop.drain() == 4, "\(n)")
    if !failed || n > 200 { return n - 1 }
    return makeLater(Fresh<Mark>.self, failingAt: n + 1)
}
