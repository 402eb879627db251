// SPDX-License-Identifier: Apache-2.0

/// One place on the screen. A wide character has two: the second has none of its own.
struct Cell: Equatable {
    var character: Character?
    var style = Style.plain

    static let blank = Cell(character: " ")
}

/// A row of the screen while a view writes it. What does not fit is cut, never wrapped.
struct Line {
    private(set) var cells: [Cell]
    let repertoire: Repertoire

    var width: Int { cells.count }

    init(width: Int, repertoire: Repertoire) {
        cells = Array(repeating: .blank, count: width)
        self.repertoire = repertoire
    }

    enum Side {
        case left, right
    }

    /// Writes into the columns from `range`. A text that is longer ends with an ellipsis.
    mutating func put(
        _ text: String, in range: Range<Int>, _ side: Side = .left, _ style: Style = .plain
    ) {
        let range = range.clamped(to: 0..<width)
        let shown = fitted(text, into: range.count)
        let used = shown.reduce(0) { $0 + $1.width }
        var column = side == .left ? range.lowerBound : range.upperBound - used
        for (character, width) in shown {
            cells[column] = Cell(character: character, style: style)
            if width == 2 { cells[column + 1] = Cell(character: nil, style: style) }
            column += width
        }
    }

    private func fitted(_ text: String, into room: Int) -> [(character: Character, width: Int)] {
        var shown = repertoire.cells(of: text)
        var used = shown.reduce(0) { $0 + $1.width }
        guard used > room else { return shown }
        guard room > 0 else { return [] }
        while used > room - 1 {
            used -= shown.removeLast().width
        }
        return shown + [(repertoire.ellipsis, 1)]
    }

    /// A bar: filled to a share of the columns. What is left of it may be shown as well.
    mutating func put(
        bar share: Double, in range: Range<Int>, _ style: Style, showsRest: Bool = false
    ) {
        let (filled, rest) = repertoire.bar(share, width: range.count)
        let middle = range.lowerBound + filled.count
        put(filled, in: range.lowerBound..<middle, .left, style)
        if showsRest { put(rest, in: middle..<range.upperBound, .left, .dim) }
    }
}
