// SPDX-License-Identifier: Apache-2.0

import Readings

/// Where readings come from: this machine, or a recording of one.
public protocol ReadingSource: Sendable {
    /// As the board's first line says it, for instance `/proc, this machine`.
    var title: String { get }

    /// The machine at this moment, or the recording's next one. Called from anywhere; never
    /// isolated, so that reading files holds up no actor.
    func read() async throws -> Reading
}
