// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// What has happened to a collection from one call to the next: observations whose edits are expected
// anywhere in the test are made by the forms that hand over a difference.

/// In the script's spelling: a sign with the place, and a value.
struct Edit: CustomStringConvertible {
    let place: String
    let value: Value

    var description: String { "\(place) \(value)" }
}

/// With the first path's collection, a `*` at its end aside.
func beginEdits(_ request: Request, _ observation: Observation, _ root: Thing) -> Handle {
    guard request.paths.count == 1, request.hands == .nothing, !request.isShared else {
        fail("edits are those of one path, without values and records, in a block of its own")
    }
    var names = pathNames(of: request.paths[0]).map(\.name)
    if names.last == "*" { names.removeLast() }
    let property = names.popLast()
    let begin = EditsBeginning(
        request: request, observation: observation, root: root, body: Body(for: observation),
        names: names)
    return switch property {
    case "list": begin({ $0.list }, ofArray)
    case "strings": begin({ $0.strings }, ofArray)
    case "dict": begin({ $0.dict }, ofDictionary)
    case "words": begin({ $0.words }, ofDictionary)
    case "set": begin({ $0.set }, ofSet)
    case "tags": begin({ $0.tags }, ofSet)
    default: fail("\(request.paths[0]) is no collection that is edited")
    }
}

private struct EditsBeginning {
    let request: Request
    let observation: Observation
    let root: Thing
    let body: Body
    /// On the way to the object that has the collection.
    let names: [String]

    func callAsFunction<Collection: _RecordedCollection>(
        _ property: @escaping (Start<Thing>) -> ObservedPath<Collection>?,
        _ edits: @escaping (Collection.Difference) -> [Edit]
    ) -> Handle {
        let path: ValuePath<Thing, Collection> = { [names] start in
            property(names.reduce(start, next))
        }
        let differences = request.asking(root.differences(of: path))
        if request.form == .token {
            return .token(
                differences.onChange { [body, root = Unowned(root)] difference in
                    body.called(root.object, .edits(edits(difference)))
                })
        }
        return .observation(
            differences.tell(observation.watcher) {
                [body, root = Unowned(root)] watcher, difference in
                body.called(by: watcher, root.object, .edits(edits(difference)))
            })
    }
}

/// The root, which the block does not keep.
private struct Unowned {
    unowned let object: Thing

    init(_ object: Thing) {
        self.object = object
    }
}

/// The next object on the way.
private func next(_ start: Start<Thing>, _ name: String) -> Start<Thing> {
    // The builder's optional is never nil.
    switch name {
    case "a": start.a!
    case "b": start.b!
    case "c": start.c!
    default: fail("edits are found behind a, b and c: \(name)")
    }
}

private func ofArray<Item: ScriptItem>(_ difference: CollectionDifference<Item>) -> [Edit] {
    difference.map { change in
        switch change {
        case .remove(let offset, let item, _): Edit(place: "-\(offset)", value: item.value)
        case .insert(let offset, let item, _): Edit(place: "+\(offset)", value: item.value)
        }
    }
}

private func ofDictionary<Item: ScriptItem>(
    _ difference: ObservableDictionary<String, Item>.Difference
) -> [Edit] {
    difference.flatMap { key, change in
        [
            change.old.map { Edit(place: "-\(key)", value: $0.value) },
            change.new.map { Edit(place: "+\(key)", value: $0.value) },
        ].compactMap { $0 }
    }
}

private func ofSet<Item: ScriptItem>(_ difference: ObservableSet<Item>.Difference) -> [Edit] {
    difference.removals.map { Edit(place: "-", value: $0.value) }
        + difference.insertions.map { Edit(place: "+", value: $0.value) }
}

// MARK: - The expectation

func expectEdits(_ arguments: Words) {
    guard case .edits(let edits) = called(arguments.word[0]).told else {
        fail("the last call of \(arguments.word[0]) was handed no edits")
    }
    let words = arguments.word.dropFirst()
    guard words.count.isMultiple(of: 2) else {
        fail("an edit is a sign with its place, and a value")
    }
    var isAll = words.count / 2 == edits.count
    for at in stride(from: words.startIndex, to: words.endIndex, by: 2) {
        let (place, value) = (quotedText(words[at]), Value(words[at + 1]))
        guard place.first == "-" || place.first == "+" else {
            fail("an edit is a sign with its place, and a value")
        }
        isAll = isAll && edits.contains { $0.place == place && $0.value.equals(value) }
    }
    if !isAll {
        let have = edits.map { " \($0)" }.joined()
        fail("the edits of \(arguments.word[0]) are\(have.isEmpty ? " none" : have)")
    }
}
