// SPDX-License-Identifier: Apache-2.0

import Glibc
import ObservableSwift

// Commands that hold another one.

let nesting: [String: Command] = [
    "on": .nests(2) { arguments in
        world.observation(arguments.word[0]).onCall.add(arguments.from(1))
    },
    "ondeinit": .nests(2) { arguments in
        let named = world.named(arguments.word[0])
        _ = named.living
        named.onDeinit.add(arguments.from(1))
    },
    "onstate": .nests(3) { arguments in
        let named = world.named(arguments.word[0])
        let word = arguments.word[1]
        _ = named.living
        guard word.hasPrefix("+") || word.hasPrefix("-") else {
            fail("this is +PROPERTY or -PROPERTY, not \(word)")
        }
        checkKnown(String(word.dropFirst()))
        let list = named.onTold[word] ?? CommandList()
        named.onTold[word] = list
        list.add(arguments.from(2))
    },
    "ondrop": .nests(2) { arguments in
        world.observation(arguments.word[0]).watcher.observer.onDrop.add(arguments.from(1))
    },
    "ontold": .nests(2) { arguments in
        world.observation(arguments.word[0]).watcher.observer.onTold.add(arguments.from(1))
    },
    "thread": .nests(1, runThread),
    "batch": .acts(0...0) { _ in fail("a batch stands in a list of commands") },
    "end": .acts(0...0) { _ in fail("there is no batch to end") },
    "fails": .nests(2, runFails),
]

private final class Errand {
    let words: Words

    init(_ words: Words) {
        self.words = words
    }
}

private func runThread(_ arguments: Words) {
    check(arguments)
    let errand = Unmanaged.passRetained(Errand(arguments))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { context in
            guard let context else {
                return nil
            }
            runCommand(Unmanaged<Errand>.fromOpaque(context).takeRetainedValue().words)
            return nil
        }, errand.toOpaque())
    guard status == 0, pthread_join(thread, nil) == 0 else {
        fail("no thread could be had")
    }
}

// MARK: - fails

private let kinds: [String: ObservationError.Kind] = [
    "syntax": .syntax, "unknown": .unknown, "past-end": .pastEnd, "options": .options,
    "kind": .kind,
]

private func runFails(_ arguments: Words) {
    let command = arguments.from(1)
    if arguments.word[0] == "depth" {
        runFailsDepth(command)
        return
    }
    let outer = world.expectancy
    let expectancy = Expectancy()
    let before = ObservationCounters.current
    world.expectancy = expectancy
    runCommand(command)
    world.expectancy = outer
    let after = ObservationCounters.current
    check(expectancy.refusal, is: arguments.word[0])
    if before != after {
        fail("it was refused, and yet it changed something")
    }
}

/// Nothing is refused at the depth limit: it is reported.
private func runFailsDepth(_ command: Words) {
    let before = world.depthReports
    runCommand(command)
    if world.depthReports == before {
        fail("the depth limit was not reported")
    }
}

private func check(_ refusal: Refusal?, is word: String) {
    let parts = word.split(separator: "@", maxSplits: 1).map(String.init)
    guard parts[0] == "refused" || kinds[parts[0]] != nil else {
        fail("unknown or not built kind of error: \(word)")
    }
    switch refusal {
    case nil:
        fail("it was not refused")
    case .options?:
        if parts[0] != "options" {
            fail("refused with options, not \(parts[0])")
        }
    case .busy?:
        if parts[0] != "refused" {
            fail("refused as under way or ended, which is not \(parts[0])")
        }
    case .error(let error)?:
        if error.kind != kinds[parts[0]] {
            fail("refused with \(error.kind), not \(parts[0])")
        }
        if parts.count == 2, Int(parts[1]) != error.position {
            fail("refused at byte \(error.position), not \(parts[1])")
        }
    }
}
