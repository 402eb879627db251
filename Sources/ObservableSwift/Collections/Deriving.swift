// SPDX-License-Identifier: Apache-2.0

import CObservable

// How collections are derived from others. Closures are asked once for each element that comes; behind
// `refreshing(when:)` again when one of these paths of an element is called, with `refresh` about all. With
// `on:` what is derived follows when that loop is drained, in place of inside each change.

/// One of several keys of an order: elements of equal keys are told apart by the next one.
public struct SortKey<Element> {
    let compare: (Element, Element) -> Int

    public init<Value: Comparable>(_ key: @escaping (Element) -> Value, descending: Bool = false) {
        let less = descending ? -1 : 1
        compare = {
            let (a, b) = (key($0), key($1))
            return a < b ? -less : b < a ? less : 0
        }
    }
}

/// The source of a derived array: an array, ``ObservableArray`` or ``DerivedArray``, or one whose elements
/// are asked about again, `refreshing(when:)`.
public protocol _DerivationSource<Element> {
    associatedtype Element
    associatedtype _Array: _ObservableArray where _Array.Element == Element
    var _array: _Array { get }
    /// The paths of an element that ask about it again.
    var _refreshes: [TypedPath<Element>] { get }
}

extension _DerivationSource {
    fileprivate func derive<Output>(
        on loop: DeliveryLoop? = nil, _ set: (ClosureFollower<Element, Output>) -> Void
    ) -> DerivedArray<Output> {
        let follower = ClosureFollower<Element, Output>()
        follower.observe(_refreshes, on: loop)
        set(follower)
        return follower.derive(from: _array)
    }

    /// The elements that a condition includes, in their order here.
    ///
    ///     let good = songs.filtering { $0.rating > 3 }
    ///
    /// Cost: an edit is O(log n) for each element that it touches, and moving what stands behind it
    /// in the buffer; some 150 bytes an element.
    public func filtering(
        on loop: DeliveryLoop? = nil, by isIncluded: @escaping (Element) -> Bool
    ) -> DerivedArray<Element> {
        derive(on: loop) { $0.condition = isIncluded }
    }

    /// The same of a condition that reads another object, which is not kept: when a path of that is called,
    /// all elements are asked about again.
    ///
    ///     let found = messages.filtering(with: list, when: \.searchText) { message, list in
    ///         message.subject.contains(list.searchText)
    ///     }
    public func filtering<Object: ObservableHost>(
        with object: Object, when path: TypedPath<Object>,
        by isIncluded: @escaping (Element, Object) -> Bool
    ) -> DerivedArray<Element> {
        derive { $0.ask(object, when: path, isIncluded) }
    }

    /// What becomes of each element, in their order here. `left` is told which of that is shown no
    /// more, once everybody has been told: a row is disposed of.
    ///
    ///     let rows = songs.mapping { Row($0) } left: { $0.remove() }
    public func mapping<Output>(
        on loop: DeliveryLoop? = nil, _ transform: @escaping (Element) -> Output,
        left: ((Output) -> Void)? = nil
    ) -> DerivedArray<Output> {
        derive(on: loop) {
            $0.transform = { transform($1) }
            $0.left = left
        }
    }

    /// The same of those elements of which something becomes.
    public func compactMapping<Output>(
        on loop: DeliveryLoop? = nil, _ transform: @escaping (Element) -> Output?
    ) -> DerivedArray<Output> {
        derive(on: loop) { $0.transform = { transform($1) } }
    }

    /// All elements, in another order. Equal ones stand as they do here.
    ///
    /// Cost: O(log n) comparisons for each element that an edit touches; else as ``filtering(on:by:)``,
    /// and 40 bytes an element.
    public func sorting(
        on loop: DeliveryLoop? = nil, by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> DerivedArray<Element> {
        derive(on: loop) { $0.order = order(areInIncreasingOrder) }
    }

    /// The same by several keys: `songs.sorting(by: .init(\.year), .init(\.title))`.
    public func sorting(
        on loop: DeliveryLoop? = nil, by first: SortKey<Element>, _ more: SortKey<Element>...
    ) -> DerivedArray<Element> {
        derive(on: loop) { $0.order = order([first] + more) }
    }

    /// The elements by their keys, each key's in their order here:
    ///
    ///     let byGenre = songs.grouping { $0.genre }
    ///     byGenre["blues"]?.count
    ///
    /// A key without elements is not there; one that comes back has another array.
    public func grouping<Key: Hashable>(
        on loop: DeliveryLoop? = nil, by key: @escaping (Element) -> Key
    ) -> DerivedDictionary<Key, DerivedArray<Element>> {
        follower(of: key, on: loop).group(_array)
    }

    /// Of the elements with one key the first: `tags.uniquing { $0 }` has each once.
    public func uniquing<Key: Hashable>(
        on loop: DeliveryLoop? = nil, by key: @escaping (Element) -> Key
    ) -> DerivedArray<Element> {
        follower(of: key, on: loop).unique(_array)
    }

    private func follower<Key>(
        of key: @escaping (Element) -> Key, on loop: DeliveryLoop?
    ) -> KeyFollower<Element, Key> {
        let follower = KeyFollower(key)
        follower.observe(_refreshes, on: loop)
        return follower
    }
}

private func order<Element>(
    _ areInIncreasingOrder: @escaping (Element, Element) -> Bool
) -> (Element, Element) -> Int {
    { areInIncreasingOrder($0, $1) ? -1 : areInIncreasingOrder($1, $0) ? 1 : 0 }
}

private func order<Element>(_ keys: [SortKey<Element>]) -> (Element, Element) -> Int {
    { a, b in keys.lazy.map { $0.compare(a, b) }.first { $0 != 0 } ?? 0 }
}

extension _DerivationSource where Element: Comparable {
    /// All elements in their own order.
    public func sorting() -> DerivedArray<Element> { sorting(by: <) }
}

// MARK: - What only an array has

extension _ObservableArray {
    public var _array: Self { self }
    public var _refreshes: [TypedPath<Element>] { [] }

    /// A part by position: at most so many elements. ``DerivedArray/show(_:from:)`` shows another one.
    public func taking(_ count: Int, from first: Int = 0) -> DerivedArray<Element> {
        derive {
            $0.kind.pointee.first = first
            $0.kind.pointee.limit = count
        }
    }

    /// The elements of all arrays that stand here, or belong to what stands here, one behind the other:
    /// `accounts.flattening { $0.inbox }`.
    public func flattening<Inner: _ObservableArray>(
        on loop: DeliveryLoop? = nil, _ inner: @escaping (Element) -> Inner?
    ) -> DerivedArray<Inner.Element> {
        let follower = ClosureFollower<Inner.Element, Inner.Element>()
        follower.observe([TypedPath<Inner.Element>](), on: loop)
        follower.inner = { inner($0.assumingMemoryBound(to: Element.self).pointee) }
        return follower.derive(from: self)
    }
}

extension _ObservableArray where Element: ObservableHost {
    /// This array, for closures that read properties of its elements: they are asked again about an element
    /// when one of these paths of it is called.
    ///
    ///     let good = songs.refreshing(when: \.rating).filtering { $0.rating > 3 }
    ///     let byGenre = songs.refreshing(when: \.genre).grouping { $0.genre }
    ///
    /// An element whose place in an order changes moves there: who follows it goes with it.
    ///
    /// Cost: an observation for each element of what is derived.
    public func refreshing(
        when path: TypedPath<Element>, _ more: TypedPath<Element>...
    ) -> some _DerivationSource<Element> {
        RefreshedArray(_array: self, _refreshes: [path] + more)
    }
}

/// An array and the paths of its elements, by which they are asked about again.
private struct RefreshedArray<Source: _ObservableArray>: _DerivationSource {
    let _array: Source
    let _refreshes: [TypedPath<Source.Element>]
}

// MARK: - Dictionaries and sets

extension _ObservableDictionary {
    /// The values as an array, in the order in which their keys have come; from there on they are
    /// filtered, sorted, mapped and grouped:
    ///
    ///     let ranking = processes.listing().refreshing(when: \.rank).sorting { $0.rank < $1.rank }
    ///
    /// A value that is put at a key stands where the one before it stood.
    public func listing() -> DerivedArray<_Each> {
        ClosureFollower<_Each, _Each>().derive(from: self)
    }

    /// What becomes of each key and its value, once for each value that comes.
    public func listing<Output>(
        _ transform: @escaping (_Key, _Each) -> Output
    ) -> DerivedArray<Output> {
        let follower = ClosureFollower<_Each, Output>()
        follower.transform = {
            transform($0!.assumingMemoryBound(to: _Key.self).pointee, $1)
        }
        return follower.derive(from: self)
    }
}

extension ObservableSet {
    /// The members as an array, in the order in which they have come; from there on they are filtered,
    /// sorted, mapped and grouped:
    ///
    ///     let sorted = tags.listing().sorting()
    public func listing() -> DerivedArray<Element> {
        ClosureFollower<Element, Element>().derive(from: self)
    }
}

// MARK: - Asking again

extension DerivedArray {
    private var derivation: OpaquePointer? { follower?.derivation }

    /// Asks the closures about every element again: of the source, also where this is a group. It is one edit;
    /// what answers the same is none.
    public func refresh() {
        _ = obv_derivation_refresh(derivation, OBV_DERIVED_ALL.rawValue)
    }

    /// The same about one element of the source.
    public func refresh<Source>(_ element: Source) {
        if list == nil { return }
        withToken(element) { _ = obv_derivation_refresh_element(derivation, $0) }
    }

    /// The position of an element of the source, or of what becomes of it; nil: it is not in this array, or
    /// group. A computed property that asks depends on the content: so a selected row is observed.
    /// Cost: O(log n).
    public func index<Source>(showing element: Source) -> Int? {
        _isRead()
        guard let list else { return nil }
        let index = withToken(element) { obv_derived_list_index(list, $0) }
        return index == Int(bitPattern: UInt.max) ? nil : index
    }

    private func withToken<Source, Result>(
        _ element: Source, _ body: (UnsafeMutableRawPointer?) -> Result
    ) -> Result {
        let tokens = closures(of: Source.self).tokens
        let token = tokens.make(element)
        defer { tokens.letGo(token) }
        return body(token)
    }

    /// Another condition, from now on.
    public func replaceCondition<Source>(by isIncluded: @escaping (Source) -> Bool) {
        closures(of: Source.self).condition = isIncluded
        _ = obv_derivation_refresh(derivation, OBV_DERIVED_CONDITION.rawValue)
    }

    /// Another transform.
    public func replaceTransform<Source>(by transform: @escaping (Source) -> Element) {
        closures(of: Source.self).transform = { transform($1) }
        _ = obv_derivation_refresh(derivation, OBV_DERIVED_TRANSFORM.rawValue)
    }

    /// Another order.
    public func replaceOrder(by areInIncreasingOrder: @escaping (Element, Element) -> Bool) {
        closures(of: Element.self).order = order(areInIncreasingOrder)
        _ = obv_derivation_refresh(derivation, OBV_DERIVED_ORDER.rawValue)
    }

    /// Another part by position, of an array that shows one.
    public func show(_ count: Int, from first: Int = 0) {
        let status = obv_derivation_slice(derivation, first, count)
        precondition(status != OBV_E_ARGUMENT, "this array shows no part by position")
    }

    private func closures<Source>(of _: Source.Type) -> ClosureFollower<Source, Element> {
        guard let closures = follower as? ClosureFollower<Source, Element> else {
            fatalError("this array is not derived from elements of \(Source.self)")
        }
        return closures
    }
}
