// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The processes, from the busiest: a head, and a row for each place that there is room for. What
/// changes in a process draws its row and no other.
final class TableView: ScreenView {
    private(set) var layout = TableColumns(width: 0)
    private var rowViews: [RowView] = []
    /// Rows that were drawn since this was last asked.
    private var drawn = 0

    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        // All of them look different when they are old.
        machine.tell(self, when: \.service.trouble) { view, _ in view.draw() }
    }

    /// As many rows as there is room for. One that is let go observes no more.
    override var rows: Range<Int> {
        didSet {
            layout = TableColumns(width: screen.size.columns)
            let count = max(rows.count - 1, 0)
            while rowViews.count > count {
                rowViews.removeLast().row = nil
            }
            while rowViews.count < count {
                rowViews.append(RowView(rowViews.count, in: self))
            }
            for (index, view) in rowViews.enumerated() {
                view.row = rows.lowerBound + 1 + index
            }
        }
    }

    override func draw() {
        var head = screen.line
        for (column, range) in layout.columns {
            let side: Line.Side = [.name, .state].contains(column) ? .left : .right
            head.put(column.title, in: range, side, .dim)
        }
        draw(head)
        for row in rowViews {
            row.draw()
        }
    }

    func countRow() {
        drawn += 1
    }

    var rowCount: Int { rowViews.count }

    func takeDrawn() -> Int {
        defer { drawn = 0 }
        return drawn
    }
}
