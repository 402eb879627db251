// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The last lines of a program that runs beside the board.
final class CompanionView: ScreenView {
    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(self, when: \.companion?.lines) { view, _ in view.draw() }
    }

    override func draw() {
        guard let companion = machine.companion else { return }
        var title = screen.line
        title.put(companion.name, in: columns, .left, .dim)
        draw(title)
        let texts = companion.lines.suffix(max(rows.count - 1, 0))
        for (row, text) in zip(rows.dropFirst(), texts) {
            var line = screen.line
            line.put(text, in: columns)
            screen.draw(line, at: row)
        }
    }
}
