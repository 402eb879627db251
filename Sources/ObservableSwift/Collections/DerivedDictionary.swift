// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A dictionary that follows an array by its edits: its elements in groups.
///
///     let byGenre = songs.refreshing(when: \.genre).grouping { $0.genre }
///     library.onChange(of: \.byGenre["blues"]?.each.title) { … }
///
/// It is observed, stands in properties and paths and tells differences, as an
/// ``ObservableDictionary``. Nobody but its source edits it. It holds its source; who lets go of it
/// ends it, and nothing edits its groups any more.
nonisolated public final class DerivedDictionary<Key: Hashable, Value>: ObservableContainer {
    @usableFromInline final var _places: [Key: Int] = [:]
    @usableFromInline final var _keys: ContiguousArray<Key> = []
    @usableFromInline final var _values: ContiguousArray<Value> = []
    /// Keeps the derivation, which updates this dictionary, alive.
    private var derivation: DerivationHold?
    private var follower: Follower?

    init() {
        super.init(())
    }

    /// Begins with the present groups. Called once.
    func begin(
        _ content: [(key: Key, value: Value)], by follower: Follower, _ derivation: DerivationHold
    ) {
        for (key, value) in content { _ = _put(value, at: key) }
        (self.follower, self.derivation) = (follower, derivation)
    }

    /// Asks for every element's key again.
    public func refresh() {
        _ = obv_derivation_refresh(derivation?.derivation, OBV_DERIVED_ALL.rawValue)
    }

    /// Other keys, from now on:
    ///
    ///     byGenre.replaceKey { $0.mood }
    ///
    /// A group of which the elements change leaves and comes by its edits, an element that keeps its key
    /// stays where it is.
    public func replaceKey<Element>(by key: @escaping (Element) -> Key)
    where Value == DerivedArray<Element> {
        (follower as! KeyFollower<Element, Key>).key = key
        refresh()
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

extension DerivedDictionary: DictionaryStorage {}
extension DerivedDictionary: _ObservableDictionary {
    public typealias _Each = Value
    public func _item(_ key: Key) -> Value? { self[key] }
}

extension DerivedDictionary: RandomAccessCollection {
    public typealias Element = (key: Key, value: Value)
    public typealias Index = CollectionPlace
    public typealias SubSequence = Slice<_DictionaryContent<Key, Value>>

    @inlinable public subscript(key: Key) -> Value? {
        _isRead(at: key)
        return _places[key].map { _values[$0] }
    }
}
