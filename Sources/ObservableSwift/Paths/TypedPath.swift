// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A typed path, of whatever it leads to: what `\.address?.zipCode` is where a path is asked for, and
/// what a program keeps of one.
///
///     let paths: [TypedPath<User>] = [\.name, \.address?.zipCode]
///     user.tell(self, when: paths[1]) { … }
///     user.tell(self, when: .any(of: paths)) { … }
///
/// It is a key path: one that captures nothing that is not Sendable (`\.items[index]`) may go to
/// another thread, and is a `TypedPath<User> & Sendable`. The isolation of what it reads is forgotten
/// with the type: the program vouches that the root belongs where it is observed. Reading through it is
/// the library's, where its documentation says so.
///
/// Cost: Swift makes a literal anew each time that it is evaluated, which takes a microsecond, and of
/// several components more. So code that often begins to observe keeps its path.
public typealias TypedPath<Root> = PartialKeyPath<ObservedPath<Root>>

/// The parameter of a function that takes a typed path and hands its value over: `\.name`,
/// `\.address?.zipCode`. A value that is optional, or behind an optional, is told without that.
///
///     func show<Value>(_ path: ValuePath<User, Value>) {
///         user.values(of: path).tell(self) { cell, value in … }
///     }
public typealias ValuePath<Root, Value> =
    (ObservedPath<Root>) -> ObservedPath<Value>?

extension PartialKeyPath {
    /// A list of paths as one argument, wherever paths are asked for:
    ///
    ///     let paths: [TypedPath<User>] = [\.name, \.address?.zipCode]
    ///     user.tell(self, when: .any(of: paths)) { … }
    ///
    /// Of an empty list: none. An observation without a path is called by
    /// ``AnyObservation/schedule()`` and ``AnyObservation/execute()`` only.
    public static func any<Start>(of paths: [TypedPath<Start>]) -> TypedPath<Start>
    where Root == ObservedPath<Start> {
        let joined = JoinedPath([.anyOf(paths.flatMap(PathComponent.lists))])
        return \ObservedPath<Start>.[_joined: joined]
    }

    /// This path and then another, from the object that this one ends at. Behind every property,
    /// from each object of that class which a property holds: the typed spelling of `*` in the
    /// middle.
    ///
    ///     let street: TypedPath<Street> = \.name
    ///     let names = (\.address?.allProperties as TypedPath<User>).appending(street)
    public func appending<Start, Middle>(_ other: TypedPath<Middle>) -> TypedPath<Start>
    where Root == ObservedPath<Start> {
        let joined = JoinedPath(PathComponent.list(self) + PathComponent.list(other))
        return \ObservedPath<Start>.[_joined: joined]
    }
}

/// The components of a joined path, as the argument of a subscript that a key path captures.
final class JoinedPath: Hashable {
    let components: [PathComponent]

    init(_ components: [PathComponent]) {
        self.components = components
    }

    static func == (a: JoinedPath, b: JoinedPath) -> Bool { a === b }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// One component of a typed path.
enum PathComponent {
    case reader(ComponentReader)
    case any
    /// An element of a collection.
    case element(ElementComponent)
    /// The rest of the path, as text.
    case text(TextPath)
    /// A list of paths. It is the only component.
    case anyOf([[PathComponent]])
    /// A component that no path can have, and the reason.
    case refused(StaticString)

    /// The components of one path.
    static func list<Root>(_ path: TypedPath<Root>) -> [PathComponent] {
        guard let end = ObservedPath<Root>()[keyPath: path] as? any PathEnd else {
            preconditionFailure("\(path) is no key path from \(Root.self)")
        }
        return end._components
    }

    /// The components of each path that a typed path stands for: one path, or all of a list.
    static func lists<Root>(_ path: TypedPath<Root>) -> [[PathComponent]] {
        let components = list(path)
        if components.count == 1, case .anyOf(let paths) = components[0] { return paths }
        return [components]
    }

    static func list<Root, Value>(_ path: ValuePath<Root, Value>) -> [PathComponent] {
        // The builder's optional is never nil: it has components, whatever the values are.
        guard let end = path(ObservedPath<Root>()) else {
            preconditionFailure("a path to \(Value.self) is a key path")
        }
        return end._components
    }
}

/// An ``ObservedPath`` of any type, at the end of a typed path.
private protocol PathEnd {
    var _components: [PathComponent] { get }
}

extension ObservedPath: PathEnd {}
