// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A dictionary that is observed like any object, and whose values can stand in paths by their keys:
///
///     final class Glossary: ObservableModel {
///         @Observed var words: ObservableDictionary<String, Entry> = [:]
///     }
///
///     glossary.tell(self, when: \.[text: "words.steampunk.pronunciation"]) { … }
///     glossary.words["steampunk"] = Entry()
///
/// A key may be observed before it is there. Text paths name keys that are a `String`; the key
/// "count" is written `\count`, and `count` is how many there are. `*` is every value, and the count.
///
/// Values are compared by `==` where they have it, objects too: an equal one calls nobody, while
/// deeper paths go on to the new object. Others as properties of their type are.
///
/// A reference type, as ``ObservableArray``, whose remarks on cost hold here too. The order of the
/// elements is none that can be relied on; it changes only where elements are removed.
nonisolated public final class ObservableDictionary<Key: Hashable, Value>: ObservableContainer {
    public typealias Element = (key: Key, value: Value)

    /// Where the value of a key stands; keys and values stand side by side.
    @usableFromInline final var _places: [Key: Int]
    @usableFromInline final var _keys: ContiguousArray<Key>
    @usableFromInline final var _values: ContiguousArray<Value>

    /// An empty dictionary.
    public init() {
        _places = [:]
        _keys = []
        _values = []
        super.init(())
    }

    /// A dictionary with the content of another one.
    public init(_ content: [Key: Value]) {
        _keys = ContiguousArray(content.keys)
        _values = ContiguousArray(content.values)
        _places = Self.places(of: _keys)
        super.init(())
    }

    /// A dictionary of pairs with unique keys.
    public convenience init<Pairs: Sequence<(Key, Value)>>(uniqueKeysWithValues pairs: Pairs) {
        self.init(Dictionary(uniqueKeysWithValues: pairs))
    }

    /// A dictionary of pairs; of those with one key `combine` makes one value.
    public convenience init<Pairs: Sequence<(Key, Value)>>(
        _ pairs: Pairs, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        self.init(try Dictionary(pairs, uniquingKeysWith: combine))
    }

    /// A dictionary of the elements of a sequence by their keys.
    public convenience init<Values: Sequence>(
        grouping values: Values, by key: (Values.Element) throws -> Key
    ) rethrows where Value == [Values.Element] {
        self.init(try Dictionary(grouping: values, by: key))
    }

    /// Another dictionary with the same content, which nobody observes.
    public func copy() -> ObservableDictionary { ObservableDictionary(content) }

    private static func places(of keys: ContiguousArray<Key>) -> [Key: Int] {
        Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    }

    // MARK: - What the core asks

    override var elementCount: Int { _keys.count }

    override func address(ofKey key: UnsafeRawPointer) -> UnsafeRawPointer? {
        valueAddress(ofKey: key)
    }

    override func next(_ index: Int) -> (key: UnsafeRawPointer?, element: UnsafeRawPointer)? {
        nextValue(index)
    }

    override class var containerForm: ContainerForm { dictionaryForm }
}

extension ObservableDictionary: DictionaryStorage {}

// MARK: - Reading

extension ObservableDictionary: RandomAccessCollection {
    public typealias Index = CollectionPlace
    public typealias SubSequence = Slice<_DictionaryContent<Key, Value>>

    @inlinable public var count: Int {
        _isRead()
        return _keys.count
    }

    @inlinable
    public func makeIterator() -> IndexingIterator<_DictionaryContent<Key, Value>> {
        _content.makeIterator()
    }

    public func index(forKey key: Key) -> Index? {
        _isRead()
        return _places[key].map { Index(place: $0) }
    }

    public func mapValues<Result>(
        _ transform: (Value) throws -> Result
    ) rethrows -> ObservableDictionary<Key, Result> {
        ObservableDictionary<Key, Result>(try content.mapValues(transform))
    }

    public func compactMapValues<Result>(
        _ transform: (Value) throws -> Result?
    ) rethrows -> ObservableDictionary<Key, Result> {
        ObservableDictionary<Key, Result>(try content.compactMapValues(transform))
    }

    public func filter(
        _ isIncluded: (Element) throws -> Bool
    ) rethrows -> ObservableDictionary {
        ObservableDictionary(try content.filter(isIncluded))
    }
}

extension ObservableDictionary: Equatable where Value: Equatable {
    public nonisolated static func == (a: ObservableDictionary, b: ObservableDictionary) -> Bool {
        a === b || a.content == b.content
    }
}

extension ObservableDictionary: ExpressibleByDictionaryLiteral {
    public convenience init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(uniqueKeysWithValues: elements)
    }
}

extension ObservableDictionary: Encodable where Key: Encodable, Value: Encodable {
    /// Writes what a `Dictionary` writes.
    public nonisolated func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }
}

extension ObservableDictionary: Decodable where Key: Decodable, Value: Decodable {
    public nonisolated convenience init(from decoder: any Decoder) throws {
        self.init(try [Key: Value](from: decoder))
    }
}
