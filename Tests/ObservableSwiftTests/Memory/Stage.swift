// SPDX-License-Identifier: Apache-2.0

import CObservable

@testable import ObservableSwift

/// A model of a chain, as long as a test needs it.
final class Waypoint: ObservableModel {
    @Observed var next: Waypoint?
    @Observed var other: Waypoint?
    @Observed var number = 0
    @Observed var name: String? = "a"
    @ObservedAtomic var count = 0
    @ObservedWeak var back: Waypoint?

    init(_ number: Int = 0, next: Waypoint? = nil) {
        self.number = number
        super.init()
        self.next = next
    }
}

/// An observer that is no model.
class Onlooker {
    var calls = 0
}

/// One that is told of deaths.
final class Mourner: Onlooker, DeallocationAware {
    func rootDidDeallocate(_: ObservationIdentity, path _: String) {}
}

/// One that is a model.
final class Seer: ObservableModel {
    @Observed var seen = 0
}

/// One whose method is called.
final class Caller {
    unowned let stage: Stage

    init(_ stage: Stage) {
        self.stage = stage
    }

    func called(_ change: ObservedChange<Waypoint, Int>) {
        if change.path == "next.next.number" { stage.called(stage.token) }
    }
}

/// One that cannot be changed.
final class Sealed {
    var waypoint: Waypoint?
}

/// What an attempt works on: made anew for each.
final class Stage {
    let root: Waypoint
    let middle: Waypoint
    let leaf: Waypoint
    let plain = Onlooker()
    let mourner = Mourner()
    let seer = Seer()
    lazy var caller = Caller(self)
    let thing = Sealed()
    var proxy: ObservableProxy<Sealed>?
    let loop = DeliveryLoop()
    /// Kept by each block, so that its end is seen.
    let token = Canary()
    /// What observing has answered.
    var handles: [ObservationHandle] = []
    var tokens: [ObservationToken] = []
    private(set) var calls = 0

    init() {
        leaf = Waypoint(3)
        middle = Waypoint(2, next: leaf)
        root = Waypoint(1, next: middle)
        thing.waypoint = leaf
    }

    /// Counts a call; in every block.
    func called(_ token: Canary) {
        calls += 1
    }

    /// Ends what was observed.
    func stop() {
        for handle in handles { handle.stop() }
        handles = []
        tokens = []
    }

    var unresolvedPaths: [String] {
        handles.flatMap(\.unresolvedPaths) + tokens.flatMap(\.unresolvedPaths)
    }

    /// Everything about it that can be counted from outside.
    var picture: [Int] {
        let counters = ObservationCounters.current
        let waypoints = [root, middle, leaf].flatMap { waypoint in
            ["next", "number", "name", "*"].map(waypoint.numberOfObservers(of:))
        }
        return waypoints + [
            counters.observations, counters.called, counters.dropped, loop.pendingCount, calls,
        ]
    }

    final class Canary {}
}

/// What diagnostics are told, in a process of its own.
final class MemoryReports: Sendable {
    private let told = Shared<[ObservationDiagnostics.Report]>([])

    init() {
        ObservationDiagnostics.setHandler { [told] report in
            told.change { $0.append(report) }
        }
    }

    /// Those since the last look.
    func take() -> [ObservationDiagnostics.Report] {
        var taken: [ObservationDiagnostics.Report] = []
        told.change {
            taken = $0
            $0 = []
        }
        return taken
    }
}
