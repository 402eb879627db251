// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// Properties by name: reading and writing them as the scripts spell it, one at
// a time or along a path. Everything goes through the properties themselves.

private struct Property: Sendable {
    let name: String
    let get: @Sendable (Thing) -> Value
    let set: @Sendable (Thing, Value) -> Void
    let poke: @Sendable (Thing, Value) -> Void
    let isComputed: Bool
    /// A value as the property stores it.
    let stored: @Sendable (Value) -> Any

    init<Stored>(
        _ name: String, _ kind: Kind<Stored>, _ get: @escaping @Sendable (Thing) -> Stored,
        _ set: @escaping @Sendable (Thing, Stored) -> Void,
        _ poke: (@Sendable (Thing, Stored) -> Void)? = nil
    ) {
        let convert: @Sendable (Value) -> Stored = { value in
            guard let stored = kind.stored(value) else {
                fail("\(name) cannot hold \(value)")
            }
            return stored
        }
        self.name = name
        self.get = { kind.value(get($0)) }
        self.set = { set($0, convert($1)) }
        isComputed = poke == nil
        self.poke = { thing, value in
            guard let poke else { fail("\(name) is computed: it has no place to write to") }
            poke(thing, convert(value))
        }
        self.stored = { convert($0) }
    }
}

/// How what a property stores is written in a script.
private struct Kind<Stored>: Sendable {
    let value: @Sendable (Stored) -> Value
    /// nil: a property of this kind cannot hold it.
    let stored: @Sendable (Value) -> Stored?
}

private let int = Kind<Int>(
    value: { .int($0) },
    stored: {
        guard case .int(let integer) = $0 else { return nil }
        return integer
    })

private let float = Kind<Double>(
    value: { .float($0) },
    stored: {
        switch $0 {
        case .float(let real): real
        case .int(let integer): Double(integer)
        default: nil
        }
    })

private let bool = Kind<Bool>(
    value: { .bool($0) },
    stored: {
        guard case .bool(let truth) = $0 else { return nil }
        return truth
    })

private let string = Kind<String?>(
    value: { $0.map { .text($0) } ?? .null },
    stored: {
        switch $0 {
        case .text(let text): .some(text)
        case .null: .some(nil)
        default: nil
        }
    })

private let object = Kind<Thing?>(
    value: { $0.map { .object($0.named) } ?? .null },
    stored: {
        switch $0 {
        case .object(let named): .some(named.living)
        case .null: .some(nil)
        default: nil
        }
    })

private func collection<Collection: ScriptCollection>(
    _ type: Collection.Type
) -> Kind<Collection?> {
    Kind<Collection?>(
        value: { $0.flatMap { Value(collection: $0) } ?? .null },
        stored: { value in
            if case .null = value { return .some(nil) }
            return value.collection(type).map { .some($0) }
        })
}

private let things = Kind<[Thing]?>(
    value: { things in
        guard let things else { return .null }
        return .collection(Value.Content(kind: .list, items: things.map { .object($0.named) }))
    },
    stored: { value in
        if case .null = value { return .some(nil) }
        guard case .collection(let content) = value, content.kind == .list else { return nil }
        return content.items.map { Thing($0) }
    })

/// Any object: a Thing, or a list or a dictionary of them.
private let any = Kind<AnyObject?>(
    value: { stored in
        stored.flatMap { Value(collection: $0) }
            ?? (stored as? Thing).map { .object($0.named) } ?? .null
    },
    stored: { value in
        switch value {
        case .object(let named): return named.living
        case .collection(let content) where content.kind == .dictionary:
            return value.collection(ObservableDictionary<String, Thing>.self)
        case .collection: return value.collection(ObservableArray<Thing>.self)
        case .null: return .some(nil)
        default: return nil
        }
    })

private let thingProperties: [Property] = [
    Property("i", int, { $0.i }, { $0.i = $1 }, { $0.pokeI($1) }),
    Property("j", int, { $0.j }, { $0.j = $1 }, { $0.pokeJ($1) }),
    Property("d", float, { $0.d }, { $0.d = $1 }, { $0.pokeD($1) }),
    Property("flag", bool, { $0.flag }, { $0.flag = $1 }, { $0.pokeFlag($1) }),
    Property("s", string, { $0.s }, { $0.s = $1 }, { $0.pokeS($1) }),
    Property("t", string, { $0.t }, { $0.t = $1 }, { $0.pokeT($1) }),
    Property("a", object, { $0.a }, { $0.a = $1 }, { $0.pokeA($1) }),
    Property("b", object, { $0.b }, { $0.b = $1 }, { $0.pokeB($1) }),
    Property("c", object, { $0.c }, { $0.c = $1 }, { $0.pokeC($1) }),
    Property("w", object, { $0.w }, { $0.w = $1 }, { $0.pokeW($1) }),
    Property("clamped", int, { $0.clamped }, { $0.clamped = $1 }, { $0.pokeClamped($1) }),
    Property(
        "list", collection(ObservableArray<Thing>.self), { $0.list }, { $0.list = $1 },
        { $0.pokeList($1) }),
    Property(
        "strings", collection(ObservableArray<String>.self), { $0.strings }, { $0.strings = $1 },
        { $0.pokeStrings($1) }),
    Property(
        "dict", collection(ObservableDictionary<String, Thing>.self), { $0.dict }, { $0.dict = $1 },
        { $0.pokeDict($1) }),
    Property(
        "words", collection(ObservableDictionary<String, String>.self), { $0.words },
        { $0.words = $1 }, { $0.pokeWords($1) }),
    Property(
        "set", collection(ObservableSet<Thing>.self), { $0.set }, { $0.set = $1 },
        { $0.pokeSet($1) }),
    Property(
        "tags", collection(ObservableSet<String>.self), { $0.tags }, { $0.tags = $1 },
        { $0.pokeTags($1) }),
    Property("plain", things, { $0.plain }, { $0.plain = $1 }, { $0.pokePlain($1) }),
    Property("any", any, { $0.any }, { $0.any = $1 }, { $0.pokeAny($1) }),
    Property("sum", int, { $0.sum }, { $0.sum = $1 }),
    Property("twice", int, { $0.twice }, { $0.twice = $1 }),
    Property("label", string, { $0.label }, { $0.label = $1 }),
    Property("deep", int, { $0.deep }, { $0.deep = $1 }),
    Property("pick", object, { $0.pick }, { $0.pick = $1 }),
    Property("tenfold", int, { $0.tenfold }, { $0.tenfold = $1 }),
    Property(
        "copied", collection(ObservableArray<String>.self), { $0.copied }, { $0.copied = $1 }),
]

/// Those of Sub alone; asked of a Sub only.
private let subProperties: [Property] = [
    Property("k", int, { sub($0).k }, { sub($0).k = $1 }, { sub($0).pokeK($1) }),
    Property("ping", int, { sub($0).ping }, { sub($0).ping = $1 }),
    Property("pong", int, { sub($0).pong }, { sub($0).pong = $1 }),
]

private func sub(_ thing: Thing) -> Sub {
    guard let sub = thing as? Sub else {
        fail("\(thing.named.name) is no Sub")
    }
    return sub
}

/// Fails the test unless this is a property, of whatever class, or `*`: what is expected of it could
/// never be otherwise. Where paths are observed, any name may stand.
func checkKnown(_ name: String) {
    let isOfCollection =
        name == "count"
        || (name.first == "#" || name.first == "&") && isNumber(String(name.dropFirst()))
    let isKnown =
        name == "*" || isOfCollection
        || (thingProperties + subProperties).contains { $0.name == name }
    if !isKnown {
        fail("no class has a property \(name)")
    }
}

/// The same along a path: a number stands behind a list, and any key behind a dictionary.
private func checkKnown(path: [String]) {
    for (before, name) in zip([""] + path, path)
    where !["dict", "words", "any"].contains(before)
        && !(["list", "strings", "plain"].contains(before) && isNumber(name))
    {
        checkKnown(name)
    }
}

/// The same of what a collection or an object is asked for.
func checkKnown(_ name: String, of host: any ObservableHost) {
    let isKey = (host as? any ScriptCollection)?.content.kind == .dictionary
    if !isKey, !(host is ObservableContainer && isNumber(name)) {
        checkKnown(name)
    }
}

/// nil if the object's class has none of this name.
private func find(_ thing: Thing, _ name: String) -> Property? {
    let found = thingProperties.first { $0.name == name }
    return found ?? (thing is Sub ? subProperties.first { $0.name == name } : nil)
}

// MARK: - Triggers

/// A value as the property stores it that the path ends with, if there is one of this name.
func storedValue(_ value: Value, at path: String) -> Any {
    let name = elements(of: path).last
    guard let property = (thingProperties + subProperties).first(where: { $0.name == name }) else {
        return value
    }
    return property.stored(value)
}

// MARK: - Paths

/// An element of a path without its escapes.
struct PathName {
    var name = ""
    /// It had none.
    var isPlain = true
}

func pathNames(of path: String) -> [PathName] {
    var elements = [PathName()]
    var rest = path.unicodeScalars[...]
    while let scalar = rest.popFirst() {
        if scalar == "." {
            elements.append(PathName())
        } else if scalar == "\\", let escaped = rest.popFirst() {
            elements[elements.count - 1].name.unicodeScalars.append(escaped)
            elements[elements.count - 1].isPlain = false
        } else {
            elements[elements.count - 1].name.unicodeScalars.append(scalar)
        }
    }
    return elements
}

/// The elements of a path without their escapes.
func elements(of path: String) -> [String] {
    pathNames(of: path).map(\.name)
}

/// Reads a path from an object through the getters; nil if it holds a `*`.
func readPath(_ root: NamedThing, _ elements: some Sequence<PathName>) -> Value? {
    var value = Value.object(root)
    for element in elements {
        if element.name == "*", element.isPlain {
            return nil
        }
        if case .object(let named) = value, let thing = named.thing,
            let property = find(thing, element.name)
        {
            value = property.get(thing)
        } else {
            value = value.element(element.name, isPlain: element.isPlain)
        }
    }
    return value
}

/// `X.b.i` in one word.
struct Place {
    private let word: String
    private let root: NamedThing
    private let path: [PathName]

    init(_ word: String) {
        let all = pathNames(of: word)
        if all.count < 2 {
            fail("a place is an object and a path, as X.b.i: \(word)")
        }
        self.word = word
        root = world.named(all[0].name)
        path = Array(all.dropFirst())
        _ = root.living
    }

    func read() -> Value {
        checkKnown(path: path.map(\.name))
        guard let value = readPath(root, path) else {
            fail("a place has no *: \(word)")
        }
        return value
    }

    func set(_ value: Value) {
        let (thing, property) = target()
        property.set(thing, value)
    }

    func poke(_ value: Value) {
        let (thing, property) = target()
        property.poke(thing, value)
    }

    /// Makes it invalid.
    func invalidate() {
        let (thing, property) = target()
        if let sub = thing as? Sub {
            world.isTyped ? invalidateTyped(sub, property.name) : invalidateText(sub, property.name)
        } else {
            world.isTyped
                ? invalidateTyped(thing, property.name) : invalidateText(thing, property.name)
        }
    }

    private func invalidateText(_ thing: Thing, _ name: String) {
        do throws(ObservationError) {
            thing.computedProperties.invalidate(Written<Thing>(try TextPath(parsing: name)).erased)
        } catch {
            fail("\(name) is no path: \(error)")
        }
    }

    private func invalidateTyped<Root: Thing>(_ root: Root, _ name: String) {
        guard let path = spell([name], Root.self)?.first else {
            return invalidateText(root, name)
        }
        root.computedProperties.invalidate(path.erased)
    }

    /// How often it was computed.
    var evaluations: Int {
        let (thing, property) = target()
        if !property.isComputed {
            fail("\(property.name) is not computed")
        }
        return thing.evaluations[property.name] ?? 0
    }

    /// The object and the property that it ends at.
    private func target() -> (Thing, Property) {
        guard case .object(let named)? = readPath(root, path.dropLast()),
            let thing = named.thing
        else {
            fail("nothing stands at \(word)")
        }
        let name = path[path.count - 1].name
        guard let property = find(thing, name) else {
            fail("\(named.name) has no property \(name)")
        }
        return (thing, property)
    }
}
