// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A program that runs beside the board, and what it said.
@MainActor public final class Companion: CountedModel, Sendable {
    let name: String
    /// What its lines begin with where they stand among others.
    public let prefix: String
    /// Its last lines, the newest at the end.
    @Observed private(set) var lines: [String] = []

    /// How many there were in all.
    private(set) var count = 0

    static let kept = 256

    public init(name: String, prefix: String) {
        self.name = name
        self.prefix = prefix
    }

    /// A mutation in place: costs what it costs on a plain array.
    func append(_ line: String) {
        count += 1
        lines.append(line)
        if lines.count > Self.kept { lines.removeFirst() }
    }
}
