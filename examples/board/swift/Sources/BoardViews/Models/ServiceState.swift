// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The service that the readings come from, as far as the board knows it.
@MainActor public final class ServiceState: CountedModel, Sendable {
    /// The port on loopback where it is asked; nil: there is none to ask.
    @Observed public var port: UInt16?
    /// Why the board's own service cannot be started, in words.
    @Observed public var obstacle: String?
    /// How the board's own service answers, in a word; nil: the service is another program.
    @Observed public var manner: String?
    /// The words that `manner` can be; none: the service is another program.
    public var manners: [String?] = []
    /// The user stopped it.
    @Observed public var isStopped = false
    /// What the last attempt to get a reading ended with; nil: with a reading.
    @Observed var trouble: Trouble?
    /// How often it was tried since the last reading came.
    @Observed var attempts = 0

    /// Stops the board's own service, or starts it again.
    func toggle() {
        if !manners.isEmpty { isStopped.toggle() }
    }

    /// The next manner of answering.
    func changeManner() {
        guard let place = manners.firstIndex(of: manner) else { return }
        manner = manners[(place + 1) % manners.count]
    }
}
