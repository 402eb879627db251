// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct TextPathTests {
    /// Bad syntax from outside names the byte that cannot stand there.
    @Test(arguments: [
        ("", 0), ("a.", 2), (".a", 0), ("a..b", 2), ("a*", 1), ("a.#", 3), ("a\\", 2), ("@sum", 0),
        ("a.01", 2), ("a.99999999999999999999", 2), ("é..b", 3), ("a.&", 3), ("a#1", 1),
    ])
    func KP_1_bad_syntax_is_thrown(_ text: String, position: Int) {
        let error = #expect(throws: ObservationError.self) { try TextPath(parsing: text) }
        #expect(error?.kind == .syntax)
        #expect(error?.position == position)
        #expect(error?.path == text)
        #expect(error?.message != "")
    }

    @Test(arguments: [
        "a", "a.b.c", "*", "a.*.b", "#0.a", "7", "&18446744073709551615", "count", "\\count",
        "\\a\\.b", "größe.名前", "a.\\@b", " a . b ",
    ])
    func KP_1_good_syntax(_ text: String) throws {
        let path = try TextPath(parsing: text)
        #expect("\(path)" == text)
        #expect(try path == TextPath(parsing: text))
    }

    @Test func KP_1_limits() throws {
        let longest = Array(repeating: "a", count: 255).joined(separator: ".")
        _ = try TextPath(parsing: longest)
        #expect(throws: ObservationError.self) { try TextPath(parsing: longest + ".a") }
        _ = try TextPath(parsing: String(repeating: "a", count: 65_535))
        #expect(throws: ObservationError.self) {
            try TextPath(parsing: String(repeating: "a", count: 65_536))
        }
    }

    /// A literal is the program's own: it stops, and says where.
    @Test func KP_1_bad_syntax_of_a_literal_stops_the_program() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = "name..city" as TextPath
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("\"name..city\" at byte 5"))
    }
}
