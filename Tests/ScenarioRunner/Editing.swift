// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// Commands about collections: each is one call of a collection.

let editing: [String: Command] = [
    "append": .acts(2...2) { arguments in
        list(arguments).append(Value(arguments.word[1]))
    },
    "insert": .acts(3...3) { arguments in
        let list = list(arguments)
        guard let at = position(arguments.word[1], upTo: list.itemCount) else { return }
        list.insert(Value(arguments.word[2]), at: at)
    },
    "remove": .acts(2...2) { arguments in
        let list = list(arguments)
        guard let at = position(arguments.word[1], upTo: list.itemCount - 1) else { return }
        list.removeItem(at: at)
    },
    "replace": .acts(3...3) { arguments in
        let list = list(arguments)
        guard let at = position(arguments.word[1], upTo: list.itemCount - 1) else { return }
        list.replace(at: at, with: Value(arguments.word[2]))
    },
    "move": .acts(3...3) { arguments in
        let list = list(arguments)
        guard let from = position(arguments.word[1], upTo: list.itemCount - 1),
            let to = position(arguments.word[2], upTo: list.itemCount - 1)
        else { return }
        list.move(from: from, to: to)
    },
    "swap": .acts(3...3) { arguments in
        let list = list(arguments)
        guard let a = position(arguments.word[1], upTo: list.itemCount - 1),
            let b = position(arguments.word[2], upTo: list.itemCount - 1)
        else { return }
        list.swapAt(a, b)
    },
    "sort": .acts(1...3, runSort),
    "reverse": .acts(1...1) { list($0).reverse() },
    "shuffle": .acts(1...1) { list($0).shuffle() },
    "replacerange": .acts(4...4) { arguments in
        let list = list(arguments)
        guard let to = position(arguments.word[2], upTo: list.itemCount),
            let from = position(arguments.word[1], upTo: to)
        else { return }
        list.replaceItems(from..<to, with: content(arguments.word[3]).items)
    },
    "clear": .acts(1...1) { arguments in
        collection(arguments.word[0]).removeAll()
    },
    "assign": .acts(2...2) { arguments in
        collection(arguments.word[0]).assign(content(arguments.word[1]))
    },
    "put": .acts(3...3) { arguments in
        dictionary(arguments).put(Value(arguments.word[2]), at: quotedText(arguments.word[1]))
    },
    "delete": .acts(2...2) { arguments in
        dictionary(arguments).put(nil, at: quotedText(arguments.word[1]))
    },
    "add": .acts(2...2) { set($0).add(Value($0.word[1])) },
    "discard": .acts(2...2) { set($0).discard(Value($0.word[1])) },
    "union": .acts(2...2) { set($0).union(content($0.word[1]).items) },
    "intersect": .acts(2...2) { set($0).intersect(content($0.word[1]).items) },
    "subtract": .acts(2...2) { set($0).subtract(items: content($0.word[1]).items) },
    "symmetric": .acts(2...2) { set($0).symmetric(content($0.word[1]).items) },
]

// MARK: - Arguments

private func collection(_ place: String) -> any EditedCollection {
    guard let collection = hostNamed(place) as? any EditedCollection else {
        fail("\(place) is no collection")
    }
    return collection
}

private func list(_ arguments: Words) -> any EditedList {
    guard let list = collection(arguments.word[0]) as? any EditedList else {
        fail("\(arguments.word[0]) is no list")
    }
    return list
}

private func dictionary(_ arguments: Words) -> any EditedDictionary {
    guard let dictionary = collection(arguments.word[0]) as? any EditedDictionary else {
        fail("\(arguments.word[0]) is no dictionary")
    }
    return dictionary
}

private func set(_ arguments: Words) -> any EditedSet {
    guard let set = collection(arguments.word[0]) as? any EditedSet else {
        fail("\(arguments.word[0]) is no set")
    }
    return set
}

/// A content as it is written.
private func content(_ word: String) -> Value.Content {
    guard case .collection(let content) = Value(word) else {
        fail("a content is written in brackets: \(word)")
    }
    return content
}

/// A position up to `last`; else the command is refused, and does nothing: a collection of Swift
/// would stop the program.
private func position(_ word: String, upTo last: Int) -> Int? {
    guard isNumber(word) else {
        fail("this is no number: \(word)")
    }
    guard let position = Int(word), position <= last else {
        refuse(.pastEnd)
        return nil
    }
    return position
}

private func runSort(_ arguments: Words) {
    let list = list(arguments)
    if list is ObservableArray<String>
        ? arguments.count != 1 : arguments.word.dropFirst() != ["by", "i"]
    {
        fail("sort takes a list of texts, or a list and by i")
    }
    list.sortItems()
}

// MARK: - Collections

private protocol EditedCollection: ObservableContainer {
    func removeAll()
    func assign(_ content: Value.Content)
}

private protocol EditedList: EditedCollection {
    var itemCount: Int { get }
    func append(_ value: Value)
    func insert(_ value: Value, at position: Int)
    func removeItem(at position: Int)
    func replace(at position: Int, with value: Value)
    func replaceItems(_ range: Range<Int>, with values: [Value])
    func move(from: Int, to: Int)
    func swapAt(_ a: Int, _ b: Int)
    func sortItems()
    func reverse()
    func shuffle()
}

private protocol EditedDictionary: EditedCollection {
    func put(_ value: Value?, at key: String)
}

private protocol EditedSet: EditedCollection {
    func add(_ value: Value)
    func discard(_ value: Value)
    func union(_ values: [Value])
    func intersect(_ values: [Value])
    func subtract(items: [Value])
    func symmetric(_ values: [Value])
}

extension ObservableArray: EditedCollection, EditedList where Element: ScriptItem {
    var itemCount: Int { count }
    func removeAll() { removeAll(keepingCapacity: false) }
    func assign(_ content: Value.Content) { assign(content.items.map { Element($0) }) }
    func append(_ value: Value) { append(Element(value)) }
    func insert(_ value: Value, at position: Int) { insert(Element(value), at: position) }
    func removeItem(at position: Int) { remove(at: position) }
    func replace(at position: Int, with value: Value) { self[position] = Element(value) }
    func replaceItems(_ range: Range<Int>, with values: [Value]) {
        replaceSubrange(range, with: values.map { Element($0) })
    }
    func sortItems() {
        sort { a, b in
            switch (a.value, b.value) {
            case (.text(let a), .text(let b)): a < b
            case (.object(let a), .object(let b)): a.living.i < b.living.i
            default: false
            }
        }
    }
}

extension ObservableDictionary: EditedCollection, EditedDictionary
where Key == String, Value: ScriptItem {
    func removeAll() { removeAll(keepingCapacity: false) }
    func assign(_ content: ScenarioValue.Content) { assign(content.asDictionary()) }
    func put(_ value: ScenarioValue?, at key: String) { self[key] = value.map { Value($0) } }
}

extension ObservableSet: EditedCollection, EditedSet where Element: ScriptItem {
    func removeAll() { removeAll(keepingCapacity: false) }
    func assign(_ content: Value.Content) { assign(content.items.map { Element($0) }) }
    func add(_ value: Value) { insert(Element(value)) }
    func discard(_ value: Value) { remove(Element(value)) }
    func union(_ values: [Value]) { formUnion(values.map { Element($0) }) }
    func intersect(_ values: [Value]) { formIntersection(values.map { Element($0) }) }
    func subtract(items: [Value]) { subtract(items.map { Element($0) }) }
    func symmetric(_ values: [Value]) { formSymmetricDifference(values.map { Element($0) }) }
}
