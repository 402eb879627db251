// SPDX-License-Identifier: Apache-2.0

// Collections that the program's closures edit while an algorithm runs (CP-2). Most algorithms of
// the language use an iterator, which has a snapshot of the elements. Algorithms that walk by index
// would see such edits, so those in this file walk over a snapshot of the content instead. The
// snapshot shares the collection's storage until an edit.

/// An observable collection, and what it has in it: what its algorithms go over.
public protocol _ObservableCollection: ObservableContainer, RandomAccessCollection,
    CustomReflectable, CustomStringConvertible, CustomDebugStringConvertible
where Index: Strideable, Index.Stride == Int {
    associatedtype _Content: RandomAccessCollection
    where
        _Content.Element == Element, _Content.Index == Index, _Content.SubSequence == SubSequence,
        _Content.Iterator == Iterator

    /// What is in it now. O(1); nothing is copied until it is edited.
    var _stored: _Content { get }

    /// Whether two contents are one storage, while both are held: no edit was between them.
    static func _areOne(_ a: _Content, _ b: _Content) -> Bool

    /// How a mirror shows it.
    static var _displayStyle: Mirror.DisplayStyle { get }
}

// MARK: - As text

extension _ObservableCollection {
    public static var _displayStyle: Mirror.DisplayStyle { .collection }

    /// Its elements.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: _content, displayStyle: Self._displayStyle)
    }
    /// The elements, in their order, as an `Array` shows them.
    public var description: String { Array(self).description }
    /// The same in the name of its class.
    public var debugDescription: String {
        "\(String(describing: Self.self).prefix { $0 != "<" })(\(description))"
    }
}

extension _ObservableDictionary {
    public static var _displayStyle: Mirror.DisplayStyle { .dictionary }

    /// Keys and values, as a `Dictionary` shows them.
    public var description: String {
        var content: [_Key: _Each] = [:]
        for element in self { content[element.key] = .some(element.value) }
        return content.description
    }
}

// MARK: - What its algorithms go over

extension _ObservableCollection {
    /// For those who read it.
    @inlinable public var _content: _Content {
        _isRead()
        return _stored
    }

    @inlinable public var startIndex: Index { _stored.startIndex }
    @inlinable public var endIndex: Index { _content.endIndex }
    @inlinable public var count: Int { _content.count }
    @inlinable public subscript(position: Index) -> Element { _content[position] }
    @inlinable public func makeIterator() -> _Content.Iterator { _content.makeIterator() }

    // As of an `Array`, whatever is in it: the language's own would ask for that.
    @inlinable public func index(after index: Index) -> Index { index.advanced(by: 1) }
    @inlinable public func index(before index: Index) -> Index { index.advanced(by: -1) }
    @inlinable public func index(_ index: Index, offsetBy distance: Int) -> Index {
        index.advanced(by: distance)
    }
    @inlinable public func distance(from start: Index, to end: Index) -> Int {
        start.distance(to: end)
    }

    /// The elements of a range, as they are now.
    @inlinable public subscript(bounds: Range<Index>) -> SubSequence { _content[bounds] }

    @inlinable
    public func map<Result, Failure: Error>(
        _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        try _content.map(transform)
    }

    @inlinable
    public func firstIndex(where isMeant: (Element) throws -> Bool) rethrows -> Index? {
        try _content.firstIndex(where: isMeant)
    }

    @inlinable
    public func lastIndex(where isMeant: (Element) throws -> Bool) rethrows -> Index? {
        try _content.lastIndex(where: isMeant)
    }

    @inlinable
    public func last(where isMeant: (Element) throws -> Bool) rethrows -> Element? {
        try _content.last(where: isMeant)
    }

    @inlinable
    public func indices(where isMeant: (Element) throws -> Bool) rethrows -> RangeSet<Index> {
        try _content.indices(where: isMeant)
    }

    @inlinable
    public func drop(while isMeant: (Element) throws -> Bool) rethrows -> SubSequence {
        try _content.drop(while: isMeant)
    }

    @inlinable
    public func prefix(while isMeant: (Element) throws -> Bool) rethrows -> SubSequence {
        try _content.prefix(while: isMeant)
    }

    @inlinable
    public func trimmingPrefix(while isMeant: (Element) throws -> Bool) rethrows -> SubSequence {
        try _content.drop(while: isMeant)
    }

    @inlinable
    public func split(
        maxSplits: Int = Int.max, omittingEmptySubsequences: Bool = true,
        whereSeparator isSeparator: (Element) throws -> Bool
    ) rethrows -> [SubSequence] {
        try _content.split(
            maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences,
            whereSeparator: isSeparator)
    }

    @inlinable public func reversed() -> ReversedCollection<_Content> { _content.reversed() }
    @inlinable public func enumerated() -> EnumeratedSequence<_Content> { _content.enumerated() }
    @inlinable public var lazy: LazySequence<_Content> { _content.lazy }
}

// MARK: - Made of what the language has

/// A collection that is made of a plain one with the same content: ``ObservableArray``,
/// ``ObservableDictionary`` and ``ObservableSet``.
public protocol _PlainCollection: _ObservableCollection {
    associatedtype _Plain
    init(_ plain: _Plain)
    /// For those who read it.
    var _plain: _Plain { get }
}

extension _PlainCollection {
    /// Another collection with the same content, which nobody observes.
    public func copy() -> Self { Self(_plain) }
}

extension _PlainCollection where _Plain: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a === b || a._plain == b._plain }
}

extension _PlainCollection where _Plain: Encodable {
    /// Writes what the language's own collection writes.
    public func encode(to encoder: any Encoder) throws { try _plain.encode(to: encoder) }
}

extension _PlainCollection where _Plain: Decodable {
    public init(from decoder: any Decoder) throws { self.init(try _Plain(from: decoder)) }
}

// MARK: - Deciding on an edit

extension _ObservableCollection {
    /// Lets code of the program decide on an edit, by a snapshot of the content. The program is
    /// stopped if that code edits the collection itself, since the decision would be about outdated
    /// content.
    @usableFromInline
    func _decide<Decision>(
        _ decide: (_Content) throws -> Decision
    ) rethrows -> Decision {
        var before: _Content? = _stored
        let decision = try decide(before!)
        _end(&before)
        return decision
    }

    /// Ends a decision, and releases its snapshot, so that the edit need not copy the storage.
    @usableFromInline
    func _end(_ before: inout _Content?) {
        // The snapshot holds the old storage, so an edit would have made another one.
        guard Self._areOne(before!, _stored) else {
            fatalError("a collection was edited by a closure that decides on an edit of it")
        }
        before = nil
    }
}

extension ContiguousArray {
    func isOne(with other: ContiguousArray) -> Bool {
        withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
    }
}

/// A place in a dictionary or a set, until it is edited.
@frozen
public struct CollectionPlace: Strideable, Hashable, Sendable {
    @usableFromInline let place: Int

    @inlinable
    init(place: Int) { self.place = place }

    @inlinable
    public func distance(to other: CollectionPlace) -> Int { other.place - place }

    @inlinable
    public func advanced(by distance: Int) -> CollectionPlace {
        CollectionPlace(place: place + distance)
    }
}
