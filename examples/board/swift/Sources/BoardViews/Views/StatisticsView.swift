// SPDX-License-Identifier: Apache-2.0

/// What the library did so far. Drawn after each drain, and no observer: it would count itself.
final class StatisticsView: ScreenView {
    var statistics: Statistics?
    var rowsDrawn = 0
    var rowCount = 0
    var cellsWritten = 0

    override func draw() {
        guard let statistics else { return }
        let tally = statistics.tally
        let parts = [
            ("\(tally.sets) sets", 1),
            ("\(tally.changes) changes", 3),
            ("\(statistics.called + statistics.immediate) blocks", 2),
            ("coalescing \(decimals(statistics.ratio, 2))", 0),
            ("slowest drain \(statistics.slowestMicroseconds) us", 4),
            ("redrew \(rowsDrawn) of \(rowCount) rows", 5),
            ("\(cellsWritten) cells", 6),
        ]
        var line = screen.line
        line.put(parts.map { Part(text: $0.0, style: .dim, rank: $0.1) }, in: columns)
        draw(line)
    }
}
