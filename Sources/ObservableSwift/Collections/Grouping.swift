// SPDX-License-Identifier: Apache-2.0

/// Shows the elements of a source by their keys: of each key those that have it, in the order of the
/// source.
final class Grouping<Source: _ObservableArray, Key: Hashable>: Derivation<Source, Key> {
    /// The elements of one key.
    private final class Group {
        let array = DerivedArray<Element>()
        var order = OrderTree<Entry>()
        /// Of the edit under way: where elements were taken out, one after the other, and who has come.
        var removals: [Int] = []
        var come: [Entry] = []
    }

    private unowned let output: DerivedDictionary<Key, DerivedArray<Element>>
    private let key: (Element) -> Key
    private var groups: [Key: Group] = [:]

    init(
        _ source: Source, _ output: DerivedDictionary<Key, DerivedArray<Element>>,
        _ observe: Observe?, by key: @escaping (Element) -> Key
    ) {
        (self.output, self.key) = (output, key)
        super.init(source, observe)
    }

    override var shown: AnyObject { output }
    override func value(of element: Element) -> Key? { key(element) }

    override func show() {
        for node in entries.nodes { enter(node.value) }
        output.begin(groups.map { ($0, $1.array) }, by: self)
        groups.values.forEach(tell)
    }

    override func replace(_ place: Int, _ gone: [Entry], _ come: [Entry]) {
        gone.forEach(leave)
        come.forEach(enter)
        finish(gone.map { $0.output! } + come.map { $0.output! })
    }

    override func update(_ entries: [Entry]) {
        let new = entries.map { (entry: $0, key: key($0.element)) }
            .filter { $0.entry.output! != $0.key }
        let old = new.map { $0.entry.output! }
        for (entry, _) in new { leave(entry) }
        for (entry, key) in new {
            entry.output = key
            enter(entry)
        }
        finish(old + new.map(\.key))
    }

    override func move(_ range: Range<Int>, to: Int) {
        for (group, moved) in byGroup(to..<to + range.count) {
            let from = moved[0].sortedNode.place
            let block = group.order.cut(from..<from + moved.count)
            let place = placeInSource(moved[0], in: group)
            group.order.insert(block, at: place)
            group.array.move(from..<from + moved.count, to: place)
        }
    }

    override func reorder(from start: Int, _ order: [Int]) {
        for (group, now) in byGroup(start..<start + order.count) {
            let places = now.map { $0.sortedNode.place }
            let from = places.min()!
            var block = group.order.cut(from..<from + now.count)
            let before = block.takeApart()
            group.order.insert(OrderTree(places.map { before[$0 - from] }), at: from)
            group.array.reorder(from: from, places.map { $0 - from })
        }
    }

    // MARK: - One entry

    private func leave(_ entry: Entry) {
        // None: the key is not equal to itself.
        guard let group = groups[entry.output!] else { return }
        group.removals.append(entry.sortedNode.place)
        group.order.remove(entry.sortedNode)
    }

    private func enter(_ entry: Entry) {
        let group = groups[entry.output!] ?? Group()
        groups[entry.output!] = group
        let node = OrderNode(entry)
        entry.sortedNode = node
        group.order.insert(node, at: placeInSource(entry, in: group))
        group.come.append(entry)
    }

    /// Where an entry that the group has not belongs in it.
    private func placeInSource(_ entry: Entry, in group: Group) -> Int {
        let place = entry.node.place
        return group.order.place { $0.node.place < place }
    }

    // MARK: - Telling

    /// Brings groups up to date; those that are empty then have gone, and new ones have come.
    private func finish(_ keys: [Key]) {
        var puts: [(key: Key, value: DerivedArray<Element>?)] = []
        for key in keys {
            guard let group = groups[key], !(group.removals.isEmpty && group.come.isEmpty)
            else { continue }
            tell(group)
            if group.order.count == 0 {
                groups[key] = nil
                puts.append((key, nil))
            } else if output[key] == nil {
                puts.append((key, group.array))
            }
        }
        output._edit(puts)
    }

    private func tell(_ group: Group) {
        let insertions = group.come.map { (place: $0.sortedNode.place, element: $0.element) }
        let removals = group.removals
        (group.removals, group.come) = ([], [])
        group.array.edit(removals, insertions.sorted { $0.place < $1.place })
    }

    /// Of places of the source, the entries of each group in their order.
    private func byGroup(_ places: Range<Int>) -> [(Group, [Entry])] {
        Dictionary(grouping: places.map { entries[$0].value }) { $0.output! }
            .compactMap { key, entries in groups[key].map { ($0, entries) } }
    }
}

extension _ObservableArray {
    /// The elements by their keys, each key's in their order here:
    ///
    ///     let byGenre = songs.grouping { $0.genre }
    ///     byGenre["blues"]?.count
    ///
    /// The key of an element is asked for once, when it comes. For one that depends on properties there
    /// is ``grouping(when:by:)``. A key without elements is not there; one that comes back has another
    /// array.
    ///
    /// Cost: an edit is O(log² n) for each element that it touches, and moving what stands behind it
    /// in its group; 300 bytes an element that is a number, some 1,400 of a model.
    public func grouping<Key: Hashable>(
        by key: @escaping (Element) -> Key
    ) -> DerivedDictionary<Key, DerivedArray<Element>> {
        grouping(nil, by: key)
    }

    private func grouping<Key: Hashable>(
        _ observe: Derivation<Self, Key>.Observe?, by key: @escaping (Element) -> Key
    ) -> DerivedDictionary<Key, DerivedArray<Element>> {
        let output = DerivedDictionary<Key, DerivedArray<Element>>()
        Grouping(self, output, observe, by: key).begin()
        return output
    }
}

extension _ObservableArray where Element: ObservableHost {
    /// The same of elements whose properties the key reads: it is asked for again when one of these
    /// paths of an element is called.
    ///
    ///     let byGenre = songs.grouping(when: \.genre) { $0.genre }
    ///
    /// Cost: an observation for each element beside.
    public func grouping<Key: Hashable>(
        when paths: TypedPath<Element>..., by key: @escaping (Element) -> Key
    ) -> DerivedDictionary<Key, DerivedArray<Element>> {
        grouping(observing(paths), by: key)
    }
}
