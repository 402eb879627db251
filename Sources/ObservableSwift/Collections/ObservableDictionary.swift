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

    /// A dictionary with the content of one of the language, which is made of pairs, by keys or by
    /// another transform: `ObservableDictionary(Dictionary(grouping: songs, by: \.year))`.
    public init(_ content: [Key: Value]) {
        _keys = ContiguousArray(content.keys)
        _values = ContiguousArray(content.values)
        _places = Self.places(of: _keys)
        super.init(())
    }

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
    public typealias Element = (key: Key, value: Value)
    public typealias Index = CollectionPlace
    public typealias SubSequence = Slice<_DictionaryContent<Key, Value>>

    public func index(forKey key: Key) -> Index? {
        _isRead()
        return _places[key].map { Index(place: $0) }
    }

    public func filter(
        _ isIncluded: (Element) throws -> Bool
    ) rethrows -> ObservableDictionary {
        ObservableDictionary(try content.filter(isIncluded))
    }
}

extension ObservableDictionary: _PlainCollection {
    public var _plain: [Key: Value] { content }
}

extension ObservableDictionary: Equatable where Value: Equatable {}
extension ObservableDictionary: Encodable where Key: Encodable, Value: Encodable {}
extension ObservableDictionary: Decodable where Key: Decodable, Value: Decodable {}

extension ObservableDictionary: ExpressibleByDictionaryLiteral {
    public convenience init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(Dictionary(uniqueKeysWithValues: elements))
    }
}
