// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A set that is observed like any object, and whose members can stand in paths by their hashes:
///
///     final class Article: ObservableModel {
///         @Observed var tags: ObservableSet<String> = []
///     }
///
///     article.tell(self, when: \.tags[member: "swift"]) { … }    // it comes, or goes
///     article.tell(self, when: \.tags.each) { … }                // any does
///     article.tags.insert("swift")
///
/// A key is the hash of a member at that moment, whole, and may be observed before the member is
/// there. Members that collide share it: who observes is called for each of them. It is good for
/// this process alone. A member whose hash changes while it is in the set is the program's error:
/// it is not found any more, until it is taken out by its place or with all others; its key, the
/// hash that it came with, is told then.
///
/// A reference type, as ``ObservableArray``, whose remarks on cost hold here too. The order of the
/// members is none that can be relied on; it changes only where members are removed.
nonisolated public final class ObservableSet<Element: Hashable>: ObservableContainer {
    /// Three parallel arrays: the members, the hashes that were recorded when members came in, and
    /// the place of the next member with the same hash (-1: none).
    @usableFromInline final var _members: ContiguousArray<Element> = []
    @usableFromInline final var _hashes: ContiguousArray<Int> = []
    @usableFromInline final var _nexts: ContiguousArray<Int> = []
    /// The place of the first member with a hash, where the chain of `_nexts` begins.
    @usableFromInline final var _firsts: [Int: Int] = [:]
    /// Removed members and their hashes, set while the core is told of an edit: the core still asks
    /// for the hashes.
    private final var left: (members: UnsafePointer<Element>, hashes: ContiguousArray<Int>)?

    /// An empty set.
    public init() {
        super.init(())
    }

    /// A set of the elements of a sequence.
    public init(_ elements: some Sequence<Element>) {
        super.init(())
        for element in elements where _find(element) == nil {
            _add(element)
        }
    }

    // MARK: - Keys

    /// The element of a path that stands for a member, whether it is in any set or not: `&`, and
    /// its hash. Equal members have equal keys.
    public static func key(for member: Element) -> String {
        "&\(UInt64(truncatingIfNeeded: member.hashValue))"
    }

    /// A member with the hash that a key says; nil: there is none, or it is no key.
    public func member(forKey key: String) -> Element? { members(forKey: key).first }

    /// All of them.
    public func members(forKey key: String) -> [Element] {
        guard key.first == "&", let hash = UInt64(key.dropFirst()) else { return [] }
        _isRead(hash: Int(truncatingIfNeeded: hash))
        var found: [Element] = []
        var place = _firsts[Int(truncatingIfNeeded: hash)] ?? -1
        while place >= 0 {
            found.append(_members[place])
            place = _nexts[place]
        }
        return found
    }

    // MARK: - What the core asks

    override var elementCount: Int { _members.count }

    override func next(_ index: Int) -> (key: UnsafeRawPointer?, element: UnsafeRawPointer)? {
        index < _members.count ? (nil, address(ofMemberAt: index)) : nil
    }

    /// The hash that was recorded when a present or just removed member came in. Its `hashValue`
    /// may have changed.
    override func hash(of element: UnsafeRawPointer) -> UInt64 {
        UInt64(truncatingIfNeeded: recordedHash(of: element.assumingMemoryBound(to: Element.self)))
    }

    override func member(_ hash: UInt64, _ index: Int) -> UnsafeRawPointer? {
        var place = _firsts[Int(truncatingIfNeeded: hash)] ?? -1
        for _ in 0..<index where place >= 0 {
            place = _nexts[place]
        }
        return place >= 0 ? address(ofMemberAt: place) : nil
    }

    /// The address of a member in the buffer, valid until the next edit.
    private func address(ofMemberAt place: Int) -> UnsafeRawPointer {
        _members.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress! + place) }
    }

    private func recordedHash(of element: UnsafePointer<Element>) -> Int {
        func hash(_ base: UnsafePointer<Element>?, _ _hashes: ContiguousArray<Int>) -> Int? {
            guard let base, element >= base, element < base + _hashes.count else { return nil }
            return _hashes[element - base]
        }
        return hash(left?.members, left?.hashes ?? [])
            ?? hash(_members.withUnsafeBufferPointer { $0.baseAddress }, _hashes)
            ?? element.pointee.hashValue
    }

    override class var containerForm: ContainerForm {
        ContainerForm(
            element: ElementKinds.byEquality(Element.self), stride: MemoryLayout<Element>.stride,
            access: .hashes)
    }
}

// MARK: - The table

extension ObservableSet {
    /// The place of the member that equals `element`; nil: there is none.
    @inlinable
    func _find(_ element: Element) -> Int? {
        var place = _firsts[element.hashValue] ?? -1
        while place >= 0, _members[place] != element {
            place = _nexts[place]
        }
        return place >= 0 ? place : nil
    }

    /// Adds an element, which must not be a member yet.
    @inlinable
    func _add(_ element: Element) {
        let hash = element.hashValue
        _nexts.append(_firsts[hash] ?? -1)
        _firsts[hash] = _members.count
        _hashes.append(hash)
        _members.append(element)
    }

    /// Removes the member at a place. The last member moves into the gap.
    @inlinable
    func _take(out place: Int) -> (member: Element, hash: Int) {
        let last = _members.count - 1
        _redirect(place, to: _nexts[place])
        if place != last {
            _redirect(last, to: place)
            _members.swapAt(place, last)
            _hashes.swapAt(place, last)
            _nexts.swapAt(place, last)
        }
        _nexts.removeLast()
        return (_members.removeLast(), _hashes.removeLast())
    }

    /// Makes the link that leads to `place` in its hash chain lead to `next`; -1 ends the chain.
    @inlinable
    func _redirect(_ place: Int, to next: Int) {
        let hash = _hashes[place]
        guard var before = _firsts[hash], before != place else {
            _firsts[hash] = next >= 0 ? next : nil
            return
        }
        while _nexts[before] != place {
            before = _nexts[before]
        }
        _nexts[before] = next
    }

    /// Removes the members at `leaving` and adds `coming`, which must not be members. Removed
    /// members are kept until the core has told of the edit, so that no `deinit` runs in between.
    @usableFromInline
    func _edit(leaving places: [Int], coming: [Element]) {
        var gone = ContiguousArray<Element>()
        var goneHashes = ContiguousArray<Int>()
        // The last place goes first, so that the places before it stay valid.
        for place in places.sorted(by: >) {
            let taken = _take(out: place)
            gone.append(taken.member)
            goneHashes.append(taken.hash)
        }
        for element in coming {
            _add(element)
        }
        if _isTold, !gone.isEmpty || !coming.isEmpty {
            tell(gone, goneHashes, coming)
        }
        withExtendedLifetime(gone) {}
    }

    private func tell(
        _ gone: ContiguousArray<Element>, _ _hashes: ContiguousArray<Int>, _ coming: [Element]
    ) {
        let outer = left
        gone.withUnsafeBufferPointer { gone in
            coming.withUnsafeBufferPointer { coming in
                left = gone.baseAddress.map { ($0, _hashes) }
                // A member that takes the place of an equal one is one replacement, not a removal
                // and an insertion.
                let isReplaced = gone.count == 1 && coming.count == 1 && gone[0] == coming[0]
                let edits =
                    isReplaced
                    ? [
                        obv_container_edit(
                            removed: 1, inserted: 1, old: gone.baseAddress, key: coming.baseAddress)
                    ]
                    : gone.indices.map {
                        obv_container_edit(
                            removed: 1, key: UnsafeRawPointer(gone.baseAddress! + $0))
                    }
                        + coming.indices.map {
                            obv_container_edit(
                                inserted: 1, key: UnsafeRawPointer(coming.baseAddress! + $0))
                        }
                edits.withUnsafeBufferPointer { tell($0) }
            }
        }
        left = outer
    }
}

// MARK: - Reading

/// What a set had in it at one time.
@frozen
public struct _SetContent<Element: Hashable>: RandomAccessCollection {
    @usableFromInline let members: ContiguousArray<Element>

    @inlinable
    init(members: ContiguousArray<Element>) { self.members = members }

    @inlinable public var startIndex: CollectionPlace { CollectionPlace(place: 0) }
    @inlinable public var endIndex: CollectionPlace { CollectionPlace(place: members.count) }
    @inlinable public subscript(position: CollectionPlace) -> Element { members[position.place] }
}

extension ObservableSet {
    @inlinable public var _stored: _SetContent<Element> { _SetContent(members: _members) }

    public nonisolated static var _displayStyle: Mirror.DisplayStyle { .set }

    public static func _areOne(_ a: _SetContent<Element>, _ b: _SetContent<Element>) -> Bool {
        a.members.isOne(with: b.members)
    }
}

extension ObservableSet: RandomAccessCollection {
    public typealias Index = CollectionPlace
    public typealias SubSequence = Slice<_SetContent<Element>>

    @inlinable public var isEmpty: Bool { count == 0 }

    public func firstIndex(of member: Element) -> Index? {
        _isRead()
        return _find(member).map { Index(place: $0) }
    }

    @inlinable
    public func contains(_ member: Element) -> Bool {
        _isRead(hash: member.hashValue)
        return _find(member) != nil
    }

    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> ObservableSet {
        ObservableSet(try _plain.filter(isIncluded))
    }
}

extension ObservableSet: _PlainCollection {
    /// The members, each once: what is made of them, and coded, is what a set of the language is.
    public var _plain: ContiguousArray<Element> { _content.members }
}

extension ObservableSet: Equatable {
    public nonisolated static func == (a: ObservableSet, b: ObservableSet) -> Bool {
        if a === b { return true }
        if a.count != b.count { return false }
        for member in a where b._find(member) == nil { return false }
        return true
    }
}

extension ObservableSet: Encodable where Element: Encodable {}
extension ObservableSet: Decodable where Element: Decodable {}

// MARK: - Editing

// Every edit is one change, as of an ``ObservableArray``. Observers are told only of members that
// really enter or leave.

extension ObservableSet {
    @discardableResult
    public func remove(at index: Index) -> Element {
        let member = _members[index.place]
        _edit(leaving: [index.place], coming: [])
        return member
    }

    public func popFirst() -> Element? {
        isEmpty ? nil : remove(at: startIndex)
    }

    public func removeAll(keepingCapacity keepCapacity: Bool = false) {
        _edit(leaving: Array(_members.indices), coming: [])
        // An observer that was told may have inserted members again.
        if !keepCapacity, isEmpty {
            _members = []
            _hashes = []
            _nexts = []
            _firsts = [:]
        }
    }

    /// Removes those that a condition names. If it throws, nothing is done.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        try edit { (try places(in: $0, where: shouldBeRemoved), []) }
    }

    /// Replaces the whole content.
    public func assign(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        edit { (places(in: $0) { !elements.contains($0) }, elements.filter { _find($0) == nil }) }
    }

    public func reserveCapacity(_ capacity: Int) {
        _members.reserveCapacity(capacity)
        _hashes.reserveCapacity(capacity)
        _nexts.reserveCapacity(capacity)
        _firsts.reserveCapacity(capacity)
    }

    public func formUnion(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        edit { _ in ([], elements.filter { _find($0) == nil }) }
    }

    public func formIntersection(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        edit { (places(in: $0) { !elements.contains($0) }, []) }
    }

    public func subtract(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        edit { _ in (elements.compactMap(_find), []) }
    }

    public func formSymmetricDifference(_ elements: some Sequence<Element>) {
        let elements = Set(elements)
        edit { _ in (elements.compactMap(_find), elements.filter { _find($0) == nil }) }
    }

    /// Decides on an edit by a snapshot, then makes it. A sequence of the program may edit the set
    /// while it is read, so callers read it before.
    private func edit(
        _ decide: (_SetContent<Element>) throws -> (leaving: [Int], coming: [Element])
    ) rethrows {
        let (leaving, coming) = try _decide(decide)
        _edit(leaving: leaving, coming: coming)
    }

    private func places(
        in content: _SetContent<Element>, where isMeant: (Element) throws -> Bool
    ) rethrows -> [Int] {
        try content.members.indices.filter { try isMeant(content.members[$0]) }
    }
}

extension ObservableSet: SetAlgebra {
    public convenience init(arrayLiteral elements: Element...) {
        self.init(elements)
    }

    @discardableResult @inlinable
    public func insert(
        _ member: Element
    ) -> (inserted: Bool, memberAfterInsert: Element) {
        if let place = _find(member) {
            return (false, _members[place])
        }
        if _isTold {
            _edit(leaving: [], coming: [member])
        } else {
            _add(member)
        }
        return (true, member)
    }

    @discardableResult @inlinable
    public func remove(_ member: Element) -> Element? {
        guard let place = _find(member) else { return nil }
        let found = _members[place]
        if _isTold {
            _edit(leaving: [place], coming: [])
        } else {
            _ = _take(out: place)
        }
        return found
    }

    /// Takes a member in, in the place of an equal one. That is no change to whoever observes, but
    /// deeper paths go on to the new object.
    @discardableResult
    public func update(with member: Element) -> Element? {
        let place = _decide { _ in _find(member) }
        let old = place.map { _members[$0] }
        _edit(leaving: place.map { [$0] } ?? [], coming: [member])
        return old
    }

    // Needed beside the overload for sequences: without this one, generic code would get
    // `SetAlgebra`'s default.
    public func subtract(_ other: ObservableSet) { subtract(other._plain) }

    public func union(_ other: ObservableSet) -> ObservableSet {
        changed { $0.formUnion(other) }
    }
    public func intersection(_ other: ObservableSet) -> ObservableSet {
        changed { $0.formIntersection(other) }
    }
    public func subtracting(_ other: ObservableSet) -> ObservableSet {
        changed { $0.subtract(other) }
    }
    public func symmetricDifference(_ other: ObservableSet) -> ObservableSet {
        changed { $0.formSymmetricDifference(other) }
    }

    private func changed(_ change: (ObservableSet) -> Void) -> ObservableSet {
        let made = copy()
        change(made)
        return made
    }
}
