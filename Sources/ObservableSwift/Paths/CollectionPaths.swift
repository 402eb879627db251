// SPDX-License-Identifier: Apache-2.0

import CObservable

// Elements of observable collections in typed paths, each with what it is as text:
//
//     \.songs[0].title                  songs.#0.title      of whichever song is first
//     \.songs[following: 2].title       songs.2.title       of the song that is third now
//     \.songs.each.title                songs.*.title       of any song
//     \.words["steampunk"]?.title       words.steampunk.title
//     \.tags[member: "swift"]           tags.&6021…         it comes, or goes
//     \.songs.count                     songs.count
//
// A path does not go on into the value of an element, as it does into that of a property: that is
// refused with kind `kind`. Observe the element, and compare what matters of it.

extension ObservedPath where Value: ObservableContainer {
    /// How many elements there are.
    public var count: ObservedPath<Root, Int> { _element(.count) }

    fileprivate func _element<Next>(_ element: ElementComponent) -> ObservedPath<Root, Next> {
        ObservedPath<Root, Next>(_done: _components + [.element(element)], _last: nil)
    }

    fileprivate func _each<Next>() -> ObservedPath<Root, Next> {
        ObservedPath<Root, Next>(_done: _components + [.any], _last: nil)
    }
}

extension ObservedPath where Value: _ObservedArray {
    /// Whatever stands at a position, which may lie past the end.
    public subscript(position: Int) -> ObservedPath<Root, Value.Item> {
        precondition(position >= 0, "a position is counted from the start")
        return _element(.position(position))
    }

    /// The element that stands at a position when observing begins, wherever it moves to, until it
    /// leaves.
    public subscript(following position: Int) -> ObservedPath<Root, Value.Item> {
        precondition(position >= 0, "a position is counted from the start")
        return _element(.occurrence(position))
    }

    /// Every element; at the end of a path, the content.
    public var each: ObservedPath<Root, Value.Item> { _each() }
}

extension ObservedPath where Value: _ObservedDictionary {
    /// The value of a key, which need not be there yet: the path goes on with `?`.
    public subscript(key: String) -> ObservedPath<Root, Value.Item>? {
        _element(.key(key)) as ObservedPath<Root, Value.Item>
    }

    /// Every value; at the end of a path, the content.
    public var each: ObservedPath<Root, Value.Item> { _each() }
}

extension ObservedPath where Value: _ObservedSet {
    /// A member, which need not be there yet, and those that collide with it.
    public subscript(member member: Value.Item) -> ObservedPath<Root, Value.Item> {
        _element(.member(UInt64(truncatingIfNeeded: member.hashValue)))
    }

    /// Every member; at the end of a path, the content.
    public var each: ObservedPath<Root, Value.Item> { _each() }
}

/// ``ObservableArray``, and nothing else: a constraint that makes its subscripts the more special
/// ones.
public protocol _ObservedArray: ObservableContainer, BidirectionalCollection where Index == Int {
    associatedtype Item
}

extension ObservableArray: _ObservedArray {
    public typealias Item = Element
}

/// The same of an ``ObservableDictionary`` whose keys are texts.
public protocol _ObservedDictionary: ObservableContainer {
    associatedtype Item
}

extension ObservableDictionary: _ObservedDictionary where Key == String {
    public typealias Item = Value
}

/// The same of an ``ObservableSet``.
public protocol _ObservedSet: ObservableContainer {
    associatedtype Item: Hashable
}

extension ObservableSet: _ObservedSet {
    public typealias Item = Element
}

/// An element of a collection, as a path names it.
enum ElementComponent {
    case count
    case position(Int)
    case occurrence(Int)
    case key(String)
    case member(UInt64)

    /// - Throws: ``ObservationError`` of kind `memory`.
    func element() throws(ObservationError) -> obv_element {
        switch self {
        case .count:
            return try named("count", OBV_ELEMENT_COUNT)
        case .position(let position):
            return numbered(UInt64(position), OBV_ELEMENT_POSITION)
        case .occurrence(let position):
            return numbered(UInt64(position), OBV_ELEMENT_OCCURRENCE)
        case .key(let key):
            return try named(key, OBV_ELEMENT_NAME)
        case .member(let hash):
            return numbered(hash, OBV_ELEMENT_MEMBER)
        }
    }

    private func numbered(_ number: UInt64, _ kind: obv_element_kind) -> obv_element {
        obv_element(kind: kind.rawValue, name: 0, number: number)
    }

    private func named(
        _ name: String, _ kind: obv_element_kind
    ) throws(ObservationError) -> obv_element {
        if name.utf8.contains(0) {
            throw ObservationError(.argument, "a key in a path has no NUL in it")
        }
        var name = name
        var id: UInt32 = 0
        let status = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                obv_names_intern(Context.names, bytes.baseAddress, bytes.count, &id)
            }
        }
        guard status == OBV_OK else {
            throw ObservationError(status, obv_error(), path: name)
        }
        return obv_element(kind: kind.rawValue, name: id, number: 0)
    }
}

extension ObservableContainer {
    /// The observable object that an element is, with a class and a reference.
    final func takeHost(_ element: ElementComponent) -> HeaderPointer? {
        let address: UnsafeRawPointer?
        switch element {
        case .position(let position), .occurrence(let position):
            address = position < elementCount ? self.address(at: position) : nil
        case .key(let key):
            address = withUnsafePointer(to: key) { self.address(ofKey: $0) }
        case .member(let hash):
            address = member(hash, 0)
        case .count:
            address = nil
        }
        return address.flatMap {
            ValueKinds.access(of: Self.containerForm.element).takeHost(of: $0)
        }
    }
}
