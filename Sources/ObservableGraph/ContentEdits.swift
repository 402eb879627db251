// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The edits of one collection since the last look.
protocol ContentEdits {
    /// Nil: there were none, or they have undone each other.
    func take() -> (any ContentChange)?
}

/// A change of a collection's content.
protocol ContentChange {
    /// The observable objects that have come, and those that have gone; what was moved is both.
    var come: [any ObservableHost] { get }
    var gone: [any ObservableHost] { get }
    /// The collection; nil: it is gone.
    var collection: AnyObject? { get }
    /// Whether the content is still as the change has left it, so that it can be taken back.
    var fits: Bool { get }
    func revert()
}

/// A collection whose edits can be taken back. Derived ones follow their source, so they are none.
protocol RevertibleCollection: _RecordedCollection {
    /// Elements by element: of a dictionary its values.
    static func elements(of difference: Difference) -> (come: [Any], gone: [Any])
    func fits(_ difference: Difference) -> Bool
    func revert(_ difference: Difference)
}

extension RevertibleCollection {
    func edits() -> any ContentEdits { EditsOf(self) }
}

private struct EditsOf<Content: RevertibleCollection>: ContentEdits {
    private weak let content: Content?
    private let list: EditList<Content>

    init(_ content: Content) {
        self.content = content
        list = EditList(of: content)
    }

    func take() -> (any ContentChange)? {
        // No list tells of what a collection has lost by its end.
        guard let content else { return nil }
        let difference = list.take(content)
        let (come, gone) = Content.elements(of: difference)
        if come.isEmpty && gone.isEmpty { return nil }
        return ChangeOf(content: content, difference: difference, come: come, gone: gone)
    }
}

private struct ChangeOf<Content: RevertibleCollection>: ContentChange {
    private weak let content: Content?
    private let difference: Content.Difference
    let come, gone: [any ObservableHost]

    init(content: Content?, difference: Content.Difference, come: [Any], gone: [Any]) {
        self.content = content
        self.difference = difference
        self.come = come.compactMap { $0 as? any ObservableHost }
        self.gone = gone.compactMap { $0 as? any ObservableHost }
    }

    var collection: AnyObject? { content }

    /// Nothing is to be put back in a collection that is gone.
    var fits: Bool { content?.fits(difference) ?? true }

    func revert() { content?.revert(difference) }
}

// MARK: - Collections

extension ObservableArray: RevertibleCollection {
    static func elements(of difference: CollectionDifference<Element>) -> (come: [Any], gone: [Any])
    {
        (difference.insertions.map(element), difference.removals.map(element))
    }

    private static func element(of change: CollectionDifference<Element>.Change) -> Any {
        switch change {
        case .insert(_, let element, _), .remove(_, let element, _): element
        }
    }

    func fits(_ difference: CollectionDifference<Element>) -> Bool {
        let haveCome = difference.insertions.allSatisfy { change in
            guard case .insert(let offset, let element, _) = change else { return false }
            return offset < count && isAlike(self[offset], element)
        }
        // Elements are put back one after the other, each behind no gap.
        let rest = count - difference.insertions.count
        return haveCome
            && difference.removals.enumerated().allSatisfy { index, change in
                guard case .remove(let offset, _, _) = change else { return false }
                return offset <= rest + index
            }
    }

    func revert(_ difference: CollectionDifference<Element>) {
        for change in difference.inverse() {
            switch change {
            case .remove(let offset, _, _): remove(at: offset)
            case .insert(let offset, let element, _): insert(element, at: offset)
            }
        }
    }
}

extension ObservableDictionary: RevertibleCollection {
    static func elements(of difference: Difference) -> (come: [Any], gone: [Any]) {
        (
            difference.values.compactMap { $0.new.map { $0 as Any } },
            difference.values.compactMap { $0.old.map { $0 as Any } }
        )
    }

    func fits(_ difference: Difference) -> Bool {
        difference.allSatisfy { key, change in
            switch (self[key], change.new) {
            case (nil, nil): true
            case (let now?, let new?): isAlike(now, new)
            default: false
            }
        }
    }

    func revert(_ difference: Difference) {
        for (key, change) in difference { self[key] = change.old }
    }
}

extension ObservableSet: RevertibleCollection {
    static func elements(of difference: Difference) -> (come: [Any], gone: [Any]) {
        (difference.insertions.map { $0 as Any }, difference.removals.map { $0 as Any })
    }

    func fits(_ difference: Difference) -> Bool {
        difference.insertions.allSatisfy(contains) && !difference.removals.contains(where: contains)
    }

    func revert(_ difference: Difference) {
        subtract(difference.insertions)
        formUnion(difference.removals)
    }
}

/// Whether an element is the one that stood there, as far as its type can tell.
private func isAlike<Element>(_ a: Element, _ b: Element) -> Bool {
    let isComparable = Element.self is any Equatable.Type || Element.self is AnyObject.Type
    return !isComparable || _ByDeclaredType<Element>.areEqual(a, b)
}
