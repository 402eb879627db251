// SPDX-License-Identifier: Apache-2.0

// Differences of a collection's content: recorded edit by edit, coalesced over a cycle. A call
// whose changes have undone each other is handed an empty difference.

extension _RecordedCollection {
    /// The edits of the content since the last call:
    ///
    ///     token = songs.differences().onChange { difference in
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
    /// Of a dictionary it is a `[Key: (old: Value?, new: Value?)]` of each key that was set or removed;
    /// of a set who has come and who has gone, `(insertions: Set<Element>, removals: Set<Element>)`.
    ///
    /// A call that no change has caused (`.initial`) is handed an empty one. The loop is one of whoever
    /// edits the collection, which is read in the call.
    ///
    /// Cost: O(log n) an edit, n the edits of its cycle; what is removed is kept until the call. Memory
    /// that is short for it ends the program.
    public func differences(
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Difference> {
        sequence(
            of: RequestedPaths([[.any]]), .nothing, .none, .init(file, line, isolation)
        ) { collection in
            let list = EditList(of: collection)
            return { collection, _ in list.take(collection) }
        }
    }
}

extension ObservableHost {
    /// The edits of the content of the collection that a path leads to:
    ///
    ///     token = playlist.differences(of: \.songs).onChange { difference in … }
    ///
    /// As `differences()` of the collection. When another collection takes its place, all its elements
    /// have gone, and those of the other one have come; nil has no elements. The collection is kept until
    /// the call that follows.
    ///
    /// - Parameters:
    ///   - path: not through `[following:]`, which is refused with kind `unsupportedElement`.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    public func differences<Collection: _RecordedCollection>(
        of path: ValuePath<Self, Collection>,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Collection.Difference> {
        // The builder's optional is never nil.
        let path = path(ObservedPath<Self>())!
        return sequence(
            of: FollowedEdits<Self, Collection>.paths(path), .nothing, .none,
            .init(file, line, isolation)
        ) { root in
            let followed = FollowedEdits(path, from: root)
            return { root, _ in followed.take(root) }
        }
    }
}

/// The edits of the collection that a path leads to, even if another takes its place.
private struct FollowedEdits<Root: ObservableHost, Collection: _RecordedCollection> {
    private let list = EditList<Collection>()
    private let path: ObservedPath<Collection>

    init(_ path: ObservedPath<Collection>, from root: Root) {
        self.path = path
        _ = take(root)
    }

    /// The collection's content.
    static func paths(_ path: ObservedPath<Collection>) -> RequestedPaths {
        let follows = path._components.contains {
            if case .element(.occurrence) = $0 { true } else { false }
        }
        let end: PathComponent =
            follows
            ? .refused("a difference is not told behind an element that is followed") : .any
        return RequestedPaths([path._components + [end]])
    }

    func take(_ root: Root) -> Collection.Difference {
        let collection = root.value(of: path).value
        list.turn(to: collection)
        return list.take(collection)
    }
}
