// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BoardViews

@Suite struct LineTests {
    private func line(_ width: Int, _ repertoire: Repertoire = .unicode) -> Line {
        Line(width: width, repertoire: repertoire)
    }

    @Test(arguments: [(6, "name  "), (4, "name"), (3, "na…"), (1, "…"), (0, "")])
    func whatDoesNotFitIsCut(width: Int, expected: String) {
        var line = line(width)
        line.put("name", in: 0..<width)
        #expect(line.text == expected)
    }

    @Test func atTheRight() {
        var line = line(8)
        line.put("name", in: 2..<8, .right)
        #expect(line.text == "    name")
    }

    @Test func outsideIsNothing() {
        var line = line(4)
        line.put("name", in: 6..<9)
        line.put("ab", in: 3..<9)
        #expect(line.text == "   …")
    }

    /// The second cell of a wide character stays with it, also where it is cut.
    @Test(arguments: [(6, "日本語"), (5, "日本…"), (4, "日… "), (2, "… ")])
    func wideCharacters(width: Int, expected: String) {
        var line = line(width)
        line.put("日本語", in: 0..<width)
        #expect(line.text == expected)
        #expect(line.width == width)
    }

    @Test(
        arguments: [
            ("e\u{301}", 1), ("あ", 2), ("한", 2), ("🍎", 2), ("ﾊ", 1), ("Ａ", 2), ("ß", 1),
        ] as [(Character, Int)])
    func widths(character: Character, expected: Int) {
        #expect(character.cellWidth == expected)
    }

    /// Controls, marks of direction, marks alone, joined pictures, what is not assigned.
    @Test(arguments: [
        "\u{1b}", "\u{9b}", "\u{202e}", "\u{301}", "👩‍💻", "\u{2028}", "\u{378}", "❤️",
    ])
    func whatIsUncertainIsAQuestionMark(text: String) {
        #expect(Repertoire.unicode.cells(of: text).map(\.character) == ["?"])
    }

    @Test func asciiOnly() {
        var line = line(8, .ascii)
        line.put("naïve 日本", in: 0..<8)
        #expect(line.text == "na?ve ??")
        line.put("naïve 日本語", in: 0..<8)
        #expect(line.text == "na?ve ?~")
    }

    @Test(arguments: [
        (0.0, "····"), (1.0, "████"), (0.5, "██··"), (0.53125, "██▏·"), (7, "████"), (.nan, "····"),
    ])
    func bars(share: Double, expected: String) {
        var line = line(4)
        line.put(bar: share, in: 0..<4, .plain, showsRest: true)
        #expect(line.text == expected)
    }

    @Test(arguments: [
        (40, "board   a machine              11   free"), (21, "board   a machi…   11"),
        (17, "board          11"),
    ])
    func partsGiveWay(width: Int, expected: String) {
        var line = line(width)
        line.put(parts, in: 0..<width)
        #expect(line.text == expected)
    }

    private var parts: [Part] {
        [
            Part(text: "board"), Part(text: "a machine", rank: 2, isElastic: true),
            Part(text: "11", rank: 1, isTrailing: true),
            Part(text: "free", rank: 3, isTrailing: true),
        ]
    }

    @Test func theLastPartIsCut() {
        var line = line(4)
        line.put(parts, in: 0..<4)
        #expect(line.text == "boa…")
    }
}

extension Line {
    var text: String { String(cells.compactMap(\.character)) }
}
