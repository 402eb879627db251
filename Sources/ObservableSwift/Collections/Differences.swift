// SPDX-License-Identifier: Apache-2.0

// Observing the content of a collection, and what has become of it: recorded edit by edit, coalesced
// over a cycle. A call whose changes have undone each other is handed an empty difference.

extension _ObservableArray {
    /// Observes the content as long as the token is kept, and hands over what has happened since the
    /// last call:
    ///
    ///     token = songs.onDifference { songs, difference in
    ///         for change in difference { rows.apply(change) }
    ///     }
    ///
    /// Offsets of removals are in the content before, those of insertions in the content now. Applied
    /// one after the other, as an iteration has them (removals from the last on, then insertions
    /// from the first on), each fits what those before it have left. An element that has moved is
    /// removed and inserted, and each says where the other is. An element that was replaced by an
    /// equal one is too.
    ///
    /// Cost: an edit goes through the edits of its cycle; what is removed is kept until the call.
    public func onDifference(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform:
            @escaping @isolated(any) (Self, CollectionDifference<Element>) -> Void
    ) -> ObservationToken {
        let record = ArrayRecord<Element>(count: count)
        inform(record)
        return ObservationToken(
            self, everything, .init(loop, options, .declared, label, file, line),
            Callback(perform) { _, array, _ in (array!, record.take(array!._content)) })
    }

    /// The same with an observer, with which it ends.
    @discardableResult
    public func tellDifference<Observer: AnyObject>(
        _ observer: Observer,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform:
            @escaping @isolated(any) (
                Observer, Self, CollectionDifference<Element>
            ) -> Void
    ) -> KeyValueObservation {
        let record = ArrayRecord<Element>(count: count)
        inform(record)
        return KeyValueObservation(
            self, everything, .init(loop, options, .declared, label, file, line), observer,
            Callback(perform) { observer, array, _ in
                (observer!, array!, record.take(array!._content))
            })
    }
}

extension ObservableDictionary {
    /// What has become of one key.
    public struct Change {
        /// Nil: there was none; there is none.
        public let old, new: Value?
    }

    /// What has happened to a dictionary: of each key that was set or removed.
    public struct Difference {
        public let changes: [Key: Change]

        public var isEmpty: Bool { changes.isEmpty }
    }

    /// As ``ObservableArray/onDifference(on:options:label:file:line:perform:)``, by keys.
    public func onDifference(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservableDictionary, Difference) -> Void
    ) -> ObservationToken {
        let record = DictionaryRecord<Key, Value>()
        inform(record)
        return ObservationToken(
            self, everything, .init(loop, options, .declared, label, file, line),
            Callback(perform) { _, collection, _ in (collection!, record.take(collection!)) })
    }

    @discardableResult
    public func tellDifference<Observer: AnyObject>(
        _ observer: Observer,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform:
            @escaping @isolated(any) (Observer, ObservableDictionary, Difference) -> Void
    ) -> KeyValueObservation {
        let record = DictionaryRecord<Key, Value>()
        inform(record)
        return KeyValueObservation(
            self, everything, .init(loop, options, .declared, label, file, line), observer,
            Callback(perform) { observer, collection, _ in
                (observer!, collection!, record.take(collection!))
            })
    }
}

extension ObservableSet {
    /// What has happened to a set: who really has come, and who has gone.
    public struct Difference {
        public internal(set) var insertions: Set<Element> = []
        public internal(set) var removals: Set<Element> = []

        public var isEmpty: Bool { insertions.isEmpty && removals.isEmpty }
    }

    /// As ``ObservableArray/onDifference(on:options:label:file:line:perform:)``, by members.
    public func onDifference(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (ObservableSet, Difference) -> Void
    ) -> ObservationToken {
        let record = SetRecord<Element>()
        inform(record)
        return ObservationToken(
            self, everything, .init(loop, options, .declared, label, file, line),
            Callback(perform) { _, collection, _ in (collection!, record.take(collection!)) })
    }

    @discardableResult
    public func tellDifference<Observer: AnyObject>(
        _ observer: Observer,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, ObservableSet, Difference) -> Void
    ) -> KeyValueObservation {
        let record = SetRecord<Element>()
        inform(record)
        return KeyValueObservation(
            self, everything, .init(loop, options, .declared, label, file, line), observer,
            Callback(perform) { observer, collection, _ in
                (observer!, collection!, record.take(collection!))
            })
    }
}

/// The path of a collection's own content: `*`.
private let everything = RequestedPaths.text(["*"])
