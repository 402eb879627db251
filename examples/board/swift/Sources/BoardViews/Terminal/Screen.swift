// SPDX-License-Identifier: Apache-2.0

/// What stands on the terminal, and what shall. Views write lines; `flush` writes the cells that
/// differ, all in one go.
@MainActor final class Screen {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    let repertoire: Repertoire
    private let hasColour: Bool
    private let write: @MainActor (String) -> Void
    private(set) var size = Size(columns: 0, rows: 0)
    private var shown: [[Cell]] = []
    private(set) var wanted: [[Cell]] = []
    private var touched: Set<Int> = []
    private var isCleared = false
    /// Called when something was drawn that is to be flushed.
    var onDraw: (() -> Void)?
    /// Cells that the last flush that wrote any has written.
    private(set) var cellsWritten = 0

    init(
        repertoire: Repertoire, hasColour: Bool, write: @escaping @MainActor (String) -> Void
    ) {
        self.repertoire = repertoire
        self.hasColour = hasColour
        self.write = write
    }

    /// Everything is to be drawn anew: another size, or something else stood there.
    func reset(_ size: Size) {
        self.size = size
        let blank = Array(repeating: Cell.blank, count: size.columns)
        shown = Array(repeating: blank, count: size.rows)
        wanted = shown
        touched = []
        isCleared = true
    }

    /// A line for a view to write into.
    var line: Line { Line(width: size.columns, repertoire: repertoire) }

    /// Sets a row; nothing if it is outside.
    func draw(_ line: Line, at row: Int) {
        guard wanted.indices.contains(row), line.width == size.columns else { return }
        wanted[row] = line.cells
        touched.insert(row)
        onDraw?()
    }

    func flush() {
        guard isCleared || !touched.isEmpty else { return }
        var output = isCleared ? Style.plain.sequence(withColour: false) + "\u{1b}[2J" : ""
        isCleared = false
        cellsWritten = 0
        var style = Style.plain
        for row in touched.sorted() where wanted[row] != shown[row] {
            appendDifference(at: row, to: &output, &style)
            shown[row] = wanted[row]
        }
        touched = []
        if style != .plain { output += Style.plain.sequence(withColour: hasColour) }
        if !output.isEmpty { write(output) }
    }

    private func appendDifference(at row: Int, to output: inout String, _ style: inout Style) {
        let old = shown[row]
        let new = wanted[row]
        var cursor = -1
        for column in new.indices where new[column] != old[column] {
            // The second cell of a wide one comes with the first.
            guard let character = new[column].character else { continue }
            let isWide = column + 1 < new.count && new[column + 1].character == nil
            if cursor != column { output += "\u{1b}[\(row + 1);\(column + 1)H" }
            if new[column].style != style {
                style = new[column].style
                output += style.sequence(withColour: hasColour)
            }
            output.append(character)
            cursor = column + (isWide ? 2 : 1)
            cellsWritten += isWide ? 2 : 1
        }
    }
}
