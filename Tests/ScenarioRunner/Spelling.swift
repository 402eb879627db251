// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// The typed spelling of a path that a script has as text: key paths are put
// together from a table that holds, for each property, the literal that a user
// writes. The components stay separate, whoever puts them together.

/// A path in one of the spellings.
protocol Spelling<Root> {
    associatedtype Root: Thing

    var erased: TypedPath<Root> { get }

    /// Its changes, from an object; and from every instance of the class.
    func changes(_ root: Root) -> ObservationSequence<(Root, Told)>
    func everyChange() -> ObservationSequence<(Root?, Told)>

    /// A manual trigger; false: no such value can be written in the typed spelling.
    func trigger(_ root: Root, _ old: Any, _ new: Any?) -> Bool

    /// What it leads to; not of one with `*`.
    func value(at root: Root) throws(ObservationError) -> Value
}

/// A script's value, where `Value` is what a path ends at.
typealias Read = Value

typealias Start<Root> = ObservedPath<Root>
/// What stands behind an object's property.
typealias Middle<Root> = ObservedPath<Thing>?

/// `\.i`
private struct Direct<Root: Thing, Value>: Spelling {
    let path: KeyPath<Start<Root>, ObservedPath<Value>>

    var erased: TypedPath<Root> { path }

    func changes(_ root: Root) -> ObservationSequence<(Root, Told)> {
        root.changes(of: { $0[keyPath: path] }).map { ($0.object!, Told($0)) }
    }

    func everyChange() -> ObservationSequence<(Root?, Told)> {
        Root.allInstances.changes(of: { $0[keyPath: path] }).map { ($0?.object, Told($0)) }
    }

    func value(at root: Root) -> Read {
        Read(root.value(at: { $0[keyPath: path] }))
    }

    func trigger(_ root: Root, _ old: Any, _ new: Any?) -> Bool {
        guard let old = old as? Value else {
            return false
        }
        if let new {
            guard let new = new as? Value else {
                return false
            }
            root.trigger(path, old: old, new: new)
        } else {
            root.trigger(path, old: old)
        }
        return true
    }
}

/// `\.b?.i`, and `\.b`, whose value is optional.
private struct Chained<Root: Thing, Value>: Spelling {
    let path: KeyPath<Start<Root>, ObservedPath<Value>?>

    var erased: TypedPath<Root> { path }

    func changes(_ root: Root) -> ObservationSequence<(Root, Told)> {
        root.changes(of: { $0[keyPath: path] }).map { ($0.object!, Told($0)) }
    }

    func everyChange() -> ObservationSequence<(Root?, Told)> {
        Root.allInstances.changes(of: { $0[keyPath: path] }).map { ($0?.object, Told($0)) }
    }

    func value(at root: Root) -> Read {
        Read(root.value(at: { $0[keyPath: path] }))
    }

    func trigger(_ root: Root, _ old: Any, _ new: Any?) -> Bool {
        if let new {
            root.trigger(path, old: old as? Value, new: new as? Value)
        } else {
            root.trigger(path, old: old as? Value)
        }
        return true
    }
}

/// A property as the first element, and behind an object's.
private struct Component<Root: Thing> {
    let first: any Spelling<Root>
    /// nil: a Thing has no such property.
    let behind: (KeyPath<Start<Root>, Middle<Root>>) -> (any Spelling<Root>)?
    /// Of an object's property: how the path goes on.
    var firstObject: KeyPath<Start<Root>, Middle<Root>>?
    var nextObject: KeyPath<Middle<Root>, Middle<Root>>?

    static func value<Value>(
        _ first: KeyPath<Start<Root>, ObservedPath<Value>>,
        _ next: KeyPath<Middle<Root>, ObservedPath<Value>?>
    ) -> Component {
        Component(
            first: Direct(path: first), behind: { Chained(path: $0.appending(path: next)) })
    }

    static func optional<Value>(
        _ first: KeyPath<Start<Root>, ObservedPath<Value>?>,
        _ next: KeyPath<Middle<Root>, ObservedPath<Value>?>
    ) -> Component {
        Component(
            first: Chained(path: first), behind: { Chained(path: $0.appending(path: next)) })
    }

    static func object(
        _ first: KeyPath<Start<Root>, Middle<Root>>, _ next: KeyPath<Middle<Root>, Middle<Root>>
    ) -> Component {
        Component(
            first: Chained(path: first), behind: { Chained(path: $0.appending(path: next)) },
            firstObject: first, nextObject: next)
    }
}

/// What one component says: a property, or that of a collection with one of its elements.
private enum Step: Equatable {
    case name(String)
    case element(of: String, String, isPlain: Bool)
}

/// The steps of a path.
private func steps(of text: String) -> [Step] {
    var steps: [Step] = []
    var names = pathNames(of: text)[...]
    while let name = names.popFirst() {
        let isCollection = name.isPlain && ["list", "dict", "set"].contains(name.name)
        if isCollection, let element = names.popFirst() {
            steps.append(.element(of: name.name, element.name, isPlain: element.isPlain))
        } else {
            steps.append(.name(name.name))
        }
    }
    return steps
}

/// The components of a path from a Thing or a Sub; nil: there is none of this
/// name.
private func component<Root: Thing>(_ step: Step, _ type: Root.Type) -> Component<Root>? {
    switch step {
    case .name(let name): component(named: name, type)
    case .element("list", let name, isPlain: true): listElement(name)
    case .element("dict", let name, let isPlain): dictionaryElement(name, isPlain: isPlain)
    case .element("set", let name, isPlain: true): setElement(name)
    case .element: nil
    }
}

/// Behind a collection.
private typealias Behind<Root, Collection> = ObservedPath<Collection>?

private func listElement<Root: Thing>(_ name: String) -> Component<Root>? {
    typealias List = Behind<Root, ObservableArray<Thing>>
    let first: KeyPath<Start<Root>, List> = \.list
    let next: KeyPath<Middle<Root>, List> = \.?.list
    if name == "count" {
        return .optional(first.appending(path: \.?.count), next.appending(path: \.?.count))
    }
    let element: KeyPath<List, Middle<Root>>
    if name == "*" {
        element = \.?.each
    } else if let position = position(name) {
        element = \.?[following: position]
    } else if name.first == "#", let position = position(name.dropFirst()) {
        element = \.?[position]
    } else {
        return nil
    }
    return .object(first.appending(path: element), next.appending(path: element))
}

/// nil: it is written otherwise, so as text it is refused.
private func position(_ name: some StringProtocol) -> Int? {
    Int(name).flatMap { "\($0)" == name && $0 >= 0 ? $0 : nil }
}

private func dictionaryElement<Root: Thing>(_ name: String, isPlain: Bool) -> Component<Root>? {
    typealias Dictionary = Behind<Root, ObservableDictionary<String, Thing>>
    let first: KeyPath<Start<Root>, Dictionary> = \.dict
    let next: KeyPath<Middle<Root>, Dictionary> = \.?.dict
    if isPlain, name == "count" {
        return .optional(first.appending(path: \.?.count), next.appending(path: \.?.count))
    }
    if isPlain, isNumber(name) || name.isEmpty || "#&@".contains(name.first!) {
        return nil  // as text it is refused
    }
    let element: KeyPath<Dictionary, Middle<Root>> =
        isPlain && name == "*" ? \.?.each : \.?[name]
    return .object(first.appending(path: element), next.appending(path: element))
}

private func setElement<Root: Thing>(_ name: String) -> Component<Root>? {
    typealias Members = Behind<Root, ObservableSet<Thing>>
    let first: KeyPath<Start<Root>, Members> = \.set
    let next: KeyPath<Middle<Root>, Members> = \.?.set
    if name == "count" {
        return .optional(first.appending(path: \.?.count), next.appending(path: \.?.count))
    }
    let element: KeyPath<Members, Middle<Root>>
    if name == "*" {
        element = \.?.each
    } else if let member = world.things.compactMap(\.thing).first(where: { "&\($0.key)" == name }) {
        element = \.?[member: member]
    } else {
        return nil
    }
    return .object(first.appending(path: element), next.appending(path: element))
}

extension Thing {
    fileprivate var key: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}

private func component<Root: Thing>(
    named name: String, _ type: Root.Type
) -> Component<Root>? {
    switch name {
    case "i": .value(\.i, \.?.i)
    case "j": .value(\.j, \.?.j)
    case "d": .value(\.d, \.?.d)
    case "flag": .value(\.flag, \.?.flag)
    case "s": .optional(\.s, \.?.s)
    case "t": .optional(\.t, \.?.t)
    case "a": .object(\.a, \.?.a)
    case "b": .object(\.b, \.?.b)
    case "c": .object(\.c, \.?.c)
    case "w": .object(\.w, \.?.w)
    case "clamped": .value(\.clamped, \.?.clamped)
    case "list": .optional(\.list, \.?.list)
    case "dict": .optional(\.dict, \.?.dict)
    case "set": .optional(\.set, \.?.set)
    case "any": .optional(\.any, \.?.any)
    case "sum": .value(\.sum, \.?.sum)
    case "twice": .value(\.twice, \.?.twice)
    case "label": .optional(\.label, \.?.label)
    case "deep": .value(\.deep, \.?.deep)
    case "pick": .object(\.pick, \.?.pick)
    case "tenfold": .value(\.tenfold, \.?.tenfold)
    case "copied": .optional(\.copied, \.?.copied)
    case "*": any(type)
    case "k": ofSub(\.k, type)
    case "ping": ofSub(\.ping, type)
    case "pong": ofSub(\.pong, type)
    default: nil
    }
}

/// The wildcard. As first component it is not written in generic code, where the
/// compiler (6.3) fails at it.
private func any<Root: Thing>(_ type: Root.Type) -> Component<Root>? {
    let thing: KeyPath<Start<Thing>, ObservedPath<_AllProperties>> = \.allProperties
    let sub: KeyPath<Start<Sub>, ObservedPath<_AllProperties>> = \.allProperties
    let first: Any = type == Sub.self ? sub : thing
    guard let first = first as? KeyPath<Start<Root>, ObservedPath<_AllProperties>> else {
        return nil
    }
    return .value(first, \.?.allProperties)
}

/// A property that a Sub alone has, so as first component alone.
private func ofSub<Root: Thing>(
    _ property: KeyPath<Start<Sub>, ObservedPath<Int>>, _ type: Root.Type
) -> Component<Root>? {
    let first: Any = property
    guard let first = first as? KeyPath<Start<Root>, ObservedPath<Int>> else {
        return nil
    }
    return Component(first: Direct(path: first), behind: { _ in nil })
}

/// nil if one of the paths has no typed spelling: bad syntax, an unknown name.
func spell<Root: Thing>(_ texts: [String], _ type: Root.Type) -> [any Spelling<Root>]? {
    var spelled: [any Spelling<Root>] = []
    for text in texts {
        guard let path = spell(text, type) else {
            return nil
        }
        spelled.append(path)
    }
    return spelled
}

private func spell<Root: Thing>(_ text: String, _ type: Root.Type) -> (any Spelling<Root>)? {
    let steps = steps(of: text)
    if text.contains("\\"), steps.contains(.name("*")) {
        return nil  // perhaps an escaped one, which is a name
    }
    if elements(of: text).count > 255 {
        return nil  // as text it is an error of the text
    }
    guard let middle = steps.dropLast().firstIndex(of: .name("*")) else {
        return spell(steps: steps, type)
    }
    // A `*` in the middle: paths put together.
    guard let first = spell(steps: Array(steps[...middle]), type) else {
        return nil
    }
    var path = first.erased
    for part in steps[(middle + 1)...].split(afterEach: .name("*")) {
        guard let next = spell(steps: part, Thing.self) else {
            return nil
        }
        path = path.appending(next.erased)
    }
    return (try? TextPath(parsing: text)).map { Written(path, $0) }
}

/// The steps of a path with a `*` at its end at most, and those behind collections.
private func spell<Root: Thing>(steps all: [Step], _ type: Root.Type) -> (any Spelling<Root>)? {
    var steps = all
    let last = steps.removeLast()
    var middle: KeyPath<Start<Root>, Middle<Root>>?
    for (index, step) in steps.enumerated() {
        guard let component = component(step, type) else {
            return nil
        }
        if index == 0 {
            middle = component.firstObject
        } else if let next = component.nextObject {
            middle = middle?.appending(path: next)
        } else {
            middle = nil
        }
        guard middle != nil else {
            return nil
        }
    }
    if let middle {
        return component(last, type)?.behind(middle)
    }
    return component(last, type)?.first
}

extension Sequence<Step> {
    /// `[a * b]` is `[a *]` and `[b]`.
    fileprivate func split(afterEach separator: Step) -> [[Step]] {
        var parts: [[Step]] = []
        var isOpen = false
        for step in self {
            if isOpen {
                parts[parts.count - 1].append(step)
            } else {
                parts.append([step])
            }
            isOpen = step != separator
        }
        return parts
    }
}

/// A path as text; of one that no literal can say also put together.
struct Written<Root: Thing>: Spelling {
    let erased: TypedPath<Root>
    let path: TextPath

    init(_ path: TextPath) {
        self.path = path
        erased = \.[text: path]
    }

    init(_ joined: TypedPath<Root>, _ path: TextPath) {
        self.path = path
        erased = joined
    }

    func changes(_ root: Root) -> ObservationSequence<(Root, Told)> {
        root.changes(of: \.[text: path]).map { ($0.object!, Told($0)) }
    }

    func everyChange() -> ObservationSequence<(Root?, Told)> {
        Root.allInstances.changes(of: \.[text: path]).map { ($0?.object, Told($0)) }
    }

    func value(at root: Root) throws(ObservationError) -> Read {
        Read(try root.value(at: path))
    }

    func trigger(_ root: Root, _ old: Any, _ new: Any?) -> Bool {
        if let new {
            root.trigger(\.[text: path], old: old, new: new)
        } else {
            root.trigger(\.[text: path], old: old)
        }
        return true
    }
}
