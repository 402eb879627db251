// SPDX-License-Identifier: Apache-2.0

import CObservable

// How collections are derived from others. Closures are asked once for each element that comes; with
// `when:` again when one of these paths of an element is called, with `refresh` about all. With `on:` what
// is derived follows when that loop is drained, in place of inside each change.

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

extension _ObservableArray {
    private func derive<Output>(
        when paths: [TypedPath<Element>] = [], on loop: DeliveryLoop? = nil,
        _ set: (ClosureFollower<Element, Output>) -> Void
    ) -> DerivedArray<Output> {
        let follower = ClosureFollower<Element, Output>()
        follower.observe(paths, on: loop)
        set(follower)
        return follower.derive(from: self)
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
        follower(of: key, on: loop).group(self)
    }

    /// Of the elements with one key the first.
    public func uniquing<Key: Hashable>(
        on loop: DeliveryLoop? = nil, by key: @escaping (Element) -> Key
    ) -> DerivedArray<Element> {
        follower(of: key, on: loop).unique(self)
    }

    private func follower<Key>(
        of key: @escaping (Element) -> Key, when paths: [TypedPath<Element>] = [],
        on loop: DeliveryLoop?
    ) -> KeyFollower<Element, Key> {
        let follower = KeyFollower(key)
        follower.observe(paths, on: loop)
        return follower
    }

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

private func order<Element>(
    _ areInIncreasingOrder: @escaping (Element, Element) -> Bool
) -> (Element, Element) -> Int {
    { areInIncreasingOrder($0, $1) ? -1 : areInIncreasingOrder($1, $0) ? 1 : 0 }
}

private func order<Element>(_ keys: [SortKey<Element>]) -> (Element, Element) -> Int {
    { a, b in keys.lazy.map { $0.compare(a, b) }.first { $0 != 0 } ?? 0 }
}

extension _ObservableArray where Element: Comparable {
    /// All elements in their own order.
    public func sorting() -> DerivedArray<Element> { sorting(by: <) }
}

extension _ObservableArray where Element: Hashable {
    /// Each element once, where the first of its equals stands.
    public func uniquing() -> DerivedArray<Element> { uniquing { $0 } }
}

extension _ObservableArray where Element: ObservableHost {
    /// The same of elements whose properties the condition reads: it is asked again when one of
    /// these paths of an element is called.
    ///
    ///     let good = songs.filtering(when: \.rating) { $0.rating > 3 }
    ///
    /// Cost: an observation for each element beside.
    public func filtering(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by isIncluded: @escaping (Element) -> Bool
    ) -> DerivedArray<Element> {
        derive(when: [path] + more, on: loop) { $0.condition = isIncluded }
    }

    /// The same with another object, as `filtering(with:when:by:)`.
    ///
    ///     messages.filtering(when: \.subject, with: list, when: \.searchText) { message, list in
    ///         message.subject.contains(list.searchText)
    ///     }
    public func filtering<Object: ObservableHost>(
        when paths: TypedPath<Element>..., with object: Object, when path: TypedPath<Object>,
        by isIncluded: @escaping (Element, Object) -> Bool
    ) -> DerivedArray<Element> {
        derive(when: paths) { $0.ask(object, when: path, isIncluded) }
    }

    public func mapping<Output>(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by transform: @escaping (Element) -> Output, left: ((Output) -> Void)? = nil
    ) -> DerivedArray<Output> {
        derive(when: [path] + more, on: loop) {
            $0.transform = { transform($1) }
            $0.left = left
        }
    }

    public func compactMapping<Output>(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by transform: @escaping (Element) -> Output?
    ) -> DerivedArray<Output> {
        derive(when: [path] + more, on: loop) { $0.transform = { transform($1) } }
    }

    /// An element whose place changes moves there: who follows it goes with it.
    public func sorting(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> DerivedArray<Element> {
        derive(when: [path] + more, on: loop) { $0.order = order(areInIncreasingOrder) }
    }

    /// The same by several keys.
    public func sorting(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by first: SortKey<Element>, _ rest: SortKey<Element>...
    ) -> DerivedArray<Element> {
        derive(when: [path] + more, on: loop) { $0.order = order([first] + rest) }
    }

    /// The same of elements whose properties the key reads.
    ///
    ///     let byGenre = songs.grouping(when: \.genre) { $0.genre }
    public func grouping<Key: Hashable>(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by key: @escaping (Element) -> Key
    ) -> DerivedDictionary<Key, DerivedArray<Element>> {
        follower(of: key, when: [path] + more, on: loop).group(self)
    }

    /// The same of elements whose properties the key reads.
    public func uniquing<Key: Hashable>(
        when path: TypedPath<Element>, _ more: TypedPath<Element>..., on loop: DeliveryLoop? = nil,
        by key: @escaping (Element) -> Key
    ) -> DerivedArray<Element> {
        follower(of: key, when: [path] + more, on: loop).unique(self)
    }
}

// MARK: - Dictionaries and sets

extension _ObservableDictionary {
    /// The values as an array, in the order in which their keys have come; from there on they are
    /// filtered, sorted, mapped and grouped:
    ///
    ///     let ranking = processes.listing().sorting(when: \.rank) { $0.rank < $1.rank }
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

    /// The position of an element of the source; nil: it is not in this array, or group. A computed
    /// property that asks depends on the content: so a selected row is observed. Cost: O(log n).
    public func index(of element: Element) -> Int? { index(showing: element) }

    /// Where what becomes of an element of the source stands.
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
