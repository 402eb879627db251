// SPDX-License-Identifier: Apache-2.0

// Elements of Swift's own collections in typed paths: `\.items[3].name`, `\.items[1..<3].count`.
//
// The collection's own subscripts stop the program if there is no such element. Members of the
// builder go before dynamic members, so the subscripts here replace those. `first`, `last` and a
// dictionary's key return optionals and need no replacement.

extension ObservedPath where Value: BidirectionalCollection, Value.Index: Hashable {
    /// The element at an index; where the collection has none, the path is unreachable.
    public subscript(index: Value.Index) -> ObservedPath<Value.Element> {
        _part(\Value.[index], isThere: { $0 <= index && index < $1 }, reader: { $0 })
    }

    /// The elements in a range; where the collection does not have all of them, the path is
    /// unreachable. Swift's other ranges are not hashable, so that key paths do not take them.
    public subscript(range: Range<Value.Index>) -> ObservedPath<Value.SubSequence> {
        _part(
            \Value.[range], isThere: { $0 <= range.lowerBound && range.upperBound <= $1 },
            reader: { $0 })
    }

    public subscript(range: ClosedRange<Value.Index>) -> ObservedPath<Value.SubSequence> {
        _part(
            \Value.[range], isThere: { $0 <= range.lowerBound && range.upperBound < $1 },
            reader: { $0 })
    }

    /// - Parameters:
    ///   - isThere: whether a collection with this start and this end has the part.
    ///   - reader: see `_appending`.
    fileprivate func _part<Part, Next>(
        _ keyPath: KeyPath<Value, Part>, isThere: @escaping (Value.Index, Value.Index) -> Bool,
        reader: (TypedReader<Part>) -> TypedReader<Next>
    ) -> ObservedPath<Next> {
        _appending(keyPath, field: { PartReader($0, $1, isThere) }, reader)
    }
}

extension ObservedPath
where Value: BidirectionalCollection, Value.Index: Hashable, Value.Element: _ObservedOptional {
    /// The same for elements that are optional: the path goes on with `?`.
    public subscript(index: Value.Index) -> ObservedPath<Value.Element.Wrapped>? {
        _part(
            \Value.[index], isThere: { $0 <= index && index < $1 },
            // Only Optional conforms.
            reader: { UnwrappingReader($0 as AnyObject as! TypedReader<Value.Element.Wrapped?>) })
    }
}

/// Optional, and nothing else: a constraint that makes a subscript the more special one.
public protocol _ObservedOptional {
    associatedtype Wrapped
}

extension Optional: _ObservedOptional {}

/// Reads an element or a range of elements of a collection; nil unless the collection has all of
/// them.
final class PartReader<Base: BidirectionalCollection, Part>: TypedReader<Part>,
    @unchecked Sendable
{
    private let base: TypedReader<Base>
    private let keyPath: KeyPath<Base, Part>
    /// Whether a collection with this start and this end has the part.
    private let isThere: (Base.Index, Base.Index) -> Bool

    init(
        _ base: TypedReader<Base>, _ keyPath: KeyPath<Base, Part>,
        _ isThere: @escaping (Base.Index, Base.Index) -> Bool
    ) {
        self.base = base
        self.keyPath = keyPath
        self.isThere = isThere
        super.init(base.keyPaths + [keyPath])
    }

    override var property: ComponentReader { base.property }
    override var isWritable: Bool { base.isWritable }
    override func mayRead(_ object: AnyObject) -> Bool { base.mayRead(object) }

    override func value(of source: ComponentSource) -> Part? {
        base.value(of: source).flatMap(part)
    }

    private func part(_ collection: Base) -> Part? {
        isThere(collection.startIndex, collection.endIndex) ? collection[keyPath: keyPath] : nil
    }
}
