// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The storage of ``ObservableDictionary`` and ``DerivedDictionary``: parallel arrays of keys and
/// values, which are edited and told of in one way.
@usableFromInline
protocol DictionaryStorage<Key, Value>: ObservableContainer {
    associatedtype Key: Hashable
    associatedtype Value
    /// The place of each key in `_keys`, and of its value in `_values`.
    var _places: [Key: Int] { get set }
    var _keys: ContiguousArray<Key> { get set }
    var _values: ContiguousArray<Value> { get set }
}

/// What a dictionary had in it at one time.
@frozen
public struct _DictionaryContent<Key: Hashable, Value>: RandomAccessCollection {
    @usableFromInline let keys: ContiguousArray<Key>
    @usableFromInline let values: ContiguousArray<Value>

    @inlinable
    init(keys: ContiguousArray<Key>, values: ContiguousArray<Value>) {
        self.keys = keys
        self.values = values
    }

    @inlinable public var startIndex: CollectionPlace { CollectionPlace(place: 0) }
    @inlinable public var endIndex: CollectionPlace { CollectionPlace(place: keys.count) }
    @inlinable public subscript(position: CollectionPlace) -> (key: Key, value: Value) {
        (keys[position.place], values[position.place])
    }
}

extension _ObservableDictionary {
    /// The keys, and the values in the same order. Cost: O(1); nothing is copied until the
    /// dictionary is edited.
    @inlinable public var keys: ContiguousArray<_Key> { _content.keys }
    @inlinable public var values: ContiguousArray<_Each> { _content.values }

    /// The content, as a dictionary of the language.
    public var content: [_Key: _Each] {
        let content = _content
        return Dictionary(uniqueKeysWithValues: zip(content.keys, content.values))
    }
}

extension DictionaryStorage {
    @inlinable public var _stored: _DictionaryContent<Key, Value> {
        _DictionaryContent(keys: _keys, values: _values)
    }

    public static func _areOne(
        _ a: _DictionaryContent<Key, Value>, _ b: _DictionaryContent<Key, Value>
    ) -> Bool {
        a.keys.isOne(with: b.keys) && a.values.isOne(with: b.values)
    }
}

extension DictionaryStorage {
    func valueAddress(ofKey key: UnsafeRawPointer) -> UnsafeRawPointer? {
        _places[key.assumingMemoryBound(to: Key.self).pointee].map(valueAddress(at:))
    }

    func nextValue(_ index: Int) -> (key: UnsafeRawPointer?, element: UnsafeRawPointer)? {
        guard index < _keys.count else { return nil }
        let key = _keys.withUnsafeBufferPointer {
            UnsafeRawPointer($0.baseAddress! + index)
        }
        return (key, valueAddress(at: index))
    }

    /// The address of a value in the buffer, valid until the next edit.
    private func valueAddress(at place: Int) -> UnsafeRawPointer {
        _values.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress! + place) }
    }

    static var dictionaryForm: ContainerForm {
        ContainerForm(
            element: ElementKinds.byEquality(Value.self), stride: MemoryLayout<Value>.stride,
            access: .keys(KeyKinds.kind(of: Key.self)))
    }
}

extension DictionaryStorage {
    /// Puts values at keys, and removes keys whose new value is nil. Old values are kept until the
    /// core has told of the edit, so that no `deinit` runs in between.
    @usableFromInline
    func _edit(_ puts: [(key: Key, value: Value?)]) {
        var keys = ContiguousArray<Key>()
        var olds = ContiguousArray<Value?>()
        var areThere: [Bool] = []
        for (key, value) in puts {
            let old = _put(value, at: key)
            if old != nil || value != nil {
                keys.append(key)
                olds.append(old)
                areThere.append(value != nil)
            }
        }
        if _isTold, !keys.isEmpty {
            tell(keys, olds, areThere)
        }
        withExtendedLifetime(olds) {}
    }

    /// - Returns: the value that stood at the key; nil: there was none.
    @inlinable
    func _put(_ value: Value?, at key: Key) -> Value? {
        switch (_places[key], value) {
        case (nil, nil):
            return nil
        case (nil, let value?):
            _places[key] = _keys.count
            _keys.append(key)
            _values.append(value)
            return nil
        case (let place?, let value?):
            let old = _values[place]
            _values[place] = value
            return old
        case (let place?, nil):
            return _take(out: place)
        }
    }

    /// Removes the key and the value at a place. The last ones move into the gap.
    @inlinable
    func _take(out place: Int) -> Value {
        let last = _keys.count - 1
        _places[_keys[place]] = nil
        if place != last {
            _keys.swapAt(place, last)
            _values.swapAt(place, last)
            _places[_keys[place]] = place
        }
        _keys.removeLast()
        return _values.removeLast()
    }

    private func tell(
        _ keys: ContiguousArray<Key>, _ olds: ContiguousArray<Value?>, _ areThere: [Bool]
    ) {
        // The core reads values, and an optional value may have another layout than the value
        // itself.
        let present = ContiguousArray(olds.compactMap { $0 })
        keys.withUnsafeBufferPointer { keys in
            present.withUnsafeBufferPointer { present in
                var nextOld = 0
                let edits = olds.indices.map { index in
                    let wasThere = olds[index] != nil
                    defer { nextOld += wasThere ? 1 : 0 }
                    return obv_container_edit(
                        removed: wasThere ? 1 : 0,
                        inserted: areThere[index] ? 1 : 0,
                        old: wasThere ? UnsafeRawPointer(present.baseAddress! + nextOld) : nil,
                        key: UnsafeRawPointer(keys.baseAddress! + index))
                }
                edits.withUnsafeBufferPointer { tell($0) }
            }
        }
    }
}
