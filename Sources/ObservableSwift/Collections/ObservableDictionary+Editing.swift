// SPDX-License-Identifier: Apache-2.0

import CObservable

// Every edit is one change, as of an ``ObservableArray``.

extension ObservableDictionary {
    @inlinable
    public subscript(key: Key) -> Value? {
        get {
            _isRead(at: key)
            return _places[key].map { _values[$0] }
        }
        set {
            if _isTold {
                _edit([(key, newValue)])
            } else {
                withExtendedLifetime(_put(newValue, at: key)) {}
            }
        }
    }

    /// The value of a key; one that is changed in place is there from then on.
    @inlinable
    public subscript(
        key: Key, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        get { self[key] ?? defaultValue() }
        _modify {
            if let place = _places[key], !_isWatched {
                yield &_values[place]
            } else {
                var before: _DictionaryContent<Key, Value>? = _stored
                var value = self[key] ?? defaultValue()
                defer {
                    _end(&before)
                    self[key] = value
                }
                yield &value
            }
        }
    }

    @discardableResult @inlinable
    public func updateValue(_ value: Value, forKey key: Key) -> Value? {
        defer { self[key] = .some(value) }
        return self[key]
    }

    @discardableResult @inlinable
    public func removeValue(forKey key: Key) -> Value? {
        defer { self[key] = nil }
        return self[key]
    }

    @discardableResult
    public func remove(at index: Index) -> Element {
        let element = self[index]
        _edit([(element.key, nil)])
        return element
    }

    public func popFirst() -> Element? {
        isEmpty ? nil : remove(at: startIndex)
    }

    public func removeAll(keepingCapacity keepCapacity: Bool = false) {
        _edit(_keys.map { ($0, nil) })
        // An observer that was told may have put values in again.
        if !keepCapacity, isEmpty {
            _places = [:]
            _keys = []
            _values = []
        }
    }

    /// Removes those that a condition names. If it throws, nothing is done.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        let gone = try _decide { try $0.filter(shouldBeRemoved) }
        _edit(gone.map { ($0.key, nil) })
    }

    /// Replaces the whole content: a key that is there again has not gone.
    public func assign(_ content: [Key: Value]) {
        let gone = _keys.filter { content[$0] == nil }
        _edit(gone.map { ($0, nil) } + content.map { ($0.key, .some($0.value)) })
    }

    /// Takes pairs in; of a value that is there and one that comes `combine` makes one. If it
    /// throws, nothing is done.
    public func merge<Pairs: Sequence<(Key, Value)>>(
        _ pairs: Pairs, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        var coming: [Key: Value] = [:]
        try _decide { _ in
            for (key, value) in pairs {
                let before = coming[key] ?? self[key]
                coming[key] = .some(try before.map { try combine($0, value) } ?? value)
            }
        }
        _edit(coming.map { ($0.key, .some($0.value)) })
    }

    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    public func reserveCapacity(_ capacity: Int) {
        _places.reserveCapacity(capacity)
        _keys.reserveCapacity(capacity)
        _values.reserveCapacity(capacity)
    }
}
