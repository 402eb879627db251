// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// Counts the deinits of what carries it.
final class Probe: Sendable {
    private let died: Shared<Int>

    init(_ died: Shared<Int>) {
        self.died = died
    }

    /// Keeps it in the closure that calls this.
    func stay() {}

    deinit {
        died.change { $0 += 1 }
    }
}

/// An observer that is no model.
final class PlainObserver {
    var seen: [Int] = []
    var atEnd: (() -> Void)?

    deinit {
        atEnd?()
    }
}

/// A model with children, for paths such as `next.next.count`.
final class Link: ObservableModel {
    @Observed var count = 0
    @Observed var next: Link?
    @ObservedWeak var weakNext: Link?
    var atEnd: ((Link) -> Void)?

    init(_ count: Int = 0, next: Link? = nil) {
        super.init()
        self.count = count
        self.next = next
    }

    deinit {
        atEnd?(self)
    }
}

/// A model of any thread.
final class Gauge: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
    @ObservedAtomic var title = ""
}
