// SPDX-License-Identifier: Apache-2.0

import CObservable

// Elements of observable collections in typed paths, each with what it is as text:
//
//     \.songs[0].title                  songs.#0.title      of whichever song is first
//     \.songs[following: 2].title       songs.2.title       of the song that is third now
//     \.songs.each.title                songs.*.title       of any song
//     \.words["steampunk"]?.title       words.steampunk.title
//     \.ages[7]                         of keys that are no texts there is no text
//     \.tags[member: "swift"]           tags.&6021…         it comes, or goes
//     \.songs.count                     songs.count
//
// A path does not go on into the value of an element, as it does into that of a property, nor by
// other members of a collection (`\.songs.first`, `\.songs[0..<2]`), which do not tell when they
// change: both are refused with kind `unsupportedElement`.

extension ObservedPath where Value: ObservableContainer {
    /// How many elements there are.
    public var count: ObservedPath<Int> { _element(.count) }
}

extension ObservedPath {
    fileprivate func _element<Next>(_ element: ElementComponent) -> ObservedPath<Next> {
        ObservedPath<Next>(_components + [.element(element)])
    }

    fileprivate func _each<Next>() -> ObservedPath<Next> {
        ObservedPath<Next>(_components + [.any])
    }
}

// MARK: - Of every collection

// The language's own arrays, dictionaries and sets are values. When another value takes the place
// of one, an observation of an element or a member goes on with the element or member of the new
// value.

/// A collection whose elements stand in paths: an observable one, or one of the language.
public protocol _CollectionInPaths {
    /// The values that ``ObservedPath/each`` leads to.
    associatedtype _Each
}

/// The same of an array.
public protocol _ArrayInPaths: _CollectionInPaths {}

/// The same of a set.
public protocol _SetInPaths: _CollectionInPaths where _Each: Hashable {}

extension Array: _ArrayInPaths {
    public typealias _Each = Element
}
extension Dictionary: _CollectionInPaths {
    public typealias _Each = Value
}
extension Set: _SetInPaths {
    public typealias _Each = Element
}

extension ObservedPath where Value: _CollectionInPaths {
    /// Every element, value of a dictionary or member; at the end of a path, the content.
    public var each: ObservedPath<Value._Each> { _each() }
}

extension ObservedPath where Value: _ArrayInPaths {
    /// The element that stands at a position when observing begins, wherever it moves to, until it
    /// leaves. Of an array of the language: for as long as the array that takes the place of this one has
    /// the same there.
    public subscript(following position: Int) -> ObservedPath<Value._Each> {
        _element(.occurrence(position))
    }
}

extension ObservedPath where Value: _ArrayInPaths, Value._Each: _ObservedOptional {
    /// The same of elements that are optional: the path goes on with `?`.
    public subscript(following position: Int) -> ObservedPath<Value._Each.Wrapped>? {
        _element(.occurrence(position)) as ObservedPath<Value._Each.Wrapped>
    }

    /// The same of elements that are optional: the path goes on with `?`.
    public var each: ObservedPath<Value._Each.Wrapped>? {
        _each() as ObservedPath<Value._Each.Wrapped>
    }
}

extension ObservedPath where Value: _SetInPaths {
    /// A member, which need not be there yet, and those that collide with it.
    public subscript(member member: Value._Each) -> ObservedPath<Value._Each> {
        _element(.member(UInt64(truncatingIfNeeded: member.hashValue)))
    }
}

// MARK: - Of observable ones

extension ObservedPath where Value: _ObservableArray {
    /// Whatever stands at a position, which may lie past the end.
    public subscript(position: Int) -> ObservedPath<Value.Element> {
        _element(.position(position))
    }
}

extension ObservedPath where Value: _ObservableArray, Value.Element: _ObservedOptional {
    /// The same of elements that are optional: the path goes on with `?`.
    public subscript(position: Int) -> ObservedPath<Value.Element.Wrapped>? {
        _element(.position(position)) as ObservedPath<Value.Element.Wrapped>
    }
}

extension ObservedPath where Value: _ObservableDictionary {
    /// The value of a key, which need not be there yet: the path goes on with `?`.
    public subscript(key: Value._Key) -> ObservedPath<Value._Each>? {
        // A text key stands in the path as a name, so that the typed path equals the same path as
        // text.
        let isText = Value._Key.self == String.self
        return _element(isText ? .name(key as! String) : .key(.init(value: key)))
            as ObservedPath<Value._Each>
    }
}

/// ``ObservableArray`` and ``DerivedArray``, and nothing else: a constraint that makes its
/// subscripts the more special ones.
public protocol _ObservableArray: _ObservableCollection, _ArrayInPaths, _DerivationSource
where Index == Int, _Content == ContiguousArray<Element>, _Each == Element, _Array == Self {}

/// The same of ``ObservableDictionary`` and ``DerivedDictionary``.
public protocol _ObservableDictionary: _ObservableCollection, _CollectionInPaths
where
    Index == CollectionPlace, Element == (key: _Key, value: _Each),
    _Content == _DictionaryContent<_Key, _Each>
{
    associatedtype _Key: Hashable
    func _item(_ key: _Key) -> _Each?
}

extension ObservableDictionary: _ObservableDictionary {
    public typealias _Each = Value
    public func _item(_ key: Key) -> Value? { self[key] }
}

extension ObservableSet: _ObservableCollection, _SetInPaths {
    public typealias _Each = Element
}

/// An element of a collection, as a path names it.
enum ElementComponent {
    case count
    case position(Int)
    case occurrence(Int)
    /// A key that is a text.
    case name(String)
    /// A key of any other type.
    case key(CapturedKey)
    case member(UInt64)

    /// A key that a key path has captured. Unchecked, since the key path's own type says whether
    /// the key path, and with it the key, may go to another thread.
    struct CapturedKey: @unchecked Sendable {
        let value: any Hashable
    }

    /// - Returns: the core's element. The caller releases its reference to a key by
    ///   ``ElementComponent/letGo(_:)``.
    /// - Throws: ``ObservationError`` of kind `argument` or `memory`.
    func element() throws(ObservationError) -> obv_element {
        switch self {
        case .count:
            return try named("count", OBV_ELEMENT_COUNT)
        case .position(let position):
            return try numbered(position, OBV_ELEMENT_POSITION)
        case .occurrence(let position):
            return try numbered(position, OBV_ELEMENT_OCCURRENCE)
        case .name(let name):
            return try named(name, OBV_ELEMENT_NAME)
        case .key(let key):
            return try keyed(key.value)
        case .member(let hash):
            return obv_element(kind: OBV_ELEMENT_MEMBER.rawValue, name: 0, number: hash)
        }
    }

    private func numbered(
        _ position: Int, _ kind: obv_element_kind
    ) throws(ObservationError) -> obv_element {
        guard position >= 0 else {
            throw ObservationError(.argument, "a position in a path is counted from the start")
        }
        return obv_element(kind: kind.rawValue, name: 0, number: UInt64(position))
    }

    private func keyed<Key: Hashable>(_ key: Key) throws(ObservationError) -> obv_element {
        var taken: OpaquePointer?
        let status = withUnsafePointer(to: key) {
            obv_key_take(Context.shared, KeyKinds.kind(of: Key.self), $0, &taken)
        }
        guard status == OBV_OK, let taken else {
            throw ObservationError(status, obv_error(), path: "")
        }
        return obv_key_element(taken)
    }

    /// Releases the references to keys, once a path has its own.
    static func letGo(_ elements: [obv_element]) {
        for element in elements where element.kind == OBV_ELEMENT_KEY.rawValue {
            obv_key_release(OpaquePointer(bitPattern: UInt(element.number)))
        }
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
    /// The observable object that an element is: it has been given a class, and is retained for the
    /// caller.
    final func takeHost(_ element: ElementComponent) -> HeaderPointer? {
        let address: UnsafeRawPointer?
        switch element {
        case .position(let position), .occurrence(let position):
            let isThere = position >= 0 && position < elementCount
            address = isThere ? self.address(at: position) : nil
        case .name(let name):
            address = self.address(ofKey: name)
        case .key(let key):
            address = self.address(ofKey: key.value)
        case .member(let hash):
            address = member(hash, 0)
        case .count:
            address = nil
        }
        return address.flatMap {
            ValueKinds.access(of: Self.containerForm.element).takeHost(of: $0)
        }
    }

    private func address(ofKey key: some Hashable) -> UnsafeRawPointer? {
        withUnsafePointer(to: key) { address(ofKey: UnsafeRawPointer($0)) }
    }
}
