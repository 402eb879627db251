// SPDX-License-Identifier: Apache-2.0
//
// The calls come on whatever thread begins or ends an observation, so a model that an actor isolates
// takes them outside of its isolation.

import ObservableSwift

@MainActor final class Page: ObservableModel, ObservationAware {
    @Observed var text = ""

    func didBecomeObserved(_ property: String) {
        // expect: main actor-isolated property 'text' can not be mutated from a nonisolated context
        text = "observed"
    }

    func didBecomeUnobserved(_ property: String) {}
}

// expect: cannot form main actor-isolated conformance of 'Sheet'
@MainActor final class Sheet: ObservableModel, @MainActor ObservationAware {
    func didBecomeObserved(_ property: String) {}
    func didBecomeUnobserved(_ property: String) {}
}
