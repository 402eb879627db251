// SPDX-License-Identifier: Apache-2.0

import CObservable

/// An array that follows another one by its edits, filtered, mapped or sorted; or a dictionary or a set.
///
///     let good = songs.refreshing(when: \.rating).filtering { $0.rating > 3 }
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
    /// Nil: the array is a group that has ended.
    private(set) final var follower: Follower?
    /// The engine's list, of which the array is a copy.
    private(set) final var list: OpaquePointer?
    /// Ends the derivation when it is released.
    private var hold: AnyObject?

    init() {
        super.init(())
    }

    /// Begins with the engine's present elements. Called once.
    func begin(
        _ list: OpaquePointer, _ tokens: ElementTokens<Element>, by follower: Follower,
        _ hold: AnyObject
    ) {
        (self.follower, self.list, self.hold) = (follower, list, hold)
        _elements = read(list, tokens)
    }

    /// Begins a group, or ends it with nil.
    func follow(_ list: OpaquePointer?, by follower: Follower?) {
        (self.follower, self.list) = (follower, list)
    }

    /// Reads elements from the engine's list; `part` is their number, nil: all of them.
    private func read(
        _ list: OpaquePointer, _ tokens: ElementTokens<Element>, from start: Int = 0,
        _ part: Int? = nil
    ) -> ContiguousArray<Element> {
        let count = part ?? obv_derived_list_count(list)
        // Not by the initializer below, which writes a count of 0 to the storage that all empty
        // arrays share.
        if count == 0 { return [] }
        return ContiguousArray(unsafeUninitializedCapacity: count) { elements, initialized in
            for index in 0..<count {
                let place = UnsafeRawPointer(obv_derived_list_at(list, start + index))
                (elements.baseAddress! + index).initialize(to: tokens.element(at: place))
            }
            initialized = count
        }
    }

    /// Repeats edits that the engine has made, and tells of them. Removed elements are kept until
    /// that is done.
    func apply(
        _ edits: UnsafeBufferPointer<obv_container_edit>, of list: OpaquePointer,
        _ tokens: ElementTokens<Element>
    ) {
        // The removed elements, whose tokens live until this function returns.
        let gone = ContiguousArray(
            (_isTold ? edits : UnsafeBufferPointer(rebasing: edits[..<0])).lazy.flatMap { edit in
                (0..<edit.removed).lazy.map { index in
                    tokens.element(
                        edit.old!.load(
                            fromByteOffset: index * MemoryLayout<UnsafeRawPointer?>.stride,
                            as: UnsafeMutableRawPointer?.self))
                }
            })
        if edits.count > 8 {
            _elements = read(list, tokens)
        } else {
            for edit in edits { apply(edit, of: list, tokens) }
        }
        guard _isTold else { return }
        gone.withUnsafeBufferPointer { gone in
            var next = 0
            let told = edits.map { edit in
                var edit = edit
                edit.old = edit.removed > 0 ? UnsafeRawPointer(gone.baseAddress! + next) : nil
                next += edit.removed
                return edit
            }
            told.withUnsafeBufferPointer { tell($0) }
        }
    }

    private func apply(
        _ edit: obv_container_edit, of list: OpaquePointer, _ tokens: ElementTokens<Element>
    ) {
        let start = edit.position
        if edit.moved == 0 {
            _elements.replaceSubrange(
                start..<start + edit.removed,
                with: read(list, tokens, from: start, edit.inserted))
        } else if let order = edit.order {
            let before = ContiguousArray(_elements[start..<start + edit.moved])
            for index in 0..<edit.moved { _elements[start + order[index]] = before[index] }
        } else {
            // The elements between the old and the new place move to make room.
            let (count, to) = (edit.moved, edit.to)
            let moved = UnsafeMutablePointer<Element>.allocate(capacity: count)
            defer { moved.deallocate() }
            _elements.withUnsafeMutableBufferPointer { elements in
                let first = elements.baseAddress!
                moved.moveInitialize(from: first + start, count: count)
                if to > start {
                    (first + start).moveInitialize(
                        from: first + start + count, count: to - start)
                } else {
                    (first + to + count).moveInitialize(from: first + to, count: start - to)
                }
                (first + to).moveInitialize(from: moved, count: count)
            }
        }
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

    @inlinable public subscript(position: Int) -> Element {
        if !_isPOD(Element.self) { _isRead() }
        return _elements[position]
    }
}
