// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// A cell of a graph. What its two computed properties read depends on its number.
private final class Cell: ObservableModel {
    @Observed var number = 0
    @Observed var first: Cell?
    @Observed var second: Cell?
    @Computed(Cell.makeWrapped) var wrapped: Int
    var free: Int {
        computed {
            evaluations[1] += 1
            return made { $0.free }
        }
    }
    /// Of `wrapped`, and of `free`.
    var evaluations = [0, 0]

    private func makeWrapped() -> Int {
        evaluations[0] += 1
        return made { $0.wrapped }
    }

    private func made(_ read: @escaping (Cell) -> Int) -> Int {
        Rule.value(
            of: number, first.map { cell in { read(cell) } },
            second.map { cell in { read(cell) } })
    }
}

/// What a cell is, by its number and what it leads to.
private enum Rule {
    static func value(of number: Int, _ first: (() -> Int)?, _ second: (() -> Int)?) -> Int {
        switch number % 4 {
        case 0: number
        case 1: first?() ?? -1
        case 2: ((first?() ?? 0) + (second?() ?? 0)) % 3
        default: second?() ?? number
        }
    }
}

/// The same cells, which computes all of them at each question.
private struct NaiveGraph {
    struct Cell {
        var number = 0 { didSet { changes += number == oldValue ? 0 : 1 } }
        var first: Int? { didSet { changes += first == oldValue ? 0 : 1 } }
        var second: Int? { didSet { changes += second == oldValue ? 0 : 1 } }
        /// There and back is two.
        private(set) var changes = 0
    }

    var cells: [Cell]

    func value(_ index: Int) -> Int {
        var sources: [Int] = []
        return value(index, &sources)
    }

    /// - Parameter sources: the cells whose values it reads.
    func value(_ index: Int, _ sources: inout [Int]) -> Int {
        let cell = cells[index]
        var read: [Int] = []
        defer { sources = read }
        func source(_ index: Int) -> Int {
            read.append(index)
            return value(index)
        }
        return Rule.value(
            of: cell.number, cell.first.map { index in { source(index) } },
            cell.second.map { index in { source(index) } })
    }
}

/// Somebody who observes a cell, or what it leads to.
private struct Watching {
    let calls: Calls
    let cell: Int
    let isThroughFirst: Bool
    /// What there was at the last look; nil: nothing.
    var last: Int?
    /// It has been led elsewhere since, perhaps there and back.
    var isMoved = false

    func value(in graph: NaiveGraph) -> Int? {
        let end = isThroughFirst ? graph.cells[cell].first : cell
        return end.map(graph.value)
    }
}

private final class Graph {
    private let cells: [Cell]
    private var naive: NaiveGraph
    private var watching: [Watching] = []
    /// Of each `wrapped`: what was computed last; how often that was another value than before; and
    /// what it had read then (nil: it has to be computed).
    private var kept: [(value: Int?, version: Int, read: [Int]?)]
    private var random: SeededGenerator

    init(seed: UInt64, count: Int) {
        cells = (0..<count).map { _ in Cell() }
        naive = NaiveGraph(cells: Array(repeating: NaiveGraph.Cell(), count: count))
        kept = Array(repeating: (nil, 0, nil), count: count)
        random = SeededGenerator(state: seed)
    }

    func step() {
        let index = Int.random(in: 0..<cells.count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: setNumber(of: index)
        case 4: link(index, \.first, \.first)
        case 5: link(index, \.second, \.second)
        case 6:
            drain()
            observe(index)
        case 7:
            watching = watching.filter { _ in Bool.random(using: &random) || watching.count < 4 }
        case 8:
            cells[index].computedProperties.invalidate(\.wrapped, \.free)
            kept[index].read = nil
        case 9: read(index)
        default: drain()
        }
        look()
    }

    private func setNumber(of index: Int) {
        let number = Int.random(in: 0..<9, using: &random)
        cells[index].number = number
        naive.cells[index].number = number
    }

    /// To a cell before it, so that there is no cycle.
    private func link(
        _ index: Int, _ property: ReferenceWritableKeyPath<Cell, Cell?>,
        _ same: WritableKeyPath<NaiveGraph.Cell, Int?>
    ) {
        let target = index == 0 ? nil : (0..<index).randomElement(using: &random)
        cells[index][keyPath: property] = target.map { cells[$0] }
        if same == \.first {
            for i in watching.indices where watching[i].cell == index { watching[i].isMoved = true }
        }
        naive.cells[index][keyPath: same] = target
    }

    private func observe(_ index: Int) {
        let cell = cells[index]
        let (isThroughFirst, calls) =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: (false, Calls(cell, "wrapped"))
            case 1: (false, Calls(cell, \.free))
            case 2: (true, Calls(cell, \.first?.wrapped))
            default: (true, Calls(cell, \.first?.free))
            }
        var fresh = Watching(calls: calls, cell: index, isThroughFirst: isThroughFirst)
        fresh.last = fresh.value(in: naive)
        watching.append(fresh)
    }

    private func read(_ index: Int) {
        #expect(cells[index].wrapped == naive.value(index))
        #expect(cells[index].free == naive.value(index))
    }

    /// Each is called once if there is another value than at the last look. What is stored, and leads
    /// elsewhere, is told at once.
    private func drain() {
        for index in watching.indices {
            let value = watching[index].value(in: naive)
            let differs = value != watching[index].last
            let calls = watching[index].calls.new
            #expect(
                calls == (differs ? 1 : 0) || (watching[index].isMoved && calls == 1),
                "\(watching[index])")
            watching[index].last = value
            watching[index].isMoved = false
        }
    }

    /// In one step each property is computed once at most; one with a wrapper only if something that it
    /// had read has changed.
    private func look() {
        let computed = cells.indices.filter { cells[$0].evaluations[0] != 0 }
        #expect(cells.allSatisfy { $0.evaluations.allSatisfy { $0 <= 1 } })
        for index in computed {
            let value = naive.value(index)
            kept[index].version += kept[index].value == value ? 0 : 1
            kept[index].value = value
        }
        for index in computed {
            var sources: [Int] = []
            _ = naive.value(index, &sources)
            let read =
                [naive.cells[index].changes] + sources.flatMap { [$0, kept[$0].version] }
            #expect(kept[index].read != read)
            kept[index].read = read
        }
        for cell in cells { cell.evaluations = [0, 0] }
    }
}

@Suite struct ComputedGraphTests {
    /// In a process of its own: where several threads change models, one more call is allowed.
    @Test func LL_3_LL_5_random_graphs_are_as_a_naive_evaluator_says() async {
        await #expect(processExitsWith: .success) {
            for seed in 1...100 as ClosedRange<UInt64> {
                let graph = Graph(seed: seed &* 0x9E37_79B9_7F4A_7C15, count: 12)
                for _ in 0..<200 { graph.step() }
            }
        }
    }

    /// Deeper than a stack would bear.
    @Test func LL_3_a_long_chain_is_computed_from_its_end() {
        final class Link: ObservableModel {
            @Observed var number = 0
            unowned(unsafe) var before: Link?
            @Computed({ (link: Link) in (link.before?.value ?? 0) + link.number }) var value: Int
        }
        let links = (0..<100_000).map { _ in Link() }
        for (index, link) in links.enumerated() {
            link.before = index == 0 ? nil : links[index - 1]
            #expect(link.value == 0)
        }
        let last = Calls(links.last!, "value")
        links[0].number = 7
        #expect(links.last!.value == 7 && last.new == 1)
        links[0].number = 8
        #expect(last.new == 1 && links.last!.value == 8)
    }
}
