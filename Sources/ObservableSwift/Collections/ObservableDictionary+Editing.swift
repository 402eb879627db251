// SPDX-License-Identifier: Apache-2.0

import CObservable

// Every edit is one change, as of an ``ObservableArray``.

extension ObservableDictionary {
    public subscript(key: Key) -> Value? {
        get { places[key].map { storedValues[$0] } }
        set {
            if _isTold {
                edit([(key, newValue)])
            } else {
                withExtendedLifetime(put(newValue, at: key)) {}
            }
        }
    }

    /// The value of a key; one that is changed in place is there from then on.
    public subscript(
        key: Key, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        get { self[key] ?? defaultValue() }
        _modify {
            if let place = places[key], !_isWatched {
                yield &storedValues[place]
            } else {
                var value = self[key] ?? defaultValue()
                defer { self[key] = value }
                yield &value
            }
        }
    }

    @discardableResult
    public func updateValue(_ value: Value, forKey key: Key) -> Value? {
        defer { self[key] = .some(value) }
        return self[key]
    }

    @discardableResult
    public func removeValue(forKey key: Key) -> Value? {
        defer { edit([(key, nil)]) }
        return self[key]
    }

    @discardableResult
    public func remove(at index: Index) -> Element {
        let element = self[index]
        edit([(element.key, nil)])
        return element
    }

    public func popFirst() -> Element? {
        isEmpty ? nil : remove(at: startIndex)
    }

    public func removeAll(keepingCapacity keepCapacity: Bool = false) {
        edit(storedKeys.map { ($0, nil) })
        if !keepCapacity {
            places = [:]
            storedKeys = []
            storedValues = []
        }
    }

    /// Removes those that a condition names. If it throws, nothing is done.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        edit(try self.filter { try shouldBeRemoved($0) }.storedKeys.map { ($0, nil) })
    }

    /// Replaces the whole content: a key that is there again has not gone.
    public func assign(_ content: [Key: Value]) {
        let gone = storedKeys.filter { content[$0] == nil }
        edit(gone.map { ($0, nil) } + content.map { ($0.key, .some($0.value)) })
    }

    /// Takes pairs in; of a value that is there and one that comes `combine` makes one. If it
    /// throws, nothing is done.
    public func merge<Pairs: Sequence<(Key, Value)>>(
        _ pairs: Pairs, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        var coming: [Key: Value] = [:]
        for (key, value) in pairs {
            let before = coming[key] ?? self[key]
            coming[key] = .some(try before.map { try combine($0, value) } ?? value)
        }
        edit(coming.map { ($0.key, .some($0.value)) })
    }

    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    public func merging<Pairs: Sequence<(Key, Value)>>(
        _ pairs: Pairs, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> ObservableDictionary {
        let merged = copy()
        try merged.merge(pairs, uniquingKeysWith: combine)
        return merged
    }

    public func merging(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> ObservableDictionary {
        try merging(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    public func reserveCapacity(_ capacity: Int) {
        places.reserveCapacity(capacity)
        storedKeys.reserveCapacity(capacity)
        storedValues.reserveCapacity(capacity)
    }
}

// MARK: - How

extension ObservableDictionary {
    /// Puts values at keys, and takes away those without one. Of what was there and goes nothing
    /// ends before it has been told.
    private func edit(_ puts: [(key: Key, value: Value?)]) {
        var keys = ContiguousArray<Key>()
        var olds = ContiguousArray<Value?>()
        for (key, value) in puts {
            let old = put(value, at: key)
            if old != nil || value != nil {
                keys.append(key)
                olds.append(old)
            }
        }
        if _isTold, !keys.isEmpty {
            tell(keys, olds)
        }
        withExtendedLifetime(olds) {}
    }

    /// - Returns: what stood there.
    private func put(_ value: Value?, at key: Key) -> Value? {
        switch (places[key], value) {
        case (nil, nil):
            return nil
        case (nil, let value?):
            places[key] = storedKeys.count
            storedKeys.append(key)
            storedValues.append(value)
            return nil
        case (let place?, let value?):
            let old = storedValues[place]
            storedValues[place] = value
            return old
        case (let place?, nil):
            return take(out: place)
        }
    }

    /// The last one stands in its place then.
    private func take(out place: Int) -> Value {
        let last = storedKeys.count - 1
        places[storedKeys[place]] = nil
        if place != last {
            storedKeys.swapAt(place, last)
            storedValues.swapAt(place, last)
            places[storedKeys[place]] = place
        }
        storedKeys.removeLast()
        return storedValues.removeLast()
    }

    private func tell(_ keys: ContiguousArray<Key>, _ olds: ContiguousArray<Value?>) {
        // Side by side, since an optional value may lie otherwise than a value.
        let present = ContiguousArray(olds.compactMap { $0 })
        keys.withUnsafeBufferPointer { keys in
            present.withUnsafeBufferPointer { present in
                var nextOld = 0
                let edits = olds.indices.map { index in
                    let wasThere = olds[index] != nil
                    defer { nextOld += wasThere ? 1 : 0 }
                    return obv_container_edit(
                        removed: wasThere ? 1 : 0,
                        inserted: places[keys[index]] == nil ? 0 : 1,
                        old: wasThere ? UnsafeRawPointer(present.baseAddress! + nextOld) : nil,
                        key: UnsafeRawPointer(keys.baseAddress! + index))
                }
                edits.withUnsafeBufferPointer { tell($0) }
            }
        }
    }
}
