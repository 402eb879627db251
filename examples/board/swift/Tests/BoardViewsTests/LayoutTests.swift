// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BoardViews

@Suite struct LayoutTests {
    @Test(
        arguments: [
            (20, [.name, .cpu]), (40, [.pid, .name, .state, .memory, .cpu]),
            (80, [.pid, .name, .state, .threads, .memory, .bar, .cpu]),
            (200, [.pid, .name, .state, .threads, .memory, .bar, .cpu]),
        ] as [(Int, [TableColumns.Column])])
    func columnsByImportance(width: Int, expected: [TableColumns.Column]) {
        #expect(TableColumns(width: width).columns.map(\.column) == expected)
    }

    @Test func columnsTakeTheWholeWidth() {
        for width in 0...250 {
            let columns = TableColumns(width: width).columns
            #expect(columns.last?.range.upperBound == width || width > 0 && columns.isEmpty)
            for (one, next) in zip(columns, columns.dropFirst()) {
                #expect(one.range.upperBound + 2 == next.range.lowerBound)
            }
        }
    }

    @Test func nameAndBarGrow() {
        let narrow = TableColumns(width: 80).columns
        let wide = TableColumns(width: 200).columns
        for (one, other) in zip(narrow, wide) {
            let grows = [.name, .bar].contains(one.column)
            #expect((other.range.count > one.range.count) == grows)
        }
    }

    @Test func rowsAreSharedOut() {
        for height in 0...70 {
            for notices in 0...5 {
                for hasCompanion in [false, true] {
                    check(
                        Layout(height: height, notices: notices, hasCompanion: hasCompanion),
                        height)
                }
            }
        }
    }

    private func check(_ layout: Layout, _ height: Int) {
        let all =
            [layout.header] + layout.summary + [
                layout.table, layout.notices, layout.companion, layout.statistics, layout.keys,
            ]
        var taken = Set<Int>()
        for row in all.joined() {
            #expect((0..<height).contains(row))
            #expect(taken.insert(row).inserted)
        }
        #expect(layout.header.count == min(height, 1))
    }

    @Test func noticesComeBeforeTheTable() {
        let calm = Layout(height: 24, notices: 0, hasCompanion: false)
        let noisy = Layout(height: 24, notices: 3, hasCompanion: false)
        #expect(noisy.notices.count == 3)
        #expect(noisy.table.count == calm.table.count - 3)
        #expect(noisy.keys == calm.keys)
    }
}
