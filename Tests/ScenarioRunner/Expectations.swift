// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// The expectations: each compares one answer with what the script says, and
// fails the test with both. They change nothing.

let expectations: [String: Command] = [
    "calls": .expects(2...Command.any, expectCalls),
    "order": .expects(0...Command.any, expectOrder),
    "saw": .expects(2...2, expectSaw),
    "root": .expects(2...2, expectRoot),
    "reports": .expects(1...1, expectReports),
    "value": .expects(2...2) { arguments in
        expect(arguments.word[0], Place(arguments.word[0]).read(), arguments.word[1])
    },
    "leads": .expects(2...3, expectLeads),
    "count": .expects(3...3, expectCount),
    "observed": .expects(2...2, expectObserved),
    "state": .expects(2...2, expectState),
    "unresolved": .expects(2...2, expectUnresolved),
    "alive": .expects(1...1) { arguments in
        if world.named(arguments.word[0]).thing == nil {
            fail("\(arguments.word[0]) is dead")
        }
    },
    "dead": .expects(1...1) { arguments in
        if world.named(arguments.word[0]).thing != nil {
            fail("\(arguments.word[0]) is alive")
        }
    },
    "observer": .expects(2...2, expectObserver),
    "block": .expects(2...2, expectBlock),
    "old": .expects(2...2, expectOld),
    "now": .expects(2...2, expectNow),
    "record": .expects(5...5, expectRecord),
    "records": .expects(2...2, expectRecords),
    "edits": .expects(1...Command.any, expectEdits),
    "truncated": .expects(2...2, expectTruncated),
    "told": .expects(2...2) { arguments in
        let observation = world.observation(arguments.word[0])
        guard let observer = observation.observer else {
            fail("the token \(observation.name) has no observer object")
        }
        expect(observation.name, observer.told, arguments.word[1])
    },
    "evals": .expects(2...2) { arguments in
        expect(
            "the number of evaluations", Place(arguments.word[0]).evaluations, arguments.word[1])
    },
    "valid": .expects(2...2) {
        expectComputed($0, "what is valid") { $0.computedProperties.valid }
    },
    "invalid": .expects(2...2) {
        expectComputed($0, "what is invalid") { $0.computedProperties.invalid }
    },
    "pending": .expects(1...1, expectPending),
    "dropped": .expects(1...1) { arguments in
        expect(
            "the number of dropped changes", ObservationCounters.current.dropped, arguments.word[0])
    },
]

func expect(_ what: String, _ have: Int, _ word: String) {
    guard isNumber(word) else {
        fail("this is no number: \(word)")
    }
    if have != Int(word) {
        fail("\(what) is \(have), not \(word)")
    }
}

func expect(_ what: String, _ have: Value, _ word: String) {
    if !have.equals(Value(word)) {
        fail("\(what) is \(have), not \(word)")
    }
}

// MARK: - Sets of words, written in brackets

/// `[a b "c d"]` or `[]`.
private func set(of words: Words) -> [String] {
    let word = words.word[0]
    guard words.count == 1, word.first == "[", word.last == "]" else {
        fail("this is written in brackets: \(word)")
    }
    return parts(of: word).map(quotedText)
}

private func expect(_ what: String, _ have: [String], set words: Words) {
    let want = printed(inOrder(set(of: words)))
    let have = printed(inOrder(have))
    if !have.utf8.elementsEqual(want.utf8) {
        fail("\(what) is \(have), not \(want)")
    }
}

private func inOrder(_ words: [String]) -> [String] {
    words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

private func printed(_ words: [String]) -> String {
    "[\(words.map(printed).joined(separator: " "))]"
}

/// As a script has it: what a space would part stands in quotes.
private func printed(_ word: String) -> String {
    guard word.isEmpty || word.utf8.contains(where: " \t\"".utf8.contains) else {
        return word
    }
    let escaped = word.unicodeScalars.map {
        "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)"
    }
    return "\"\(escaped.joined())\""
}

// MARK: - Calls

private func expectCalls(_ arguments: Words) {
    if !arguments.count.isMultiple(of: 2) {
        fail("calls takes names and numbers")
    }
    for index in stride(from: 0, to: arguments.count, by: 2) {
        let name = arguments.word[index]
        expect(name, world.observation(name).calls, arguments.word[index + 1])
    }
}

private func expectOrder(_ arguments: Words) {
    for name in arguments.word {
        _ = world.observation(name)
    }
    let have = world.order.map(\.name)
    if have != arguments.word {
        fail("the order is \(printed(have)), not \(printed(arguments.word))")
    }
}

func called(_ name: String) -> Observation {
    let observation = world.observation(name)
    if observation.calls == 0 {
        fail("\(name) has not been called")
    }
    return observation
}

private func expectSaw(_ arguments: Words) {
    let observation = called(arguments.word[0])
    if observation.firstPath == nil {
        fail("\(observation.name) has no first path that can be read")
    }
    expect("what it saw", observation.saw, arguments.word[1])
}

private func expectRoot(_ arguments: Words) {
    let root = called(arguments.word[0]).root
    let wanted = arguments.word[1] == "none" ? nil : world.named(arguments.word[1])
    if root !== wanted {
        fail("the root is \(root?.name ?? "none"), not \(arguments.word[1])")
    }
}

// MARK: - The library's answers

private func expectReports(_ arguments: Words) {
    expect("the number of reports", world.reports, arguments.word[0])
    let counted = ObservationCounters.current.diagnostics
    let told = world.reports + world.debugReports
    if counted != told {
        fail("\(counted) diagnostics were counted, \(told) told")
    }
}

private func expectPending(_ arguments: Words) {
    let loops = [world.loop] + world.loops.compactMap(\.loop)
    let pending = loops.reduce(0) { $0 + $1.pendingCount }
    expect("the number of pending ones", pending, arguments.word[0])
}

/// Without a value it is to be refused.
private func expectLeads(_ arguments: Words) {
    let thing = world.named(arguments.word[0]).living
    let path = quotedText(arguments.word[1])
    let have: Value
    do throws(ObservationError) {
        if let sub = thing as? Sub {
            have = try valueAt(path, from: sub)
        } else {
            have = try valueAt(path, from: thing)
        }
    } catch {
        refuse(.error(error))
        return
    }
    if arguments.count > 2 {
        expect(path, have, arguments.word[2])
    } else if world.expectancy == nil {
        fail("\(path) is \(have): leads takes a value")
    }
}

private func valueAt<Root: Thing>(
    _ path: String, from root: Root
) throws(ObservationError) -> Value {
    // A typed path with `*` is an error of the program, and stops it.
    try Paths([path], of: Root.self, typed: world.isTyped && !path.contains("*")).value(at: root)
}

private func expectCount(_ arguments: Words) {
    let host = hostNamed(arguments.word[0])
    let property = quotedText(arguments.word[1])
    checkKnown(property, of: host)
    expect(
        "the number of observers", ObservationInspector(host).numberOfObservers(of: property),
        arguments.word[2])
}

private func expectObserved(_ arguments: Words) {
    let words = arguments.from(1)
    let host = hostNamed(arguments.word[0])
    set(of: words).forEach { checkKnown($0, of: host) }
    expect("what is observed", ObservationInspector(host).observedProperties, set: words)
}

private func expectComputed(_ arguments: Words, _ what: String, _ have: (Thing) -> [String]) {
    let words = arguments.from(1)
    set(of: words).forEach { checkKnown($0) }
    expect(what, have(world.named(arguments.word[0]).living), set: words)
}

/// Fails the test unless this is `+` or `-` and a property.
func checkState(_ word: String) {
    guard word.hasPrefix("+") || word.hasPrefix("-") else {
        fail("this is +PROPERTY or -PROPERTY, not \(word)")
    }
    checkKnown(String(word.dropFirst()))
}

private func expectState(_ arguments: Words) {
    let named = world.named(arguments.word[0])
    let want = set(of: arguments.from(1))
    want.forEach(checkState)
    if byProperty(named.told) != byProperty(want) {
        fail("\(named.name) was told \(printed(named.told)), not \(printed(want))")
    }
}

/// What was told of each property, in its order; those of different properties come in no promised
/// one (OS-1).
private func byProperty(_ told: [String]) -> [Substring: [String]] {
    Dictionary(grouping: told) { $0.dropFirst() }
}

private func expectUnresolved(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    expect("what is unresolved", observation.handle?.unresolvedPaths ?? [], set: arguments.from(1))
}

// MARK: - Lifetimes

/// Whether the last word is the first or the second of two.
private func isFirst(_ arguments: Words, _ first: String, _ second: String) -> Bool {
    let word = arguments.word[arguments.count - 1]
    if word != first && word != second {
        fail("this is \(first) or \(second), not \(word)")
    }
    return word == first
}

private func expectObserver(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    let alive = isFirst(arguments, "alive", "dead")
    guard let observer = observation.observer else {
        fail("the token \(observation.name) has no observer object")
    }
    if (observer.watcher != nil) != alive {
        fail("the observer object of \(observation.name) is \(alive ? "dead" : "alive")")
    }
}

private func expectBlock(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    let held = isFirst(arguments, "held", "released")
    observation.closure.releaseEnded()
    if (observation.closure.live > 0) != held {
        fail("the block of \(observation.name) is \(held ? "released" : "held")")
    }
}
