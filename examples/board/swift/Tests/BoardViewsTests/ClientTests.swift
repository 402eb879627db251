// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import BoardViews

@Suite struct ClientTests {
    @Test func aReading() throws {
        let sent = reading(at: 5, process(7, "日本"))
        #expect(try ReadingClient.decode(JSONEncoder().encode(sent)) == sent)
    }

    @Test func cutAnywhereIsCut() throws {
        let whole = try JSONEncoder().encode(reading(at: 5, process(7)))
        for length in 0..<whole.count {
            #expect(throws: Trouble.cut) { try ReadingClient.decode(whole.prefix(length)) }
        }
    }

    @Test(arguments: [
        #"{"weather":"fine"}"#, "<html></html>", "[1]", "{weather: fine}", "null", "\u{0}",
    ])
    func nonsense(text: String) {
        #expect(throws: Trouble.nonsense) { try ReadingClient.decode(Data(text.utf8)) }
    }
}
