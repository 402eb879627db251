// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A typed path whose value's type is forgotten: to keep several in a list, or to put together.
///
///     let paths: [TypedPath<User>] = [TypedPath(\.name), TypedPath(\.address?.zipCode)]
///     user.tell(self, whenAny: paths) { … }
///
/// Threads: any; reading through it is the library's, where its documentation says so. What a
/// component captures (`\.items[index]`) and an isolation of what it reads are forgotten with the
/// type: the program vouches that the values may go where the path goes, and that the root belongs
/// where it is observed.
public struct TypedPath<Root>: @unchecked Sendable {
    let components: [PathComponent]

    /// Splits a key path that is written here: `TypedPath<User>(\.address)`.
    public init<Value>(_ path: KeyPath<ObservedPath<Root, Root>, ObservedPath<Root, Value>>) {
        components = PathComponent.list(ObservedPath<Root, Root>()[keyPath: path])
    }

    /// The same with an optional on the way or at the end: `TypedPath<User>(\.address?.zipCode)`.
    public init<Value>(_ path: KeyPath<ObservedPath<Root, Root>, ObservedPath<Root, Value>?>) {
        // Components are there whatever values are: the builder's optional is never nil.
        components = PathComponent.list(ObservedPath<Root, Root>()[keyPath: path]!)
    }

    init(components: [PathComponent]) {
        self.components = components
    }

    /// This path and then another, from the object that this one ends at. Behind every property,
    /// from each object of that class which a property holds: the typed spelling of `*` in the
    /// middle.
    ///
    ///     TypedPath<User>(\.address?.anyProperty).appending(TypedPath<Street>(\.name))
    public func appending<Middle>(_ other: TypedPath<Middle>) -> TypedPath<Root> {
        TypedPath(components: components + other.components)
    }
}

/// One component of a typed path.
enum PathComponent {
    case reader(ComponentReader)
    case any

    var isAny: Bool {
        if case .any = self { return true }
        return false
    }

    static func list<Root, Value>(_ path: ObservedPath<Root, Value>) -> [PathComponent] {
        var components = path._done.compactMap { $0.map(PathComponent.reader) }
        if let last = path._last {
            components.append(.reader(last))
        }
        if path._endsWithAny {
            components.append(.any)
        }
        return components
    }

    /// Those of several paths from one root, each of them a path or an optional one.
    static func lists<Root, First, each Other>(
        _ first: KeyPath<ObservedPath<Root, Root>, First>,
        _ other: repeat KeyPath<ObservedPath<Root, Root>, each Other>
    ) -> [[PathComponent]] {
        var lists = [list(end: first)]
        for path in repeat each other {
            lists.append(list(end: path))
        }
        return lists
    }

    static func list<Root, End>(
        end path: KeyPath<ObservedPath<Root, Root>, End>
    ) -> [PathComponent] {
        guard let end = ObservedPath<Root, Root>()[keyPath: path] as? any PathEnd else {
            preconditionFailure("\(path) is no key path from \(Root.self)")
        }
        return end._components
    }
}

/// Where a typed path ends.
private protocol PathEnd {
    var _components: [PathComponent] { get }
}

extension ObservedPath: PathEnd {
    fileprivate var _components: [PathComponent] { PathComponent.list(self) }
}
