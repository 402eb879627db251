// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// Collections as values of the language of the scripts, and paths into them.

extension Value {
    /// A collection of the world's, with what it has now.
    init?(collection: AnyObject) {
        guard let container = collection as? ObservableContainer,
            var content = (container as? any ScriptCollection)?.content
        else { return nil }
        content.of = container
        self = .collection(content)
    }

    /// The collection that a property of this type holds for it: the very one, or a new one with its
    /// content; nil: it is none.
    func collection<Collection: ScriptCollection>(_ type: Collection.Type) -> Collection? {
        guard case .collection(let content) = self else { return nil }
        return content.of as? Collection ?? Collection(content)
    }

    /// What it is now, without the collection itself, which may end then.
    var copy: Value {
        guard case .collection(var content) = self else { return self }
        content.of = nil
        return .collection(content)
    }

    /// An element of a collection by what a path says; `isPlain`: it has no escape.
    func element(_ name: String, isPlain: Bool) -> Value {
        guard case .collection(let content) = self else { return .unreachable }
        if isPlain, name == "count" {
            return .int(content.items.count)
        }
        switch content.kind {
        case .dictionary:
            return content.keys.firstIndex(of: name).map { content.items[$0] } ?? .unreachable
        case .set:
            return content.items.first { "&\($0.hash)" == name } ?? .unreachable
        case .list:
            let number = Int(name.first == "#" ? String(name.dropFirst()) : name)
            return number.flatMap { content.items.indices.contains($0) ? content.items[$0] : nil }
                ?? .unreachable
        }
    }

    /// Of a member of a set.
    private var hash: UInt64 {
        switch self {
        case .text(let text): UInt64(truncatingIfNeeded: text.hashValue)
        case .object(let named): UInt64(truncatingIfNeeded: named.living.hashValue)
        default: fail("\(self) is no member of a set")
        }
    }

    /// `&h` of each `&(X)` in a word.
    static func withHashes(_ word: String) -> String {
        guard word.first != "\"", let begin = word.firstRange(of: "&("),
            let end = word[begin.upperBound...].firstIndex(of: ")")
        else { return word }
        let member = Value(String(word[begin.upperBound..<end]))
        let rest = withHashes(String(word[word.index(after: end)...]))
        return "\(word[..<begin.lowerBound])&\(member.hash)\(rest)"
    }
}

extension String {
    fileprivate func firstRange(of part: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(part) }.map { $0..<index($0, offsetBy: part.count) }
    }
}

/// What the collections of the world hold.
protocol ScriptItem: Hashable {
    static func item(_ value: Value) -> Self?
    var value: Value { get }
}

extension String: ScriptItem {
    static func item(_ value: Value) -> String? {
        if case .text(let text) = value { text } else { nil }
    }
    var value: Value { .text(self) }
}

extension Thing: ScriptItem {
    static func item(_ value: Value) -> Self? {
        if case .object(let named) = value { named.living as? Self } else { nil }
    }
    var value: Value { .object(named) }
}

extension ScriptItem {
    /// The test fails if the value cannot stand there.
    init(_ value: Value) {
        guard let item = Self.item(value) else {
            fail("this collection cannot hold \(value)")
        }
        self = item
    }
}

/// A collection of the world.
protocol ScriptCollection: ObservableContainer {
    init?(_ content: Value.Content)
    var content: Value.Content { get }
}

extension ObservableArray: ScriptCollection where Element: ScriptItem {
    convenience init?(_ content: Value.Content) {
        guard content.kind == .list else { return nil }
        self.init(content.items.map { Element($0) })
    }

    var content: Value.Content { Value.Content(kind: .list, items: map(\.value)) }
}

extension ObservableDictionary: ScriptCollection where Key == String, Value: ScriptItem {
    convenience init?(_ content: ScenarioValue.Content) {
        guard content.kind == .dictionary else { return nil }
        self.init(content.asDictionary())
    }

    var content: ScenarioValue.Content {
        ScenarioValue.Content(kind: .dictionary, items: values.map(\.value), keys: Array(keys))
    }
}

/// In a type that has a `Value` of its own.
typealias ScenarioValue = Value

extension Value.Content {
    func asDictionary<Item: ScriptItem>() -> [String: Item] {
        guard kind == .dictionary else {
            fail("a content is written in braces: \(self)")
        }
        return Dictionary(zip(keys, items.map { Item($0) }), uniquingKeysWith: { $1 })
    }
}

extension ObservableSet: ScriptCollection where Element: ScriptItem {
    /// Written in brackets.
    convenience init?(_ content: Value.Content) {
        guard content.kind != .dictionary else { return nil }
        self.init(content.items.map { Element($0) })
    }

    var content: Value.Content { Value.Content(kind: .set, items: map(\.value)) }
}

// MARK: - Places

/// The object or the collection that a place is: `A`, `A.list`.
func hostNamed(_ word: String) -> any ObservableHost {
    if !elements(of: word).dropFirst().isEmpty {
        switch Place(word).read() {
        case .object(let named): return named.living
        case .collection(let content):
            if let container = content.of { return container }
        default: break
        }
        fail("no object stands at \(word)")
    }
    return world.named(word).living
}
