// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Readings
import Testing

@testable import BoardViews

/// All views are registered before anything is known.
@MainActor @Suite struct ViewsTests {
    let board = Loaded()
    let screen = Screen(repertoire: .unicode, hasColour: false) { _ in }

    init() {
        screen.reset(Screen.Size(columns: 60, rows: 6))
    }

    private func text(_ row: Int) -> String {
        String(screen.wanted[row].compactMap(\.character))
    }

    @Test func theTableFillsByItself() {
        let table = TableView(board.machine, on: screen)
        table.rows = 0..<6
        board.apply(reading(at: 0, process(7, "first", memory: 300), process(8, "second")))
        #expect(text(1).contains("first"))
        #expect(text(2).contains("second"))
        #expect(text(3).allSatisfy { $0 == " " })
        #expect(table.takeDrawn() == 2)
    }

    @Test func aRowFollowsWhicheverProcessIsThere() {
        let table = TableView(board.machine, on: screen)
        table.rows = 0..<6
        board.apply(reading(at: 0, process(7, "first", memory: 300), process(8, "second")))
        board.apply(
            reading(at: 500, process(7, "first", memory: 300), process(8, "second", memory: 900)))
        #expect(text(1).contains("second"))
        #expect(text(2).contains("first"))
        board.apply(reading(at: 1000, process(8, "renamed", memory: 900)))
        #expect(text(1).contains("renamed"))
        #expect(text(2).allSatisfy { $0 == " " })
    }

    @Test func oneIsFollowedWhereverItMoves() {
        let view = FollowedView(board.machine, on: screen)
        view.rows = 0..<1
        view.toggle()
        #expect(text(0).contains("nobody"))
        board.apply(reading(at: 0, process(7, "first", memory: 300), process(8, "second")))
        view.toggle()
        #expect(text(0).contains("first (pid 7)"))
        board.apply(
            reading(at: 500, process(7, "renamed", memory: 300), process(8, "second", memory: 900)))
        #expect(board.ranked == [8, 7])
        #expect(text(0).contains("renamed (pid 7)"))
        board.apply(reading(at: 1000, process(8, "second", memory: 900)))
        #expect(text(0).contains("it has ended"))
        view.toggle()
        #expect(text(0).contains("nobody"))
    }

    @Test func oneProcessIsOneRow() {
        let table = TableView(board.machine, on: screen)
        table.rows = 0..<6
        board.apply(reading(at: 0, process(7, memory: 300), process(8), process(9, memory: 50)))
        _ = table.takeDrawn()
        board.apply(
            reading(
                at: 0, process(7, memory: 300), process(8, state: "R", threads: 9),
                process(9, memory: 50)))
        #expect(table.takeDrawn() == 1)
    }

    @Test func rowsThatAreLetGoObserveNoMore() {
        let table = TableView(board.machine, on: screen)
        table.rows = 0..<6
        board.apply(reading(at: 0, process(7)))
        let ranking = board.machine.ranking
        // Each row by six paths.
        #expect(ObservationInspector(ranking).numberOfObservers(of: "#3") > 0)
        table.rows = 0..<3
        #expect(ObservationInspector(ranking).numberOfObservers(of: "#3") == 0)
        #expect(ObservationInspector(ranking).numberOfObservers(of: "#1") > 0)
        #expect(table.rowCount == 2)
    }

    @Test func manyChangesAreOneHeader() {
        let header = CountedHeader(board.machine, on: screen)
        header.rows = 0..<1
        board.apply(reading(at: 0, process(7)))
        #expect(header.draws == 1)
        #expect(text(0) == "board   a test                       1 processes   load 1.00")
    }

    @Test func oldValuesAreDim() {
        let load = LoadView(board.machine, on: screen)
        load.rows = 0..<1
        board.apply(reading(at: 0))
        #expect(screen.wanted[0][9].style == .plain)
        board.note(.silent)
        #expect(screen.wanted[0][9] == Cell(character: "1", style: .dim))
        board.apply(reading(at: 0))
        #expect(screen.wanted[0][9].style == .plain)
    }

    @Test func theCompanionsLastLines() {
        let view = CompanionView(board.machine, on: screen)
        view.rows = 0..<3
        let companion = Companion(name: "beside", prefix: "c ")
        board.machine.companion = companion
        for line in ["one", "two", "three"] { companion.append(line) }
        DeliveryLoop.main.drain()
        #expect(text(0).hasPrefix("beside"))
        #expect(text(1).hasPrefix("two"))
        #expect(text(2).hasPrefix("three"))
    }

    @Test func plainLines() {
        let written = Written()
        let output = PlainOutput(prefix: "swift  ") { written.text += $0 }
        let views = PlainViews(of: board.machine, on: output)
        board.apply(reading(at: 0, process(7, "a b) c", memory: 1 << 20)))
        output.flush()
        let lines = written.text.split(separator: "\n").map { $0.dropFirst(17) }
        #expect(written.text.hasPrefix("swift    0.0"))
        #expect(
            lines.sorted() == [
                "biggest is sleeping", "biggest uses 1.0 MiB", "biggest: a b) c (pid 7)",
                "load: 1.00 0.50 0.25, 1 of 90 tasks run", "memory: 512.0 MiB of 1.0 GiB available",
                "status: 1 processes, load 1.00, 512.0 MiB available, network 1 KiB in, 2 KiB out",
            ])
        written.text = ""
        var less = reading(at: 0, process(7, "a b) c", memory: 1 << 20))
        less.memory?.available = 1 << 28
        board.apply(less)
        output.flush()
        #expect(written.text.contains("memory: 256.0 MiB of 1.0 GiB available"))
        #expect(written.text.contains("load 1.00, 256.0 MiB available"))
        #expect(written.text.split(separator: "\n").count == 2)
        withExtendedLifetime(views) {}
    }
}

@MainActor private final class CountedHeader: HeaderView {
    var draws = 0

    override func draw() {
        draws += 1
        super.draw()
    }
}
