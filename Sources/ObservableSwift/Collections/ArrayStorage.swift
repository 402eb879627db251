// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The storage of ``ObservableArray`` and ``DerivedArray``: a buffer, with edits that are told.
@usableFromInline
protocol ArrayStorage<Element>: _ObservableArray {
    var _elements: ContiguousArray<Element> { get set }
}

extension ArrayStorage {
    @inlinable public var _stored: ContiguousArray<Element> { _elements }

    public static func _areOne(
        _ a: ContiguousArray<Element>, _ b: ContiguousArray<Element>
    ) -> Bool {
        a.isOne(with: b)
    }

    @usableFromInline
    func _replace(_ range: Range<Int>, with elements: some Collection<Element>) {
        let old = ContiguousArray(_elements[range])
        _elements.replaceSubrange(range, with: elements)
        tellReplaced(range.lowerBound, old, inserted: elements.count)
    }

    func tellReplaced(_ position: Int, _ old: ContiguousArray<Element>, inserted: Int) {
        guard _isTold, !old.isEmpty || inserted > 0 else { return }
        old.withUnsafeBufferPointer { old in
            tell(
                obv_container_edit(
                    at: position, removed: old.count, inserted: inserted,
                    old: UnsafeRawPointer(old.baseAddress)))
        }
    }

    /// Removes elements, one after the other, then inserts others, the first place first. So each
    /// insertion is told with the place that the element finally has. All is told as one change.
    func edit(_ removals: [Int], _ insertions: [(place: Int, element: Element)]) {
        let old = ContiguousArray(removals.map { _elements.remove(at: $0) })
        for (place, element) in insertions {
            _elements.insert(element, at: place)
        }
        guard _isTold, !removals.isEmpty || !insertions.isEmpty else { return }
        old.withUnsafeBufferPointer { old in
            let edits =
                removals.enumerated().map { index, place in
                    obv_container_edit(
                        at: place, removed: 1, old: UnsafeRawPointer(old.baseAddress! + index))
                } + insertions.map { obv_container_edit(at: $0.place, inserted: 1) }
            edits.withUnsafeBufferPointer { tell($0) }
        }
    }

    /// Moves a range. `to` counts in the array without the range.
    func move(_ range: Range<Int>, to: Int) {
        let moved = _elements[range]
        _elements.removeSubrange(range)
        _elements.insert(contentsOf: moved, at: to)
        if _isTold, range.lowerBound != to, !range.isEmpty {
            tell(obv_container_edit(at: range.lowerBound, moved: range.count, to: to))
        }
    }

    /// Gives elements another order: the element at `start + order[i]` moves to `start + i`.
    /// `order` contains each index once.
    func reorder(from start: Int = 0, _ order: [Int]) {
        let old = _elements[start..<start + order.count]
        _elements.replaceSubrange(
            start..<start + order.count, with: order.lazy.map { old[start + $0] })
        guard _isTold, !order.isEmpty else { return }
        var positions = Array(repeating: 0, count: order.count)
        for (now, before) in order.enumerated() {
            positions[before] = now
        }
        positions.withUnsafeBufferPointer {
            tell(obv_container_edit(at: start, moved: $0.count, order: $0.baseAddress))
        }
    }
}
