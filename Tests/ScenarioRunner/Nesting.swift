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
        checkState(word)
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
    "times": .nests(2) { arguments in
        guard isNumber(arguments.word[0]) else {
            fail("this is no number: \(arguments.word[0])")
        }
        for _ in 0..<(Int(arguments.word[0]) ?? 0) {
            runCommand(arguments.from(1))
        }
    },
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
    "kind": .unsupportedElement,
]

/// The kind of error that `fails` waits for by it.
func name(of error: ObservationError) -> String {
    kinds.first { $0.value == error.kind }?.key ?? "\(error.kind)"
}

private func runFails(_ arguments: Words) {
    let command = arguments.from(1)
    if arguments.word[0] == "depth" {
        runFailsDepth(command)
        return
    }
    let wanted = Refused(arguments.word[0])
    let outer = world.expectancy
    let expectancy = Expectancy()
    let before = ObservationCounters.current
    world.expectancy = expectancy
    runCommand(command)
    world.expectancy = outer
    let after = ObservationCounters.current
    check(expectancy.refusal, is: wanted)
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

/// A kind of error, and in `syntax@N` the place.
private struct Refused {
    let kind: String
    let position: Int?

    init(_ word: String) {
        let place = word.hasPrefix("syntax@") ? String(word.dropFirst(7)) : ""
        kind = isNumber(place) ? "syntax" : word
        position = isNumber(place) ? Int(place) ?? .max : nil
        if kind != "refused", kinds[kind] == nil {
            fail("unknown or not built kind of error: \(word)")
        }
    }
}

private func check(_ refusal: Refusal?, is wanted: Refused) {
    switch refusal {
    case nil:
        fail("it was not refused")
    case .options?:
        if wanted.kind != "options" {
            fail("refused with options, not \(wanted.kind)")
        }
    case .pastEnd?:
        if wanted.kind != "past-end" {
            fail("refused with past-end, not \(wanted.kind)")
        }
    case .busy?:
        if wanted.kind != "refused" {
            fail("refused with refused, not \(wanted.kind)")
        }
    case .error(let error)?:
        if error.kind != kinds[wanted.kind] {
            fail("refused with \(name(of: error)), not \(wanted.kind)")
        }
        if let position = wanted.position, position != error.position {
            fail("refused at byte \(error.position), not \(position)")
        }
    }
}
