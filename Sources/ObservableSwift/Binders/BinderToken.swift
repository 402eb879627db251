// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The token of `bind` and `assign`. A `bind` of several properties has one of the core's binders
/// for each property.
final class BinderToken: ObservationToken, @unchecked Sendable {
    /// The core's binders; empty once the token was refused or cancelled.
    private let binders: Locked<[OpaquePointer]>

    /// - Parameters:
    ///   - configuration: for diagnostics.
    ///   - plans: makes the plans of the binders. No binder begins if a plan is refused.
    init(
        _ configuration: ObservationConfiguration,
        _ plans: () throws(ObservationError) -> [BinderPlan]
    ) {
        do throws(ObservationError) {
            binders = Locked(try Self.begin(try plans()))
            super.init(failure: nil)
        } catch {
            binders = Locked([])
            super.init(failure: error)
            ObservationDiagnostics.tellRefused(error, of: configuration)
        }
    }

    private static func begin(
        _ plans: [BinderPlan]
    ) throws(ObservationError) -> [OpaquePointer] {
        if plans.count > 1 {
            for plan in plans { try plan.check() }
        }
        var begun: [OpaquePointer] = []
        do throws(ObservationError) {
            for plan in plans { begun.append(try plan.begin()) }
        } catch {
            begun.forEach(obv_unbind)
            throw error
        }
        return begun
    }

    deinit {
        end()
    }

    override var hasEnded: Bool {
        binders.withLock { $0.allSatisfy(obv_binder_has_ended) }
    }

    override func end() {
        let ended = binders.withLock { binders in
            defer { binders = [] }
            return binders
        }
        ended.forEach(obv_unbind)
    }

    override func cancelAndWait() -> Bool {
        end()
        return false
    }
}
