// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BoardViews

@MainActor @Suite struct ScreenTests {
    private let terminal = Written()
    private let screen: Screen

    init() {
        let terminal = terminal
        screen = Screen(repertoire: .unicode, hasColour: true) { terminal.text += $0 }
        screen.reset(Screen.Size(columns: 10, rows: 3))
        screen.flush()
        terminal.text = ""
    }

    private func draw(_ text: String, at row: Int, _ style: Style = .plain) {
        var line = screen.line
        line.put(text, in: 0..<line.width, .left, style)
        screen.draw(line, at: row)
    }

    /// What one flush writes.
    private func flushed() -> String {
        terminal.text = ""
        screen.flush()
        return terminal.text
    }

    @Test func onlyWhatDiffersIsWritten() {
        draw("load 1.25", at: 1)
        #expect(flushed() == "\u{1b}[2;1Hload\u{1b}[2;6H1.25")
        draw("load 1.27", at: 1)
        #expect(flushed() == "\u{1b}[2;9H7")
        #expect(screen.cellsWritten == 1)
    }

    @Test func theSameAgainIsNothing() {
        draw("load", at: 0)
        #expect(flushed() != "")
        draw("other", at: 0)
        draw("load", at: 0)
        #expect(flushed() == "")
    }

    @Test func aStyleIsSetAndTakenBack() {
        draw("hot", at: 0, .colour(.red))
        #expect(flushed() == "\u{1b}[1;1H\u{1b}[0;31mhot\u{1b}[0m")
        draw("hot", at: 0)
        #expect(flushed() == "\u{1b}[1;1Hhot")
    }

    @Test func wideCharactersAreWrittenWhole() {
        draw("日本", at: 0)
        #expect(flushed() == "\u{1b}[1;1H日本")
        draw("日x", at: 0)
        #expect(flushed() == "\u{1b}[1;3Hx ")
        draw("ab", at: 0)
        #expect(flushed() == "\u{1b}[1;1Hab ")
        draw("a日", at: 0)
        #expect(flushed() == "\u{1b}[1;2H日")
    }

    @Test func anotherSizeIsDrawnAnew() {
        draw("load", at: 2)
        screen.flush()
        screen.reset(Screen.Size(columns: 2, rows: 1))
        draw("load", at: 0)
        draw("load", at: 2)
        #expect(flushed() == "\u{1b}[0m\u{1b}[2J\u{1b}[1;1Hl…")
    }

    @Test func aLineOfAnotherWidthIsNotDrawn() {
        let old = screen.line
        screen.reset(Screen.Size(columns: 2, rows: 1))
        screen.flush()
        screen.draw(old, at: 0)
        #expect(flushed() == "")
    }

    @Test func withoutColours() {
        let screen = Screen(repertoire: .ascii, hasColour: false) { [terminal] in
            terminal.text += $0
        }
        screen.reset(Screen.Size(columns: 3, rows: 1))
        screen.flush()
        terminal.text = ""
        var line = screen.line
        line.put("hot", in: 0..<3, .left, .colour(.red, bold: true))
        screen.draw(line, at: 0)
        screen.flush()
        #expect(terminal.text == "\u{1b}[1;1H\u{1b}[0;1mhot\u{1b}[0m")
    }
}

@MainActor final class Written: Sendable {
    var text = ""
}
