// SPDX-License-Identifier: Apache-2.0
//
// Models that are told of being observed: without an isolation, of the main actor, of any thread,
// actors.

import ObservableSwift

class Photo: ObservableModel, ObservationAware {
    @Observed var image: String?
    private var isLoading = false

    func didBecomeObserved(_ property: String) {
        isLoading = property == "image"
        image = isLoading ? "loaded" : nil
    }

    func didBecomeUnobserved(_ property: String) {
        isLoading = false
    }
}

final class Portrait: Photo {
    override func didBecomeObserved(_ property: String) {
        super.didBecomeObserved(property)
    }
}

@MainActor final class Page: ObservableModel, ObservationAware, Sendable {
    @Observed var text = ""

    nonisolated override init() {
        super.init()
    }

    nonisolated func didBecomeObserved(_ property: String) {
        MainActor.assumeIsolated { text = "observed" }
    }

    nonisolated func didBecomeUnobserved(_ property: String) {
        Task { @MainActor in text = "" }
    }
}

final class Progress: ObservableHost, ObservationAware, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var fraction = 0.0

    func didBecomeObserved(_ property: String) {
        fraction = 1
    }

    func didBecomeUnobserved(_ property: String) {}
}

actor Account: ObservationAware {
    nonisolated let observation = ObservationHeader()
    @Observed private(set) var balance = 0

    nonisolated func didBecomeObserved(_ property: String) {
        Task { await refresh() }
    }

    nonisolated func didBecomeUnobserved(_ property: String) {}

    private func refresh() {
        balance += 1
    }
}

nonisolated func isTold(_ model: any ObservableHost) -> Bool {
    model is any ObservationAware
}
