// SPDX-License-Identifier: Apache-2.0

/// Values in an order, each found by its place and asked for it: a treap (Seidel and Aragon, "Randomized
/// search trees", 1996) whose nodes know how many there are below them, and how many of these count.
///
/// Cost: O(log n) each, n the values; a node is 96 bytes.
struct OrderTree<Value> {
    private(set) var root: OrderNode<Value>?

    var count: Int { root?.count ?? 0 }
    /// How many count.
    var weight: Int { root?.total ?? 0 }

    init() {}

    init(_ nodes: some Sequence<OrderNode<Value>>) {
        for node in nodes {
            root = .merge(root, node)
        }
    }

    private init(root: OrderNode<Value>?) {
        self.root = root
        root?.parent = nil
    }

    /// Takes a range out.
    mutating func cut(_ range: Range<Int>) -> OrderTree {
        let (rest, behind) = OrderNode.split(root, range.upperBound)
        let (before, cut) = OrderNode.split(rest, range.lowerBound)
        self = OrderTree(root: .merge(before, behind))
        return OrderTree(root: cut)
    }

    /// Puts another tree's nodes in, which is none any more.
    mutating func insert(_ other: OrderTree, at place: Int) {
        let (before, behind) = OrderNode.split(root, place)
        self = OrderTree(root: .merge(.merge(before, other.root), behind))
    }

    mutating func insert(_ node: OrderNode<Value>, at place: Int) {
        insert(OrderTree(root: node), at: place)
    }

    mutating func remove(_ node: OrderNode<Value>) {
        _ = cut(node.place..<node.place + 1)
    }

    subscript(place: Int) -> OrderNode<Value> {
        var (at, left) = (root!, place)
        while true {
            let before = at.left?.count ?? 0
            if left == before { return at }
            if left < before {
                at = at.left!
            } else {
                left -= before + 1
                at = at.right!
            }
        }
    }

    /// How many count before a place.
    func weight(before place: Int) -> Int {
        var (at, left, weight) = (root, place, 0)
        while let node = at {
            let before = node.left?.count ?? 0
            if left <= before {
                at = node.left
            } else {
                weight += (node.left?.total ?? 0) + node.weight
                left -= before + 1
                at = node.right
            }
        }
        return weight
    }

    /// The first place of a value that does not stand before, where those that do stand in front.
    func place(where standsBefore: (Value) -> Bool) -> Int {
        var (at, place) = (root, 0)
        while let node = at {
            if standsBefore(node.value) {
                place += (node.left?.count ?? 0) + 1
                at = node.right
            } else {
                at = node.left
            }
        }
        return place
    }

    /// In their order.
    var nodes: [OrderNode<Value>] {
        var nodes: [OrderNode<Value>] = []
        nodes.reserveCapacity(count)
        func visit(_ node: OrderNode<Value>?) {
            guard let node else { return }
            visit(node.left)
            nodes.append(node)
            visit(node.right)
        }
        visit(root)
        return nodes
    }

    /// Each by itself, in their order: none is in a tree any more.
    mutating func takeApart() -> [OrderNode<Value>] {
        let nodes = nodes
        root = nil
        for node in nodes { node.detach() }
        return nodes
    }
}

/// A value's node, which is in one tree.
final class OrderNode<Value> {
    let value: Value
    /// 1: it counts.
    private(set) var weight: Int
    fileprivate private(set) var left: OrderNode?
    fileprivate private(set) var right: OrderNode?
    fileprivate unowned(unsafe) var parent: OrderNode?
    fileprivate private(set) var count = 1
    fileprivate private(set) var total: Int
    private let priority = UInt64.random(in: .min ... .max)

    init(_ value: Value, counts: Bool = true) {
        self.value = value
        weight = counts ? 1 : 0
        total = weight
    }

    var counts: Bool {
        get { weight != 0 }
        set {
            let change = (newValue ? 1 : 0) - weight
            weight += change
            var at: OrderNode? = self
            while let node = at {
                node.total += change
                at = node.parent
            }
        }
    }

    /// Where it stands.
    var place: Int { before({ $0.count }, own: { _ in 1 }) }

    /// How many before it count.
    var weightBefore: Int { before({ $0.total }, own: { $0.weight }) }

    private func before(_ below: (OrderNode) -> Int, own: (OrderNode) -> Int) -> Int {
        var sum = left.map(below) ?? 0
        var node = self
        while let above = node.parent {
            if above.right === node {
                sum += (above.left.map(below) ?? 0) + own(above)
            }
            node = above
        }
        return sum
    }

    fileprivate func detach() {
        (left, right, parent, count, total) = (nil, nil, nil, 1, weight)
    }

    private func set(left: OrderNode?, right: OrderNode?) {
        (self.left, self.right) = (left, right)
        left?.parent = self
        right?.parent = self
        count = 1 + (left?.count ?? 0) + (right?.count ?? 0)
        total = weight + (left?.total ?? 0) + (right?.total ?? 0)
    }

    /// All of the first, then all of the second.
    fileprivate static func merge(_ a: OrderNode?, _ b: OrderNode?) -> OrderNode? {
        guard let a, let b else { return a ?? b }
        if a.priority > b.priority {
            a.set(left: a.left, right: merge(a.right, b))
            return a
        }
        b.set(left: merge(a, b.left), right: b.right)
        return b
    }

    /// So many, and those behind them.
    fileprivate static func split(
        _ node: OrderNode?, _ count: Int
    ) -> (OrderNode?, OrderNode?) {
        guard let node else { return (nil, nil) }
        let before = node.left?.count ?? 0
        if count <= before {
            let (front, rest) = split(node.left, count)
            node.set(left: rest, right: node.right)
            front?.parent = nil
            return (front, node)
        }
        let (rest, behind) = split(node.right, count - before - 1)
        node.set(left: node.left, right: rest)
        behind?.parent = nil
        return (node, behind)
    }
}
