// SPDX-License-Identifier: Apache-2.0

// Elements of Swift's own collections in typed paths: `\.items[3].name`, `\.items[1..<3].count`.
//
// Members of the builder go before dynamic ones, so these take the place of the collection's own
// subscripts, which stop the program where there is no such element. `first`, `last` and a
// dictionary's key are optional by themselves and need no help.

extension ObservedPath where Value: BidirectionalCollection, Value.Index: Hashable {
    /// The element at an index; where the collection has none, the path is unreachable.
    public subscript(index: Value.Index) -> ObservedPath<Root, Value.Element> {
        let (done, reader) = _element(index)
        return ObservedPath<Root, Value.Element>(_done: done, _last: reader)
    }

    /// The elements in a range; where the collection does not have all of them, the path is
    /// unreachable. Swift's other ranges are not hashable, so that key paths do not take them.
    public subscript(range: Range<Value.Index>) -> ObservedPath<Root, Value.SubSequence> {
        let (done, reader) = _appending(\Value.[range]) { last, keyPath in
            SliceReader(last, keyPath) { $0 <= range.lowerBound && range.upperBound <= $1 }
        }
        return ObservedPath<Root, Value.SubSequence>(_done: done, _last: reader)
    }

    public subscript(range: ClosedRange<Value.Index>) -> ObservedPath<Root, Value.SubSequence> {
        let (done, reader) = _appending(\Value.[range]) { last, keyPath in
            SliceReader(last, keyPath) { $0 <= range.lowerBound && range.upperBound < $1 }
        }
        return ObservedPath<Root, Value.SubSequence>(_done: done, _last: reader)
    }

    fileprivate func _element(
        _ index: Value.Index
    ) -> ([ComponentReader?], TypedReader<Value.Element>) {
        _appending(\Value.[index]) { last, keyPath in ElementReader(last, index, keyPath) }
    }
}

extension ObservedPath
where Value: BidirectionalCollection, Value.Index: Hashable, Value.Element: _ObservedOptional {
    /// The same for elements that are optional: the path goes on with `?`.
    public subscript(index: Value.Index) -> ObservedPath<Root, Value.Element.Wrapped>? {
        let (done, reader) = _element(index)
        // Only Optional conforms.
        let optional = reader as AnyObject as! TypedReader<Value.Element.Wrapped?>
        return ObservedPath<Root, Value.Element.Wrapped>(
            _done: done, _last: UnwrappingReader(optional))
    }
}

/// Optional, and nothing else: a constraint that makes a subscript the more special one.
public protocol _ObservedOptional {
    associatedtype Wrapped
}

extension Optional: _ObservedOptional {}

/// An element of a collection, if there is one at the index.
final class ElementReader<Base: BidirectionalCollection>: TypedReader<Base.Element>,
    @unchecked Sendable
{
    private let base: TypedReader<Base>
    private let index: Base.Index

    init(_ base: TypedReader<Base>, _ index: Base.Index, _ keyPath: AnyKeyPath) {
        self.base = base
        self.index = index
        super.init(base.keyPaths + [keyPath])
    }

    override var property: ComponentReader { base.property }
    override var isWritable: Bool { base.isWritable }

    override func value(in object: AnyObject) -> Base.Element? {
        base.value(in: object).flatMap(element)
    }

    override func value(inFormer property: UnsafeRawPointer) -> Base.Element? {
        base.value(inFormer: property).flatMap(element)
    }

    private func element(_ collection: Base) -> Base.Element? {
        collection.startIndex <= index && index < collection.endIndex ? collection[index] : nil
    }
}

/// The elements of a collection in a range, if there are all of them.
final class SliceReader<Base: BidirectionalCollection>: TypedReader<Base.SubSequence>,
    @unchecked Sendable
{
    private let base: TypedReader<Base>
    private let keyPath: KeyPath<Base, Base.SubSequence>
    /// Whether they are in a collection with this start and this end.
    private let areThere: (Base.Index, Base.Index) -> Bool

    init(
        _ base: TypedReader<Base>, _ keyPath: KeyPath<Base, Base.SubSequence>,
        _ areThere: @escaping (Base.Index, Base.Index) -> Bool
    ) {
        self.base = base
        self.keyPath = keyPath
        self.areThere = areThere
        super.init(base.keyPaths + [keyPath])
    }

    override var property: ComponentReader { base.property }
    override var isWritable: Bool { base.isWritable }

    override func value(in object: AnyObject) -> Base.SubSequence? {
        base.value(in: object).flatMap(slice)
    }

    override func value(inFormer property: UnsafeRawPointer) -> Base.SubSequence? {
        base.value(inFormer: property).flatMap(slice)
    }

    private func slice(_ collection: Base) -> Base.SubSequence? {
        areThere(collection.startIndex, collection.endIndex) ? collection[keyPath: keyPath] : nil
    }
}
