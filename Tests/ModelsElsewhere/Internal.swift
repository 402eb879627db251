// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A model that other modules cannot name; they observe it by text.
final class Ledger: ObservableModel {
    @Observed var total = 0
    @Observed var keeper: Person?
}

/// The same from outside, through what this module shows of it.
public struct LedgerBook {
    private let ledger = Ledger()

    public init() {}

    public var model: ObservableModel { ledger }

    public func add(_ amount: Int) {
        ledger.total += amount
    }

    public func setKeeper(_ keeper: Person?) {
        ledger.keeper = keeper
    }

    /// Observed here, by typed paths.
    public func tell(
        _ observer: AnyObject, on loop: DeliveryLoop, changes: @escaping () -> Void
    ) -> ObservationHandle {
        ledger.tell(observer, when: \.total, \.keeper?.name, on: loop) { _, _ in changes() }
    }
}
