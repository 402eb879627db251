// SPDX-License-Identifier: Apache-2.0

import CObservable

// How a derived array follows its source: edit by edit, as they were made.

/// Who is informed of each edit of a collection.
protocol EditFollower: AnyObject {
    /// An edit has been made, and is about to be told. What it has removed is to be read now.
    func add(_ edit: obv_container_edit)
}

struct WeakFollower {
    weak var follower: (any EditFollower)?
}

extension ObservableContainer {
    /// The follower is informed as long as somebody holds it.
    final func inform(_ follower: some EditFollower) {
        followers.append(WeakFollower(follower: follower))
    }

    final func inform(_ edits: UnsafeBufferPointer<obv_container_edit>) {
        followers.removeAll { $0.follower == nil }
        for follower in followers {
            for edit in edits { follower.follower?.add(edit) }
        }
    }
}

/// What has happened to a source, to be done again.
enum ArrayEdit<Element> {
    case replace(Range<Int>, with: ContiguousArray<Element>)
    case move(Range<Int>, to: Int)
    /// From a position on: who stands there now, as they stood before.
    case reorder(from: Int, [Int])
}

/// What a derivation has to do, one after the other.
private enum DerivationStep<Element, Output> {
    case edit(ArrayEdit<Element>)
    /// The entries of an element whose properties have changed.
    case update([DerivedEntry<Element, Output>])
}

/// An element of a source, at one place, and what is shown of it.
final class DerivedEntry<Element, Output> {
    let element: Element
    /// In the order of coming.
    let serial: Int
    var output: Output?
    var hasLeft = false
    /// In the order of the source; and in that of the output, if that is another one.
    unowned(unsafe) var node: OrderNode<DerivedEntry>!
    unowned(unsafe) var sortedNode: OrderNode<DerivedEntry>!
    /// Where it stood in that, while all are ordered anew.
    var placeBefore = 0

    init(_ element: Element, serial: Int) {
        (self.element, self.serial) = (element, serial)
    }
}

/// An element whose properties are observed, with all its places.
final class DerivedElement<Element, Output> {
    typealias Observe = (DerivedElement) -> KeyValueObservation

    /// One that lives as long as this.
    let element: Element
    var entries: [DerivedEntry<Element, Output>] = []
    var observation: KeyValueObservation?
    let hasChanged: ([DerivedEntry<Element, Output>]) -> Void

    init(
        _ element: Element, hasChanged: @escaping ([DerivedEntry<Element, Output>]) -> Void
    ) {
        (self.element, self.hasChanged) = (element, hasChanged)
    }
}

/// Keeps a derived array up to date: the observer of its source, and what it knows of each element.
///
/// An edit of the source is put down before the core is told, when all that it says can be read; and
/// done again in the immediate call that it makes due. Code of the program that runs meanwhile may
/// edit the source again, or change what an element shows: that is put down as well, and done after
/// it.
class Derivation<Source: _ObservableArray, Output>: EditFollower {
    typealias Element = Source.Element
    typealias Entry = DerivedEntry<Element, Output>
    typealias Observe = DerivedElement<Element, Output>.Observe

    private let source: Source
    private let observe: Observe?
    /// In the order of the source; those that are shown count.
    private(set) final var entries = OrderTree<Entry>()
    /// Those that are observed; the elements are objects, which it keeps.
    private var observed: [ObjectIdentifier: DerivedElement<Element, Output>] = [:]
    private var steps: [DerivationStep<Element, Output>] = []
    private var isFollowing = false
    private var serial = 0

    init(_ source: Source, _ observe: Observe?) {
        (self.source, self.observe) = (source, observe)
    }

    final func begin() {
        source.inform(self)
        source.tell(
            self, whenText: "*", on: .main, options: .immediate, comparing: .alwaysDifferent,
            label: "derived array"
        ) { derivation, _ in derivation.follow() }
        // Its closure may edit the source: that is done behind what it begins with.
        isFollowing = true
        entries = OrderTree(source._content.map(enter))
        show()
        isFollowing = false
        follow()
    }

    // MARK: - What each kind does

    /// What is shown of an element; nil: nothing.
    func value(of element: Element) -> Output? { fatalError("abstract") }
    /// What shows the entries, and keeps this.
    var shown: AnyObject { fatalError("abstract") }
    /// Shows all entries, to begin with.
    func show() { fatalError("abstract") }
    /// At a place in the source entries have gone, and others stand there.
    func replace(_ place: Int, _ gone: [Entry], _ come: [Entry]) {}
    /// Entries that are shown have moved; as numbered among those.
    func move(_ range: Range<Int>, to: Int) {}
    func reorder(from start: Int, _ order: [Int]) {}
    /// The entries of one element show something else perhaps.
    func update(_ entries: [Entry]) {}

    // MARK: - Following

    final func add(_ edit: obv_container_edit) {
        let start = edit.position
        if edit.moved == 0 {
            // What is there now is what those edits make of it that are told together: insertions
            // are where they will stay, and a removal may be past the end.
            let come = edit.inserted == 0 ? [] : source._content[start..<start + edit.inserted]
            steps.append(.edit(.replace(start..<start + edit.removed, with: ContiguousArray(come))))
        } else if let positions = edit.order {
            var order = Array(repeating: 0, count: edit.moved)
            for before in 0..<edit.moved { order[positions[before]] = before }
            steps.append(.edit(.reorder(from: start, order)))
        } else {
            steps.append(.edit(.move(start..<start + edit.moved, to: edit.to)))
        }
    }

    private func follow() {
        if isFollowing { return }
        isFollowing = true
        defer { isFollowing = false }
        // Code of the program may let go of what is shown meanwhile.
        let held = shown
        while !steps.isEmpty {
            switch steps.removeFirst() {
            case .edit(let edit): follow(edit)
            case .update(let entries):
                let present = entries.filter { !$0.hasLeft }
                if !present.isEmpty { update(present) }
            }
        }
        withExtendedLifetime(held) {}
    }

    private func follow(_ edit: ArrayEdit<Element>) {
        switch edit {
        case .replace(let range, let elements):
            let gone = entries.cut(range).nodes.map(\.value)
            gone.forEach(leave)
            let come = elements.map(enter)
            entries.insert(OrderTree(come), at: range.lowerBound)
            replace(range.lowerBound, gone, come.map(\.value))
        case .move(let range, let to):
            let from = entries.weight(before: range.lowerBound)
            let moved = entries.cut(range)
            let shown = from..<from + moved.weight
            entries.insert(moved, at: to)
            move(shown, to: entries.weight(before: to))
        case .reorder(let start, let order):
            var cut = entries.cut(start..<start + order.count)
            let before = cut.takeApart()
            entries.insert(OrderTree(order.map { before[$0] }), at: start)
            var ranks: [Int] = []
            var rank = 0
            for node in before {
                ranks.append(rank)
                rank += node.weight
            }
            reorder(
                from: entries.weight(before: start),
                order.filter { before[$0].counts }.map { ranks[$0] })
        }
    }

    private func enter(_ element: Element) -> OrderNode<Entry> {
        serial += 1
        let entry = Entry(element, serial: serial)
        if let observe {
            let id = ObjectIdentifier(element as AnyObject)
            let all =
                observed[id]
                ?? DerivedElement(element) { [unowned self] in
                    steps.append(.update($0))
                    follow()
                }
            observed[id] = all
            all.entries.append(entry)
            all.observation = all.observation ?? observe(all)
        }
        entry.output = value(of: element)
        let node = OrderNode(entry, counts: entry.output != nil)
        entry.node = node
        return node
    }

    private func leave(_ entry: Entry) {
        entry.hasLeft = true
        guard observe != nil else { return }
        let id = ObjectIdentifier(entry.element as AnyObject)
        observed[id]?.entries.removeAll { $0 === entry }
        if observed[id]?.entries.isEmpty == true {
            observed.removeValue(forKey: id)?.observation?.stop()
        }
    }
}

/// Shows of each element something or nothing, in the order of the source.
final class Projection<Source: _ObservableArray, Output>: Derivation<Source, Output> {
    private unowned let output: DerivedArray<Output>
    private let transform: (Element) -> Output?
    /// It shows the elements themselves: an element that changes is the same one still.
    private let showsElements: Bool

    init(
        _ source: Source, _ output: DerivedArray<Output>, _ observe: Observe?, showsElements: Bool,
        _ transform: @escaping (Element) -> Output?
    ) {
        (self.output, self.transform, self.showsElements) = (output, transform, showsElements)
        super.init(source, observe)
    }

    override var shown: AnyObject { output }
    override func value(of element: Element) -> Output? { transform(element) }

    override func show() {
        output.begin(ContiguousArray(entries.nodes.compactMap(\.value.output)), by: self)
    }

    override func replace(_ place: Int, _ gone: [Entry], _ come: [Entry]) {
        let start = entries.weight(before: place)
        let removed = gone.count { $0.output != nil }
        output._replace(start..<start + removed, with: come.compactMap(\.output))
    }

    override func move(_ range: Range<Int>, to: Int) {
        output.move(range, to: to)
    }

    override func reorder(from start: Int, _ order: [Int]) {
        output.reorder(from: start, order)
    }

    override func update(_ entries: [Entry]) {
        entries.forEach(update)
    }

    private func update(_ entry: Entry) {
        let (old, new) = (entry.output, transform(entry.element))
        if new != nil ? old != nil && showsElements : old == nil { return }
        let place = entry.node.weightBefore
        entry.output = new
        entry.node.counts = new != nil
        output._replace(
            place..<place + (old == nil ? 0 : 1), with: new.map { [$0] } ?? [])
    }
}

/// Shows all elements, in an order of their own; equal ones as they came.
final class Sorting<Source: _ObservableArray>: Derivation<Source, Source.Element> {
    private unowned let output: DerivedArray<Element>
    private let areInIncreasingOrder: (Element, Element) -> Bool
    private var sorted = OrderTree<Entry>()

    init(
        _ source: Source, _ output: DerivedArray<Element>, _ observe: Observe?,
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) {
        (self.output, self.areInIncreasingOrder) = (output, areInIncreasingOrder)
        super.init(source, observe)
    }

    override var shown: AnyObject { output }
    override func value(of element: Element) -> Element? { element }

    override func show() {
        let all = entries.nodes.map(\.value).sorted(by: stands)
        sorted = OrderTree(all.map(sortedNode))
        output.begin(ContiguousArray(all.map(\.element)), by: self)
    }

    override func replace(_ place: Int, _ gone: [Entry], _ come: [Entry]) {
        var removals: [Int] = []
        for entry in gone {
            removals.append(entry.sortedNode.place)
            sorted.remove(entry.sortedNode)
        }
        for entry in come { insert(sortedNode(entry)) }
        let insertions = come.map { (place: $0.sortedNode.place, element: $0.element) }
        output.edit(removals, insertions.sorted { $0.place < $1.place })
    }

    override func update(_ entries: [Entry]) {
        guard entries.count == 1 else {
            sortAgain(entries)
            return
        }
        let node = entries[0].sortedNode!
        let from = node.place
        sorted.remove(node)
        insert(node)
        output.move(from..<from + 1, to: node.place)
    }

    /// Of an element that stands there several times: all its places are wrong at once.
    private func sortAgain(_ entries: [Entry]) {
        for (place, node) in sorted.nodes.enumerated() { node.value.placeBefore = place }
        let nodes = entries.map { $0.sortedNode! }
        for node in nodes { sorted.remove(node) }
        nodes.forEach(insert)
        output.reorder(sorted.nodes.map(\.value.placeBefore))
    }

    private func insert(_ node: OrderNode<Entry>) {
        sorted.insert(node, at: sorted.place { stands($0, before: node.value) })
    }

    private func sortedNode(_ entry: Entry) -> OrderNode<Entry> {
        let node = OrderNode(entry)
        entry.sortedNode = node
        return node
    }

    private func stands(_ a: Entry, before b: Entry) -> Bool {
        if areInIncreasingOrder(a.element, b.element) { return true }
        return !areInIncreasingOrder(b.element, a.element) && a.serial < b.serial
    }
}

// MARK: - Making them

extension _ObservableArray {
    /// The elements that a condition includes, in their order here.
    ///
    ///     let good = songs.filtering { $0.rating > 3 }
    ///
    /// The condition is asked once for each element that comes. For one that depends on properties
    /// there is ``filtering(when:by:)``.
    ///
    /// Cost: an edit is O(log n) for each element that it touches, and moving what stands behind it
    /// in the buffer; 190 bytes an element that is a number, 1,320 to 1,600 of a model.
    public func filtering(
        by isIncluded: @escaping (Element) -> Bool
    ) -> DerivedArray<Element> {
        projecting(nil, showsElements: true) { isIncluded($0) ? $0 : nil }
    }

    /// What becomes of each element, in their order here.
    public func mapping<Output>(
        _ transform: @escaping (Element) -> Output
    ) -> DerivedArray<Output> {
        projecting(nil, showsElements: false, transform)
    }

    /// The same of those elements of which something becomes.
    public func compactMapping<Output>(
        _ transform: @escaping (Element) -> Output?
    ) -> DerivedArray<Output> {
        projecting(nil, showsElements: false, transform)
    }

    /// All elements, in another order. Equal ones stand as they came.
    ///
    /// Cost: O(log n) comparisons for each element that an edit touches; else as ``filtering(by:)``.
    public func sorting(
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> DerivedArray<Element> {
        sorting(nil, by: areInIncreasingOrder)
    }

    private func projecting<Output>(
        _ observe: Derivation<Self, Output>.Observe?, showsElements: Bool,
        _ transform: @escaping (Element) -> Output?
    ) -> DerivedArray<Output> {
        let output = DerivedArray<Output>()
        Projection(self, output, observe, showsElements: showsElements, transform).begin()
        return output
    }

    private func sorting(
        _ observe: Derivation<Self, Element>.Observe?,
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> DerivedArray<Element> {
        let output = DerivedArray<Element>()
        Sorting(self, output, observe, by: areInIncreasingOrder).begin()
        return output
    }
}

extension _ObservableArray where Element: Comparable {
    /// All elements in their own order.
    public func sorting() -> DerivedArray<Element> { sorting(by: <) }
}

extension _ObservableArray where Element: ObservableHost {
    /// The same of elements whose properties the condition reads: it is asked again when one of
    /// these paths of an element is called.
    ///
    ///     let good = songs.filtering(when: \.rating) { $0.rating > 3 }
    ///
    /// Cost: an observation for each element beside.
    public func filtering(
        when paths: TypedPath<Element>..., by isIncluded: @escaping (Element) -> Bool
    ) -> DerivedArray<Element> {
        projecting(observing(paths), showsElements: true) { isIncluded($0) ? $0 : nil }
    }

    public func mapping<Output>(
        when paths: TypedPath<Element>..., by transform: @escaping (Element) -> Output
    ) -> DerivedArray<Output> {
        projecting(observing(paths), showsElements: false, transform)
    }

    public func compactMapping<Output>(
        when paths: TypedPath<Element>..., by transform: @escaping (Element) -> Output?
    ) -> DerivedArray<Output> {
        projecting(observing(paths), showsElements: false, transform)
    }

    /// An element whose place changes moves there: who follows it goes with it.
    public func sorting(
        when paths: TypedPath<Element>...,
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> DerivedArray<Element> {
        sorting(observing(paths), by: areInIncreasingOrder)
    }

    func observing<Output>(
        _ paths: [TypedPath<Element>]
    ) -> DerivedElement<Element, Output>.Observe {
        { all in
            all.element.tell(
                all, whenAny: paths, on: .main, options: .immediate, label: "derived array"
            ) { all, _ in all.hasChanged(all.entries) }
        }
    }
}
