// SPDX-License-Identifier: Apache-2.0

// Observing the content of a collection, and what has become of it: recorded edit by edit, coalesced
// over a cycle. A call whose changes have undone each other is handed an empty difference.

extension _RecordedCollection {
    /// Observes the content as long as the token is kept, and hands over what has happened since the
    /// last call:
    ///
    ///     token = songs.onDifference { songs, difference in
    ///         for change in difference { rows.apply(change) }
    ///     }
    ///
    /// Of an array it is a `CollectionDifference`. Offsets of removals are in the content before,
    /// those of insertions in the content now. Applied one after the other, as an iteration has them
    /// (removals from the last on, then insertions from the first on), each fits what those before
    /// it have left. An element that has moved is removed and inserted, and each says where the
    /// other is. What was told as moved (`move`, `swapAt`, a sort) has moved, however few moves would do.
    /// An element that was replaced by an equal one is removed and inserted too.
    ///
    /// Of a dictionary it is the old and the new value of each key that was set or removed; of a set
    /// who has come and who has gone.
    ///
    /// A call that no change has caused (`.initial`) is handed an empty one.
    ///
    /// - Parameter loop: one of whoever edits the collection, which is read in the call.
    ///
    /// Cost: O(log n) an edit, n the edits of its cycle; what is removed is kept until the call. Memory
    /// that is short for it ends the program.
    public func onDifference(
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self, Difference) -> Void
    ) -> ObservationToken {
        let list = EditList(of: self)
        return ObservationToken(
            self, everything, .init(loop, options, .declared, label, file, line),
            Callback(perform) { _, collection, _ in (collection!, list.take(collection)) })
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
        perform: @escaping @isolated(any) (Observer, Self, Difference) -> Void
    ) -> KeyValueObservation {
        let list = EditList(of: self)
        return KeyValueObservation(
            self, everything, .init(loop, options, .declared, label, file, line), observer,
            Callback(perform) { observer, collection, _ in
                (observer!, collection!, list.take(collection))
            })
    }
}

/// The path of a collection's own content: `*`.
private let everything = RequestedPaths.text(["*"])

// MARK: - Behind a path

extension ObservableHost {
    /// Observes the content of the collection that a path leads to as long as the token is kept, and
    /// hands over what has happened to it since the last call:
    ///
    ///     token = playlist.onDifference(of: \.songs) { playlist, difference in … }
    ///
    /// As ``_RecordedCollection/onDifference(on:options:label:file:line:perform:)``. When another
    /// collection takes its place, all its elements have gone, and those of the other one have come;
    /// nil has no elements. The collection is kept until the call that follows.
    ///
    /// - Parameter path: not through `[following:]`, which is refused with kind `kind`.
    public func onDifference<Collection: _RecordedCollection>(
        of path: ValuePath<Self, Collection>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Self, Collection.Difference) -> Void
    ) -> ObservationToken {
        let followed = FollowedEdits(path, from: self)
        return ObservationToken(
            self, followed.paths, .init(loop, options, .declared, label, file, line),
            Callback(perform) { _, root, _ in (root!, followed.take(root!)) })
    }

    /// The same with an observer, with which it ends.
    @discardableResult
    public func tellDifference<Observer: AnyObject, Collection: _RecordedCollection>(
        _ observer: Observer,
        of path: ValuePath<Self, Collection>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Self, Collection.Difference) -> Void
    ) -> KeyValueObservation {
        let followed = FollowedEdits(path, from: self)
        return KeyValueObservation(
            self, followed.paths, .init(loop, options, .declared, label, file, line), observer,
            Callback(perform) { observer, root, _ in (observer!, root!, followed.take(root!)) })
    }
}

/// The edits of whatever collection a path leads to.
private struct FollowedEdits<Root: ObservableHost, Collection: _RecordedCollection> {
    private let list = EditList<Collection>()
    private let path: ObservedPath<Root, Collection>

    init(_ path: ValuePath<Root, Collection>, from root: Root) {
        // The builder's optional is never nil.
        self.path = path(ObservedPath<Root, Root>())!
        _ = take(root)
    }

    /// The collection's content.
    var paths: RequestedPaths {
        let follows = path._components.contains {
            if case .element(.occurrence) = $0 { true } else { false }
        }
        let end: PathComponent =
            follows
            ? .refused("a difference is not told behind an element that is followed") : .any
        return .typed([path._components + [end]])
    }

    func take(_ root: Root) -> Collection.Difference {
        let collection = root.value(at: { _ in path }).value
        list.turn(to: collection)
        return list.take(collection)
    }
}
