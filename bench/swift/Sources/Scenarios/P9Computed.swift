// SPDX-License-Identifier: Apache-2.0
//
// P9: computed properties, each one more than what it reads. The source is set, and what is at the
// end is read; a computed property.
//
//     P9a  a chain of 1,000
//     P9b  1,000 that read the source, each of which is read
//     P9c  10 that read the source, and one that reads the 10
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
