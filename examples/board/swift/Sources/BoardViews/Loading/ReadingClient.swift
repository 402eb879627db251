// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

/// Asks the service for readings, over HTTP on loopback.
struct ReadingClient: Sendable {
    /// For the whole answer. The next attempt is due after a second.
    var patience = Duration.milliseconds(900)

    func read(port: UInt16) async throws(Trouble) -> Reading {
        let answer = try await Request(port: port).answer(within: patience)
        guard answer.status == 200 else { throw .status(answer.status) }
        return try Self.decode(answer.body)
    }

    /// JSON that breaks off is told from what is no reading at all: an object is still open.
    static func decode(_ body: Data) throws(Trouble) -> Reading {
        do {
            return try JSONDecoder().decode(Reading.self, from: body)
        } catch {
            let opened = body.count { $0 == UInt8(ascii: "{") }
            let closed = body.count { $0 == UInt8(ascii: "}") }
            let breaksOff = body.first == UInt8(ascii: "{") && opened > closed
            throw body.isEmpty || breaksOff ? .cut : .nonsense
        }
    }
}
