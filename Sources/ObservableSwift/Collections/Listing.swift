// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Shows what stands in a dictionary or a set as an array: each key's value, each member, as they came.
///
/// As in a ``Derivation``, edits are put down before the core is told and done again in the immediate
/// call that they make due.
final class Listing<Source: ObservableContainer, Key: Hashable, Value, Output>: EditFollower {
    private let source: Source
    private unowned let output: DerivedArray<Output>
    /// What stands at a key now; of a set, the key itself.
    private let value: (Key) -> Value?
    private let transform: (Key, Value) -> Output
    private var order = OrderTree<Key>()
    private var nodes: [Key: OrderNode<Key>] = [:]
    /// What edits have put there; nil: taken away.
    private var puts: [(key: Key, value: Value?)] = []
    private var isFollowing = false

    init(
        _ source: Source, _ output: DerivedArray<Output>, _ value: @escaping (Key) -> Value?,
        _ transform: @escaping (Key, Value) -> Output
    ) {
        (self.source, self.output) = (source, output)
        (self.value, self.transform) = (value, transform)
    }

    func begin(_ content: [(key: Key, value: Value)]) {
        source.inform(self)
        source.tell(
            self, whenText: "*", on: .main, options: .immediate, comparing: .alwaysDifferent,
            label: "derived array"
        ) { listing, _ in listing.follow() }
        // The closure may edit the source: that is done behind what it begins with.
        isFollowing = true
        for (key, _) in content { append(key) }
        output.begin(ContiguousArray(content.map(transform)), by: self)
        isFollowing = false
        follow()
    }

    // MARK: - Following

    func add(_ edit: obv_container_edit) {
        let key = edit.key!.assumingMemoryBound(to: Key.self).pointee
        puts.append((key, edit.inserted > 0 ? value(key) : nil))
    }

    private func follow() {
        if isFollowing { return }
        isFollowing = true
        defer { isFollowing = false }
        // Code of the program may let go of what is shown meanwhile.
        let held = output
        while !puts.isEmpty {
            let puts = self.puts
            self.puts = []
            let last = Dictionary(puts) { $1 }
            var seen: Set<Key> = []
            follow(puts.filter { seen.insert($0.key).inserted }.map { ($0.key, last[$0.key]!) })
        }
        withExtendedLifetime(held) {}
    }

    /// Of each key once. Told together: what goes, from the last place on, then what has come.
    private func follow(_ puts: [(key: Key, value: Value?)]) {
        let present = puts.compactMap { put in put.value.map { (put.key, transform(put.key, $0)) } }
        let removals = puts.compactMap { nodes[$0.key]?.place }.sorted(by: >)
        for case (let key, nil) in puts {
            if let node = nodes.removeValue(forKey: key) { order.remove(node) }
        }
        for (key, _) in present where nodes[key] == nil { append(key) }
        let insertions = present.map { (place: nodes[$0]!.place, element: $1) }
        output.edit(removals, insertions.sorted { $0.place < $1.place })
    }

    private func append(_ key: Key) {
        let node = OrderNode(key)
        nodes[key] = node
        order.insert(node, at: order.count)
    }
}

extension DictionaryStorage {
    func makeListing<Output>(
        _ transform: @escaping (Key, Value) -> Output
    ) -> DerivedArray<Output> {
        let output = DerivedArray<Output>()
        let listing = Listing(self, output, { [unowned self] in self[valueOf: $0] }, transform)
        listing.begin(zip(_keys, _values).map { ($0, $1) })
        return output
    }

    private subscript(valueOf key: Key) -> Value? { _places[key].map { _values[$0] } }
}

extension ObservableDictionary {
    /// The values as an array, in the order in which their keys have come; from there on they are
    /// filtered, sorted, mapped and grouped:
    ///
    ///     let ranking = processes.listing().sorting(when: \.rank) { $0.rank < $1.rank }
    ///
    /// A value that is put at a key stands where the one before it stood.
    ///
    /// Cost: an edit is O(log n) for each key that it touches, and moving what stands behind in the
    /// buffer; 200 bytes a key, of models some 1,400.
    public func listing() -> DerivedArray<Value> { makeListing { $1 } }

    /// What becomes of each key and its value, once for each value that comes.
    public func listing<Output>(
        _ transform: @escaping (Key, Value) -> Output
    ) -> DerivedArray<Output> {
        makeListing(transform)
    }
}

extension DerivedDictionary {
    /// The values as an array, in the order in which their keys have come.
    public func listing() -> DerivedArray<Value> { makeListing { $1 } }

    /// What becomes of each key and its value, once for each value that comes.
    public func listing<Output>(
        _ transform: @escaping (Key, Value) -> Output
    ) -> DerivedArray<Output> {
        makeListing(transform)
    }
}

extension ObservableSet {
    /// The members as an array, in the order in which they have come; from there on they are filtered,
    /// sorted, mapped and grouped:
    ///
    ///     let sorted = tags.listing().sorting()
    ///
    /// Cost: as of ``ObservableDictionary/listing()``.
    public func listing() -> DerivedArray<Element> {
        let output = DerivedArray<Element>()
        let listing = Listing<ObservableSet, Element, Element, Element>(
            self, output, { $0 }, { $1 })
        listing.begin(map { ($0, $0) })
        return output
    }
}
