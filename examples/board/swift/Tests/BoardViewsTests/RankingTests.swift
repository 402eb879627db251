// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import BoardViews

@MainActor @Suite struct RankingTests {
    let board = Loaded()

    @Test func byCPUThenMemoryThenPid() {
        let first = [
            process(1, memory: 10), process(2, memory: 30), process(3, memory: 30), process(4),
        ]
        var before = reading(at: 0)
        var after = reading(at: 1000)
        before.processes = first
        board.apply(before)
        #expect(board.ranked == [4, 2, 3, 1])
        after.processes = first
        after.processes?[0].cpu = 500
        board.apply(after)
        #expect(board.ranked == [1, 4, 2, 3])
    }

    @Test func noiseMovesNoRow() {
        board.apply(reading(at: 0, process(1, memory: 1000), process(2, memory: 990)))
        board.apply(reading(at: 1000, process(1, memory: 1000), process(2, memory: 1010, cpu: 10)))
        #expect(board.ranked == [1, 2])
        board.apply(reading(at: 2000, process(1, memory: 1000), process(2, memory: 2000, cpu: 10)))
        #expect(board.ranked == [2, 1])
    }

    @Test func oneBusySecondFades() {
        board.apply(reading(at: 0, process(1, memory: 1000), process(2)))
        board.apply(reading(at: 1000, process(1, memory: 1000), process(2, cpu: 1000)))
        #expect(board.ranked == [2, 1])
        for second in 2...10 {
            let time = second * 1000
            board.apply(reading(at: time, process(1, memory: 1000), process(2, cpu: 1000)))
        }
        #expect(board.ranked == [1, 2])
    }

    @Test func newOnesFindTheirPlace() {
        board.apply(reading(at: 0, process(1, memory: 300), process(2, memory: 100)))
        board.apply(
            reading(
                at: 1000, process(1, memory: 300), process(2, memory: 100), process(3, memory: 200))
        )
        #expect(board.ranked == [1, 3, 2])
    }

    @Test func thoseThatEndLeaveNoGap() {
        board.apply(reading(at: 0, process(1, memory: 300), process(2, memory: 200), process(3)))
        board.apply(reading(at: 1000, process(1, memory: 300), process(3)))
        #expect(board.ranked == [1, 3])
    }
}
