// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What a word at a line's begin stands for.
struct Command: Sendable {
    enum Sort {
        case acts, expects
    }

    let sort: Sort
    /// The fewest and the most arguments.
    let count: ClosedRange<Int>
    /// Words in front of a nested command; 0: there is none.
    let nests: Int
    let run: @Sendable (Words) -> Void

    static func acts(
        _ count: ClosedRange<Int>, _ run: @escaping @Sendable (Words) -> Void
    ) -> Command {
        Command(sort: .acts, count: count, nests: 0, run: run)
    }

    static func expects(
        _ count: ClosedRange<Int>, _ run: @escaping @Sendable (Words) -> Void
    ) -> Command {
        Command(sort: .expects, count: count, nests: 0, run: run)
    }

    static func nests(
        _ words: Int, _ run: @escaping @Sendable (Words) -> Void
    ) -> Command {
        Command(sort: .acts, count: words...any, nests: words, run: run)
    }

    /// As many arguments as there are.
    static let any = Int.max
}

/// Every command of the language.
private let commands: [String: Command] = {
    var all: [String: Command] = [:]
    for table in [actions, editing, observing, expectations, nesting] {
        all.merge(table) { _, _ in fatalError("two commands have one name") }
    }
    return all
}()

/// The command that the words begin with; the test fails if they are none.
private func checked(_ words: Words) -> Command {
    guard let word = words.word.first else {
        fail("a command is missing")
    }
    guard let command = commands[word] else {
        fail("unknown command: \(word)")
    }
    if !command.count.contains(words.count - 1) {
        fail("\(word) does not take \(words.count - 1) arguments")
    }
    return command
}

/// Checks a command that runs later, and what it nests.
func check(_ words: Words) {
    let command = checked(words)
    if command.nests > 0 {
        check(words.from(command.nests))
    }
}

/// Runs a command; the test fails if it is unknown.
func runCommand(_ words: Words) {
    let outer = report.line
    report.line = words.line
    world.depth += 1
    let command = checked(words)
    var arguments = words.from(1)
    if command.nests == 0 {
        arguments.word = arguments.word.map(Value.withHashes)
    }
    command.run(arguments)
    world.depth -= 1
    report.line = outer
}

/// Runs commands as they come, those between `batch` and `end` in a batch.
func runCommands(_ next: () -> Words?) {
    runCommands(inBatch: false, next)
}

private func runCommands(inBatch: Bool, _ next: () -> Words?) {
    while let words = next() {
        switch words.word {
        case ["batch"]:
            report.line = words.line
            withObservationBatch {
                runCommands(inBatch: true, next)
            }
        case ["end"] where inBatch:
            return
        default:
            runCommand(words)
            report.line = words.line
        }
    }
    if inBatch, !world.isOver {
        fail("a batch is open")
    }
}

private func expects(_ words: Words) -> Bool {
    guard let word = words.word.first, let command = commands[word] else {
        return false
    }
    if command.nests > 0, words.count > command.nests {
        return word == "fails" || expects(words.from(command.nests))
    }
    let counts = word == "drain" && words.count > 1 && isNumber(words.word[words.count - 1])
    return counts || command.sort == .expects
}

extension Scenario {
    /// Whether the test says anywhere what must follow.
    var expectsAnything: Bool {
        lines.contains(where: expects)
    }
}
