// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// Commands about objects, their properties, and loops.

let actions: [String: Command] = [
    "bare": .acts(0...Command.any, runBare),
    "new": .acts(1...Command.any, runNew),
    "drop": .acts(1...1, runDrop),
    "set": .acts(2...2) { Place($0.word[0]).set(Value($0.word[1])) },
    "poke": .acts(2...2) { Place($0.word[0]).poke(Value($0.word[1])) },
    "trigger": .acts(3...4, runTrigger),
    "read": .acts(1...1) { _ = Place($0.word[0]).read() },
    "validate": .expects(2...2, runValidate),
    "loop": .acts(1...1, runLoop),
    "endloop": .acts(1...1, runEndloop),
    "drain": .acts(0...2, runDrain),
    "invalidate": .acts(1...Command.any) { $0.word.forEach { Place($0).invalidate() } },
    "invalidateall": .acts(1...1) {
        world.named($0.word[0]).living.computedProperties.invalidate()
    },
    "force": .acts(1...1) { world.named($0.word[0]).living.computedProperties.validate() },
]

// MARK: - Objects

/// Without names it means all collections.
private func runBare(_ arguments: Words) {
    for name in arguments.word where !World.collections.contains(name) {
        fail("no collection is called \(name)")
    }
    world.bare = arguments.count == 0 ? World.collections : Set(arguments.word)
}

private func make(_ name: String, of type: Thing.Type) {
    checkName(name)
    if world.things.contains(where: { $0.name == name && $0.thing != nil }) {
        fail("an object is called \(name) already")
    }
    let named = NamedThing(name: name)
    let thing = type.init(named: named)
    named.held = thing
    named.thing = thing
    world.things.insert(named, at: 0)
}

/// The names in front of `: Sub`, or nil if the class is not named; the colon
/// may stand at the last name.
private func namesOfSubs(_ words: [String]) -> [String]? {
    guard words.count >= 2, words[words.count - 2].last == ":" else {
        return nil
    }
    if words[words.count - 1] != "Sub" {
        fail("no class is called \(words[words.count - 1])")
    }
    var names = Array(words.dropLast())
    names[names.count - 1].removeLast()
    return names.filter { !$0.isEmpty }
}

private func runNew(_ arguments: Words) {
    let subs = namesOfSubs(arguments.word)
    let names = subs ?? arguments.word
    if names.isEmpty {
        fail("new has no name")
    }
    for name in names {
        make(name, of: subs == nil ? Thing.self : Sub.self)
    }
}

private func runDrop(_ arguments: Words) {
    let named = world.named(arguments.word[0])
    _ = named.living
    if named.held == nil {
        fail("\(named.name) was dropped before")
    }
    named.held = nil
}

private func runTrigger(_ arguments: Words) {
    let thing = world.named(arguments.word[0]).living
    let path = quotedText(arguments.word[1])
    let old = storedValue(Value(arguments.word[2]), at: path)
    let new = arguments.count > 3 ? storedValue(Value(arguments.word[3]), at: path) : nil
    world.refused = nil
    do throws(ObservationError) {
        if let sub = thing as? Sub {
            try trigger(sub, path, old, new)
        } else {
            try trigger(thing, path, old, new)
        }
    } catch {
        refuse(.error(error))
    }
    if let error = world.refused {
        refuse(.error(error))
    }
}

private func trigger<Root: Thing>(
    _ root: Root, _ path: String, _ old: Any, _ new: Any?
) throws(ObservationError) {
    let paths = try Paths([path], of: Root.self, typed: world.isTyped)
    try paths.trigger(root, path, old, new)
}

private func runValidate(_ arguments: Words) {
    let path = quotedText(arguments.word[1])
    let types: [String: Thing.Type] = ["Thing": Thing.self, "Sub": Sub.self]
    guard types[arguments.word[0]] != nil else {
        fail("no class is called \(arguments.word[0])")
    }
    do throws(ObservationError) {
        let path = try TextPath(parsing: path)
        if arguments.word[0] == "Sub" {
            try path.validate(for: Sub.self)
        } else {
            try path.validate(for: Thing.self)
        }
    } catch {
        refuse(.error(error))
    }
}

// MARK: - Loops

private func runLoop(_ arguments: Words) {
    checkName(arguments.word[0])
    if world.loops.contains(where: { $0.name == arguments.word[0] && $0.loop != nil }) {
        fail("a loop is called \(arguments.word[0]) already")
    }
    world.loops.insert(NamedLoop(name: arguments.word[0], loop: DeliveryLoop()), at: 0)
}

private func runEndloop(_ arguments: Words) {
    let named = world.loop(arguments.word[0])
    let ended = named.loop
    named.loop = nil
    if ended?.invalidate() == false {
        named.loop = ended
        refuse(.busy)
    }
}

/// Drains, and compares what the drain answers with the calls that came; nil if it is refused.
private func drain(_ loop: DeliveryLoop) -> Int? {
    let frame = DrainFrame(of: loop)
    let outer = world.drain
    if outer == nil {
        world.order = []
    }
    world.drain = frame
    let answer = loop.drain()
    world.drain = outer
    frame.end(answer: answer)
    return frame.isRefused ? nil : answer
}

private func runDrain(_ arguments: Words) {
    var loop = world.loop
    var rest = arguments
    if let name = rest.word.first, !isNumber(name) {
        guard let named = world.loop(name).loop else {
            fail("the loop \(name) has ended")
        }
        loop = named
        rest = rest.from(1)
    }
    if rest.count > 1 || !rest.word.allSatisfy(isNumber) {
        fail("drain takes a loop and a number")
    }
    guard let answer = drain(loop) else {
        refuse(.busy)
        return
    }
    if let number = rest.word.first, Int(number) != answer {
        fail("\(answer) blocks were called, not \(number)")
    }
}
