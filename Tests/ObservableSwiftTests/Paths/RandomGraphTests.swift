// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private class Node: ObservableModel {
    @Observed var number = 0
    @Observed var text: String?
    @Observed var left: Node?
    @Observed var right: Node?
    @Observed var any: (any ObservableHost)?
    @ObservedWeak var weak: Node?
    let fixed = Leaf()
}

private final class Wide: Node {
    @Observed var extra = 0
}

private final class Leaf: ObservableModel {
    @Observed var number = 0
}

/// The same numbers for the same seed.
private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

private struct Spelling: Sendable {
    let text: TextPath
    let typed: TypedPath<Node> & Sendable
}

private let spellings = [
    Spelling(text: "number", typed: \.number),
    Spelling(text: "text", typed: \.text),
    Spelling(text: "left", typed: \.left),
    Spelling(text: "left.number", typed: \.left?.number),
    Spelling(text: "left.right.text", typed: \.left?.right?.text),
    Spelling(text: "right.right.right.number", typed: \.right?.right?.right?.number),
    Spelling(text: "weak.number", typed: \.weak?.number),
    Spelling(text: "left.weak.left.text", typed: \.left?.weak?.left?.text),
    Spelling(text: "left.fixed.number", typed: \.left?.fixed.number),
    Spelling(text: "any", typed: \.any),
    Spelling(text: "right.any", typed: \.right?.any),
    Spelling(text: "left.*", typed: \.left?.allProperties),
    Spelling(text: "*", typed: \.allProperties),
]

/// Some objects, observed in one of the two spellings.
private final class Graph {
    var nodes: [Node] = []
    var log: [String] = []
    private let loop = DeliveryLoop()
    private let byText: Bool
    private var observers: [Observer] = []

    private final class Observer {
        let name: Int
        var observation: ObservationHandle?
        init(_ name: Int) { self.name = name }
    }

    init(byText: Bool) {
        self.byText = byText
        nodes = (0..<6).map { $0 % 3 == 2 ? Wide() : Node() }
    }

    func observe(_ node: Int, _ spelling: Spelling, isImmediate: Bool) {
        let observer = Observer(observers.count)
        observers.append(observer)
        let options: ObservationOptions = isImmediate ? .immediate : []
        let called: (Observer, Node) -> Void = { [weak self] observer, root in
            guard let self else { return }
            log.append("\(observer.name) of \(nodes.firstIndex { $0 === root } ?? -1)")
        }
        observer.observation =
            byText
            ? nodes[node].tell(
                observer, when: \.[text: spelling.text], on: loop, options: options, perform: called
            )
            : nodes[node].tell(
                observer, when: spelling.typed, on: loop, options: options, perform: called)
    }

    /// By the observer and a path, in either spelling; or by the handle.
    func stop(_ observer: Int, _ node: Int, _ spelling: Spelling, way: Int) {
        guard observers.indices.contains(observer) else { return }
        switch way {
        case 0: nodes[node].stopTelling(observers[observer], about: \.[text: spelling.text])
        case 1: nodes[node].stopTelling(observers[observer], about: spelling.typed)
        case 2: observers[observer].observation?.stop(about: spelling.text)
        case 3: observers[observer].observation?.stop(about: spelling.typed, of: nodes[node])
        default: observers[observer].observation?.stop()
        }
    }

    func drain() { log.append("drained \(loop.drain())") }

    func list() {
        for node in nodes {
            log.append(node.allObservedProperties.joined(separator: ","))
            for name in ["number", "text", "left", "right", "weak", "any", "*"] {
                log.append("\(name) \(node.numberOfObservers(of: name))")
            }
        }
        log.append(observers.map { $0.observation!.hasEnded ? "x" : "o" }.joined())
    }

    /// Lets go of all cycles.
    func end() {
        for node in nodes {
            node.left = nil
            node.right = nil
            node.any = nil
        }
    }
}

@Suite struct RandomGraphTests {
    private func step(_ graph: Graph, _ dice: inout Dice) {
        let node = Int.random(in: 0..<6, using: &dice)
        let other = Int.random(in: 0..<8, using: &dice)
        let number = Int.random(in: 0..<4, using: &dice)
        let spelling = spellings.randomElement(using: &dice)!
        let way = Int.random(in: 0..<5, using: &dice)
        let what = Int.random(in: 0..<16, using: &dice)
        let object = graph.nodes[node]
        let target = other < 6 ? graph.nodes[other] : nil
        switch what {
        case 0, 1: object.left = target
        case 2, 3: object.right = target
        case 4: object.weak = target
        case 5: object.any = number == 0 ? object.fixed : target
        case 6: object.number = number
        case 7: object.text = number == 0 ? nil : "\(number)"
        case 8: object.fixed.number = number
        case 9: graph.nodes[node] = number == 0 ? Wide() : Node()
        case 10, 11, 12: graph.observe(node, spelling, isImmediate: number == 0)
        case 13: graph.stop(other * 3 + number, node, spelling, way: way)
        default: graph.drain()
        }
    }

    /// The same operations on two graphs, one observed by text and one by typed paths: the same
    /// calls in the same order, the same counts and lists, stopped by either spelling.
    @Test(arguments: 0..<30) func KP_19_both_spellings_do_the_same(_ seed: UInt64) {
        let graphs = [Graph(byText: true), Graph(byText: false)]
        var dice = [Dice(state: seed), Dice(state: seed)]
        for count in 0..<400 {
            for index in 0..<2 {
                step(graphs[index], &dice[index])
                if count % 20 == 0 { graphs[index].list() }
            }
            guard graphs[0].log == graphs[1].log else { break }
        }
        let areSame = graphs[0].log == graphs[1].log
        let differs = zip(graphs[0].log, graphs[1].log).first { $0 != $1 }
        #expect(areSame, "seed \(seed): \(differs.debugDescription)")
        #expect(graphs[0].log.count > 100)
        graphs.forEach { $0.end() }
    }
}
