// SPDX-License-Identifier: Apache-2.0

import CObservable

/// An array that follows another one by its edits, filtered, mapped or sorted; or a dictionary or a set.
///
///     let good = songs.filtering(when: \.rating) { $0.rating > 3 }
///     let titles = good.sorting { $0.title < $1.title }.mapping(\.title)
///
///     titles.tell(label, when: \.count) { … }
///
/// It is observed, stands in properties and paths, and is derived from again, as an
/// ``ObservableArray``. Nobody but its source edits it. It holds its source; who lets go of it ends it.
///
/// It is brought up to date by an immediate observation of its source, in the call that edits that:
/// who had begun to observe the source immediately before is called before it is. Each edit of the
/// source is one edit here. Elements that are moved there are moved here, so whoever follows one goes
/// on following it.
nonisolated public final class DerivedArray<Element>: ObservableContainer {
    @usableFromInline final var _elements: ContiguousArray<Element> = []
    /// What keeps it up to date.
    private var derivation: AnyObject?

    init() {
        super.init(())
    }

    /// Once, with what it begins with.
    func begin(_ elements: ContiguousArray<Element>, by derivation: AnyObject) {
        _elements = elements
        self.derivation = derivation
    }

    // MARK: - What the core asks

    override var elementCount: Int { _elements.count }

    override func address(at position: Int) -> UnsafeRawPointer {
        _elements.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress! + position) }
    }

    override class var isReadUntold: Bool { _isPOD(Element.self) }

    override class var containerForm: ContainerForm { ObservableArray<Element>.containerForm }
}

extension DerivedArray: ArrayStorage {}
extension DerivedArray: _ObservableArray {}

extension DerivedArray: RandomAccessCollection {
    public typealias SubSequence = ArraySlice<Element>

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }
    @inlinable public var count: Int {
        _isRead()
        return _elements.count
    }
    @inlinable public subscript(position: Int) -> Element {
        if !_isPOD(Element.self) { _isRead() }
        return _elements[position]
    }

    @inlinable
    public func makeIterator() -> IndexingIterator<ContiguousArray<Element>> {
        _content.makeIterator()
    }
}

extension DerivedArray: CustomReflectable, CustomStringConvertible {
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: _elements, displayStyle: .collection)
    }
    public var description: String { Array(self).description }
}
