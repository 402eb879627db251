// SPDX-License-Identifier: Apache-2.0

import CObservable

/// An array that is observed like any object, and whose elements can stand in paths:
///
///     final class Playlist: ObservableModel {
///         @Observed var songs: ObservableArray<Song> = []
///     }
///
///     playlist.tell(self, when: \.[text: "songs.#0.title"]) { … }    // of whichever song is first
///     playlist.tell(self, when: \.[text: "songs.2.title"]) { … }     // of the song that is third now
///     playlist.tell(self, when: \.[text: "songs.*.title"]) { … }     // of any
///     playlist.tell(self, when: \.[text: "songs.count"]) { … }
///     playlist.songs.append(song)
///
/// `#n` is a position, which may lie past the end. `n` is the element that stands at n when
/// observing begins, wherever it moves to; when it leaves that is called once, and the path ends.
/// Sorting and moving is no leaving.
///
/// Elements are compared as properties of their type are: objects by identity, what is `Equatable`
/// by `==`, and else an element that is set counts as another. Replacing an element by an equal one
/// calls nobody.
///
/// A reference type: two properties that hold one array see each other's edits; ``copy()`` makes
/// another. Everything that edits it may be called on a `let`. Iterating is as fast as over an
/// `Array`, and goes on over the elements that were there when it began.
///
/// Cost: 32 bytes more than a model. An array that nobody observes pays one test an edit; one that
/// was met by the library (that stands in a property whose owner is observed, say) a call. Of an
/// edit that is told the elements that it removes are copied, so that they can be compared;
/// reordering takes memory for the order. See `<observable/container.h>` for what observers cost.
nonisolated public final class ObservableArray<Element>: ObservableContainer {
    @usableFromInline final var _elements: ContiguousArray<Element>

    /// An empty array.
    public init() {
        _elements = []
        super.init(())
    }

    /// An array with the elements of a sequence.
    public init(_ elements: some Sequence<Element>) {
        _elements = ContiguousArray(elements)
        super.init(())
    }

    // MARK: - What the core asks

    override var elementCount: Int { _elements.count }

    /// The address of an element in the buffer, valid until the next edit.
    override func address(at position: Int) -> UnsafeRawPointer {
        _elements.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress! + position) }
    }

    override class var isReadUntold: Bool { _isPOD(Element.self) }

    override class var containerForm: ContainerForm {
        ContainerForm(
            element: ElementKinds.byDeclaredType(Element.self),
            stride: MemoryLayout<Element>.stride, access: .positions)
    }
}

extension ObservableArray: ArrayStorage {}
extension ObservableArray: _ObservableArray {}

// MARK: - Reading

extension ObservableArray: RandomAccessCollection {
    @inlinable
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result? {
        _isRead()
        return try _elements.withContiguousStorageIfAvailable(body)
    }
}

extension ObservableArray: _PlainCollection {
    public var _plain: ContiguousArray<Element> { _content }
}

extension ObservableArray: Equatable where Element: Equatable {}
extension ObservableArray: Encodable where Element: Encodable {}
extension ObservableArray: Decodable where Element: Decodable {}

extension ObservableArray: ExpressibleByArrayLiteral {
    public convenience init(arrayLiteral elements: Element...) {
        self.init(elements)
    }
}
