// SPDX-License-Identifier: Apache-2.0
//
// What each program of this folder does, whatever turns its main loop: a thread changes a model;
// the main loop is told and changes another model; it is told of that too, and lets the thread go
// on. Each change waits for the one before, so every one of them has to wake the loop.

import Dispatch
import Foundation
import ObservableSwift

final class Gauge: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
}

@MainActor final class Page: ObservableModel, Sendable {
    @Observed var number = 0
}

@MainActor final class Work {
    nonisolated static let rounds = 100

    private let gauge = Gauge()
    private let page = Page()
    private let mayGoOn = DispatchSemaphore(value: 0)
    private let finish: () -> Void
    private var token: ObservationToken?
    /// Begun on the main queue, whatever thread it is on by then.
    private var late: ObservationToken?
    private var levels: [Int] = []
    private var numbers: [Int] = []
    private var lastLevel = 0

    init(finish: @escaping () -> Void) {
        self.finish = finish
    }

    func begin() {
        gauge.tell(self, when: \.level) { work, gauge in
            MainActor.preconditionIsolated()
            work.levels.append(gauge.level)
            work.late = work.late ?? work.observeWithoutIsolation { _ in }
            work.page.number = gauge.level
        }
        page.tell(self, when: \.[text: "number"]) { work, page in
            work.numbers.append(page.number)
            work.goOn()
        }
        token = observeWithoutIsolation { [self] level in
            lastLevel = level
            endIfDone()
        }
        Thread.detachNewThread { [gauge, mayGoOn] in
            // The file says it: it belongs to no loop.
            ObservationDiagnostics.setHandler { _ in }
            let token = gauge.onChange(of: \.level) { _ in }
            ObservationDiagnostics.setHandler(nil)
            print("refused off the main loop: \(token.failure?.kind == .isolation)")
            for level in 1...Work.rounds {
                gauge.level = level
                mayGoOn.wait()
            }
        }
    }

    /// The thread may go on before this is told: it may be told once of several changes.
    nonisolated private func observeWithoutIsolation(
        _ told: @escaping @MainActor (Int) -> Void
    ) -> ObservationToken {
        gauge.onChange(of: \.level) { gauge in
            dispatchPrecondition(condition: .onQueue(.main))
            MainActor.assumeIsolated { told(gauge.level) }
        }
    }

    private func goOn() {
        mayGoOn.signal()
        endIfDone()
    }

    private func endIfDone() {
        guard numbers.count == Work.rounds, lastLevel == Work.rounds else { return }
        let all = Array(1...Work.rounds)
        print("told of a thread's changes: \(levels == all)")
        print("told of the main loop's changes: \(numbers == all)")
        print("told without an isolation: \(lastLevel)")
        print("begun on the main queue: \(late?.failure == nil)")
        token = nil
        gauge.stopTelling(self)
        page.stopTelling(self)
        finish()
    }
}
