// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A row of the table: a place in the ranking. It is registered once, before there is any process,
/// and follows whichever stands there, until that has moved or ended; of a place past the last one
/// nobody.
@MainActor final class RowView {
    private let place: Int
    private unowned let table: TableView
    /// Where it stands; nil: nowhere any more.
    var row: Int?

    init(_ place: Int, in table: TableView) {
        self.place = place
        self.table = table
        table.machine.tell(
            self, when: \.ranking[place], \.ranking[place].name, \.ranking[place].state,
            \.ranking[place].threads, \.ranking[place].memory, \.ranking[place].cpu
        ) { view, _ in view.draw() }
    }

    func draw() {
        guard let row else { return }
        var line = table.screen.line
        let ranking = table.machine.ranking
        if place < ranking.count {
            let process = ranking[place]
            for (column, range) in table.layout.columns {
                put(column, of: process, in: range, into: &line)
            }
        }
        table.screen.draw(line, at: row)
        table.countRow()
    }

    private func put(
        _ column: TableColumns.Column, of process: Process, in range: Range<Int>,
        into line: inout Line
    ) {
        let isBusy = process.cpu >= 1
        switch column {
        case .pid: line.put("\(process.pid)", in: range, .right, .dim)
        case .name: line.put(process.name, in: range, .left, table.style(isBusy ? .bold : .plain))
        case .state:
            line.put(process.state, in: range, .left, process.state == "R" ? running : .dim)
        case .threads: line.put("\(process.threads)", in: range, .right, .dim)
        case .memory: line.put(bytes(process.memory), in: range, .right, table.style(.plain))
        case .bar: line.put(bar: process.cpu / 100, in: range, table.style(colour(process.cpu)))
        case .cpu:
            let text = decimals(process.cpu, 1)
            line.put(text, in: range, .right, table.style(isBusy ? .bold : .dim))
        }
    }

    private var running: Style { table.style(.colour(.green)) }

    private func colour(_ cpu: Double) -> Style {
        .colour(cpu >= 90 ? .red : cpu >= 50 ? .yellow : .green)
    }
}
