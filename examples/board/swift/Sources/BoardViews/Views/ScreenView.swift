// SPDX-License-Identifier: Apache-2.0

/// A view on the screen: some rows that it draws when what it observes has changed.
@MainActor class ScreenView {
    let machine: Machine
    let screen: Screen
    /// Where it stands; empty: there is no room for it.
    var rows = 0..<0

    init(_ machine: Machine, on screen: Screen) {
        self.machine = machine
        self.screen = screen
    }

    /// Draws all its rows.
    func draw() {}

    /// Draws its rows from the top, as far as there is room.
    final func draw(_ lines: Line...) {
        for (row, line) in zip(rows, lines) {
            screen.draw(line, at: row)
        }
    }

    var columns: Range<Int> { 0..<screen.size.columns }

    /// The last values stand, since no newer ones come.
    var isStale: Bool { machine.service.trouble != nil }

    /// A style for values: dim if they are old.
    func style(_ style: Style) -> Style {
        isStale ? .dim : style
    }
}
