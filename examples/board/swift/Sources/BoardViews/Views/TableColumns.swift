// SPDX-License-Identifier: Apache-2.0

/// Which columns the table has at a width, and where.
struct TableColumns {
    enum Column: CaseIterable {
        case pid, name, state, threads, memory, bar, cpu

        var title: String {
            switch self {
            case .pid: "PID"
            case .name: "NAME"
            case .state: "S"
            case .threads: "THR"
            case .memory: "MEMORY"
            case .bar: ""
            case .cpu: "CPU %"
            }
        }

        /// Of the name and the bar the least that is of use; they grow.
        fileprivate var width: Int {
            switch self {
            case .pid: 7
            case .name: 8
            case .state: 1
            case .threads: 4
            case .memory: 10
            case .bar: 10
            case .cpu: 6
            }
        }

        /// Those behind go first where there is no room for all.
        fileprivate static let byImportance: [Column] = [
            .name, .cpu, .memory, .pid, .state, .threads, .bar,
        ]
    }

    /// From the left; together with the gaps between them they take the whole width.
    let columns: [(column: Column, range: Range<Int>)]

    private static let gap = 2
    private static let longestName = 48

    init(width: Int) {
        var kept = Set(Column.allCases)
        for column in Column.byImportance.reversed() where Self.least(kept) > width {
            if kept.count > 1 { kept.remove(column) }
        }
        let left = max(width - Self.least(kept), 0)
        // The bar takes what is left for it, but names come first.
        let forName = kept.contains(.bar) ? min((left + 1) / 2, Self.longestName) : left
        var columns: [(Column, Range<Int>)] = []
        var begin = 0
        for column in Column.allCases where kept.contains(column) {
            var end = begin + column.width
            if column == .name { end += forName }
            if column == .bar { end += left - forName }
            columns.append((column, min(begin, width)..<min(end, width)))
            begin = end + Self.gap
        }
        self.columns = columns
    }

    private static func least(_ columns: Set<Column>) -> Int {
        columns.reduce(-gap) { $0 + $1.width + gap }
    }
}
