// SPDX-License-Identifier: Apache-2.0
//
// P9: computed properties, each one more than what it reads. The source is set, and what is at the
// end is read; a computed property.
//
//     P9a  a chain of 1,000
//     P9b  1,000 that read the source, each of which is read
//     P9c  10 that read the source, and one that reads the 10
//     P9d  one that reads 10,000 sources, in another order each time, all of them and all of them
//          again; a read
//
// The floor is P2's. Nothing else in Swift keeps what it has computed until that changes.

import ObservableSwift

func computedProperties() -> [Variant] {
    [
        Variant(id: "P9a", name: "ours", step: 1000) {
            let source = Source()
            var cells = [Cell(of: source)]
            for _ in 1..<1000 { cells.append(Cell(of: source, inputs: [cells.last!])) }
            return rounds(of: source, cells: cells.count, reading: [cells.last!]) { $0 + 1000 }
        },
        Variant(id: "P9b", name: "ours", step: 1000) {
            let source = Source()
            let cells = (0..<1000).map { _ in Cell(of: source) }
            return rounds(of: source, cells: cells.count, reading: cells) { 1000 * $0 + 1000 }
        },
        Variant(id: "P9c", name: "ours", step: 11) {
            let source = Source()
            let cells = (0..<10).map { _ in Cell(of: source) }
            let sum = Cell(of: source, inputs: cells)
            return rounds(of: source, cells: 11, reading: [sum]) { 10 * $0 + 11 }
        },
        Variant(id: "P9d", name: "ours", step: 20_000) {
            let sources = (0..<10_000).map { _ in Source() }
            let reader = Reader(of: sources)
            var isGood = true
            return Trial(
                run: { first, count in
                    timed {
                        for begin in stride(from: first, to: first + count, by: 20_000) {
                            sources[0].value = begin
                            isGood = isGood && reader.value == 2 * begin
                        }
                    }
                },
                verify: { _ in isGood })
        },
    ]
}

/// Sets the source once for each `cells` operations, and reads.
private func rounds(
    of source: Source, cells: Int, reading: [Cell], expects: @escaping (Int) -> Int
) -> Trial {
    var isGood = true
    return Trial(
        run: { first, count in
            timed {
                for begin in stride(from: first, to: first + count, by: cells) {
                    source.value = begin
                    let sum = reading.reduce(0) { $0 + $1.value }
                    isGood = isGood && sum == expects(begin)
                }
            }
        },
        verify: { _ in isGood })
}

private final class Source: ObservableModel {
    @Observed var value = 0
}

private final class Reader: ObservableModel {
    private let sources: [Source]
    /// As in the C half: none has a divisor with 10,000 in common.
    private let steps = [1, 7919, 3, 4409, 17, 9973, 7, 6121]
    private var turn = 0
    @Computed(Reader.makeValue) var value: Int

    init(of sources: [Source]) {
        self.sources = sources
    }

    private func makeValue() -> Int {
        turn += 1
        return sum(by: steps[turn % steps.count]) + sum(by: steps[turn % steps.count])
    }

    private func sum(by step: Int) -> Int {
        var at = 0
        var sum = 0
        for _ in sources.indices {
            sum += sources[at].value
            at = (at + step) % sources.count
        }
        return sum
    }
}

private final class Cell: ObservableModel {
    private let source: Source
    /// What it reads; the source, if there are none.
    private let inputs: [Cell]
    @Computed(Cell.makeValue) var value: Int

    init(of source: Source, inputs: [Cell] = []) {
        self.source = source
        self.inputs = inputs
    }

    private func makeValue() -> Int {
        inputs.isEmpty ? source.value + 1 : inputs.reduce(1) { $0 + $1.value }
    }
}
