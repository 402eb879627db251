// SPDX-License-Identifier: Apache-2.0

import CObservable

// Every edit is one change, by which each observation is called once, whatever the edit does.
// Removed elements live until the edit has been told, so that no `deinit` runs in its middle. An
// index out of range stops the program, as with an `Array`, before anything is done.

extension ObservableArray: MutableCollection {
    @inlinable
    public subscript(position: Int) -> Element {
        @inline(__always) get {
            if !_isPOD(Element.self) { _isRead() }
            return _elements[position]
        }
        set {
            if _isTold {
                _replace(position..<position + 1, with: CollectionOfOne(newValue))
                return
            }
            // Keeps the removed element until the array is whole again: its `deinit` may read the
            // array.
            let old = _elements[position]
            _elements[position] = newValue
            withExtendedLifetime(old) {}
        }
        _modify {
            if _isWatched {
                var element = _elements[position]
                var before: ContiguousArray<Element>? = _elements
                defer {
                    _end(&before)
                    self[position] = element
                }
                yield &element
            } else {
                yield &_elements[position]
            }
        }
    }

    @inlinable
    public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
        get { _content[bounds] }
        set { _replace(bounds, with: ContiguousArray(newValue)) }
    }

    /// Exchanges two elements. Who follows them goes with them.
    public func swapAt(_ i: Int, _ j: Int) {
        _elements.swapAt(i, j)
        guard _isTold, i != j else { return }
        let (low, high) = (Swift.min(i, j), Swift.max(i, j))
        let edits = [
            obv_container_edit(at: high, moved: 1, to: low),
            obv_container_edit(at: low + 1, moved: 1, to: high),
        ]
        edits.withUnsafeBufferPointer { tell($0) }
    }

    /// Moves an element: `to` counts after it has been taken out.
    public func move(from: Int, to: Int) {
        precondition(_elements.indices.contains(from), "Index out of range")
        precondition(_elements.indices.contains(to), "Index out of range")
        move(from..<from + 1, to: to)
    }

    /// Sorts by a predicate; equal elements stay in their order. If it throws, nothing is done.
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        let order = try _decide { elements in
            try elements.indices.sorted { try areInIncreasingOrder(elements[$0], elements[$1]) }
        }
        reorder(order)
    }

    /// The same by the elements' own order.
    public func sort() where Element: Comparable {
        sort(by: <)
    }

    public func reverse() {
        reorder(_elements.indices.reversed())
    }

    public func shuffle(using generator: inout some RandomNumberGenerator) {
        let order = _decide { $0.indices.shuffled(using: &generator) }
        reorder(order)
    }

    public func shuffle() {
        var generator = SystemRandomNumberGenerator()
        shuffle(using: &generator)
    }

    /// Brings those that belong behind to the end; answers where they begin.
    @discardableResult
    public func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
        var order = Array(_elements.indices)
        let pivot = try _decide { elements in
            try order.partition { try belongsInSecondPartition(elements[$0]) }
        }
        reorder(order)
        return pivot
    }
}

extension ObservableArray: RangeReplaceableCollection {
    public func replaceSubrange<Elements: Collection>(
        _ subrange: some RangeExpression<Int>, with newElements: Elements
    ) where Elements.Element == Element {
        _replace(subrange.relative(to: self), with: ContiguousArray(newElements))
    }

    /// Replaces the whole content. Compared position by position: an element that is at its place
    /// again has not left.
    public func assign(_ elements: some Sequence<Element>) {
        // Read first, since a sequence of the program may edit the array while it is read.
        let elements = ContiguousArray(elements)
        _replace(_elements.indices, with: elements)
    }

    public func reserveCapacity(_ capacity: Int) {
        _elements.reserveCapacity(capacity)
    }

    @inlinable
    public func append(_ element: Element) {
        _elements.append(element)
        if _isTold {
            _tellInserted(at: _elements.count - 1)
        }
    }

    public func append(contentsOf elements: some Sequence<Element>) {
        let elements = ContiguousArray(elements)
        _replace(_elements.endIndex..<_elements.endIndex, with: elements)
    }

    public static func += (array: ObservableArray, elements: some Sequence<Element>) {
        array.append(contentsOf: elements)
    }

    // The standard library's `+` would append to the first of the two arrays.

    public static func + (
        array: ObservableArray, elements: some Sequence<Element>
    ) -> ObservableArray {
        ObservableArray(array._elements + elements)
    }

    public static func + (
        array: ObservableArray, other: some RangeReplaceableCollection<Element>
    ) -> ObservableArray {
        ObservableArray(array._elements + ContiguousArray(other))
    }

    @inlinable
    public func insert(_ element: Element, at position: Int) {
        _elements.insert(element, at: position)
        if _isTold {
            _tellInserted(at: position)
        }
    }

    public func insert(contentsOf elements: some Collection<Element>, at position: Int) {
        _replace(position..<position, with: ContiguousArray(elements))
    }

    @inlinable
    @discardableResult
    public func remove(at position: Int) -> Element {
        let element = _elements.remove(at: position)
        if _isTold {
            withUnsafePointer(to: element) { _tellRemoved(at: position, $0) }
        }
        return element
    }

    /// Removes the first ones, as long as a condition says so. If it throws, nothing is done.
    public func trimPrefix(while shouldBeRemoved: (Element) throws -> Bool) rethrows {
        let kept = try _decide { try $0.drop(while: shouldBeRemoved).startIndex }
        removeSubrange(0..<kept)
    }

    public func removeSubrange(_ bounds: Range<Int>) {
        _replace(bounds, with: [])
    }

    public func removeSubrange(_ bounds: some RangeExpression<Int>) {
        removeSubrange(bounds.relative(to: self))
    }

    @inlinable
    @discardableResult
    public func removeFirst() -> Element {
        precondition(!_elements.isEmpty, "Can't remove first element from an empty collection")
        return remove(at: 0)
    }

    public func removeFirst(_ count: Int) {
        precondition(
            count >= 0 && count <= _elements.count,
            "Can't remove more items from a collection than it contains")
        removeSubrange(0..<count)
    }

    @inlinable
    @discardableResult
    public func removeLast() -> Element {
        precondition(!_elements.isEmpty, "Can't remove last element from an empty collection")
        return remove(at: _elements.count - 1)
    }

    public func removeLast(_ count: Int) {
        precondition(
            count >= 0 && count <= _elements.count,
            "Can't remove more items from a collection than it contains")
        removeSubrange(_elements.count - count..<_elements.count)
    }

    @inlinable
    public func popFirst() -> Element? {
        _elements.isEmpty ? nil : remove(at: 0)
    }

    @inlinable
    public func popLast() -> Element? {
        _elements.isEmpty ? nil : remove(at: _elements.count - 1)
    }

    public func removeAll(keepingCapacity keepCapacity: Bool = false) {
        let old = _elements
        _elements = []
        if keepCapacity {
            _elements.reserveCapacity(old.capacity)
        }
        tellReplaced(0, old, inserted: 0)
    }

    /// Removes those that a condition names. If it throws, nothing is done.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        var kept = ContiguousArray<Element>()
        var edits: [obv_container_edit] = []
        try _decide { elements in
            for (index, element) in elements.enumerated() {
                if !(try shouldBeRemoved(element)) {
                    kept.append(element)
                } else if edits.last?.position == kept.count {
                    edits[edits.count - 1].removed += 1
                } else {
                    edits.append(
                        obv_container_edit(at: kept.count, removed: 1, moved: 0, to: index))
                }
            }
        }
        guard !edits.isEmpty else { return }
        let old = _elements
        _elements = kept
        guard _isTold else { return }
        old.withUnsafeBufferPointer { old in
            for index in edits.indices {
                edits[index].old = UnsafeRawPointer(old.baseAddress! + edits[index].to)
                edits[index].to = 0
            }
            edits.withUnsafeBufferPointer { tell($0) }
        }
    }
}
