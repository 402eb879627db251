// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// The world of one test: its names, what the user's code does when the library
// comes to it, and a clean end that finds every leak.
//
// Inside a test everything happens on one thread at a time: `thread` waits for
// the thread that it starts. So nothing here is locked.

/// Commands that wait for a moment: `on`, `ondeinit`, `ondrop`, `ontold`, `onstate`.
final class CommandList {
    private var commands: [Words] = []

    func add(_ words: Words) {
        check(words)
        commands.append(words)
    }

    func clear() {
        commands = []
    }

    /// What is added meanwhile waits for the next time; what is taken away
    /// meanwhile does not run any more.
    func run() {
        let count = commands.count
        let line = report.line
        var index = 0
        runCommands {
            guard index < min(count, commands.count), !world.isOver else { return nil }
            defer { index += 1 }
            return commands[index]
        }
        report.line = line
    }
}

/// An object by its name. It stays when the object has gone.
final class NamedThing {
    let name: String
    /// nil once the object is dead; in its deinit it still names it.
    unowned(unsafe) var thing: Thing?
    /// The script's reference, until it drops it.
    var held: Thing?
    let onDeinit = CommandList()
    /// What it was told of being observed so far: `+i`, `-*`.
    var told: [String] = []
    /// What runs when it is told so.
    var onTold: [String: CommandList] = [:]

    init(name: String) {
        self.name = name
    }

    /// The object; the test fails if it is dead.
    var living: Thing {
        guard let thing else {
            fail("\(name) is dead")
        }
        return thing
    }
}

/// A manual loop by its name.
final class NamedLoop {
    let name: String
    /// nil once it was ended.
    var loop: DeliveryLoop?

    init(name: String, loop: DeliveryLoop) {
        self.name = name
        self.loop = loop
    }
}

/// An observer object; the entry stays when the object has gone.
final class Observer {
    /// nil once it is dead; in its deinit it still names it.
    unowned(unsafe) var watcher: Watcher?
    var held: Watcher?
    let onDrop = CommandList()
    /// Deallocation notices that it has had, and what runs at each.
    var told = 0
    let onTold = CommandList()
}

/// Why a call was refused.
enum Refusal {
    case error(ObservationError)
    /// The compiler refuses what the script asks for.
    case options
    /// An index past the end would stop the program.
    case pastEnd
    /// `execute` could not call, or a loop that drains elsewhere could not end.
    case busy
}

/// A `fails` that waits for a refusal.
final class Expectancy {
    var refusal: Refusal?
}

final class World {
    let scenario: Scenario
    let isTyped: Bool
    let loop = DeliveryLoop()
    // All lists: the newest first.
    var things: [NamedThing] = []
    var loops: [NamedLoop] = []
    var observers: [Observer] = []
    var observations: [Observation] = []
    /// The delayed blocks of the last outermost drain, in order.
    var order: [Observation] = []
    var drain: DrainFrame?
    /// Commands that are running, one inside the other.
    var depth = 0
    /// The observation that `execute` is about to call.
    var executing: Observation?
    var expectancy: Expectancy?
    /// Calls of the diagnostics hook; those that say "too deep" (IM-4); and, beside these, those
    /// that only debug builds make.
    var reports = 0
    var depthReports = 0
    var debugReports = 0
    /// What was told to be refused last.
    var refused: ObservationError?
    var thingsAlive = 0
    var watchersAlive = 0
    var bodiesAlive = 0
    /// Collections that new objects do not have (`bare`).
    var bare: Set<String> = []
    static let collections: Set = ["list", "strings", "dict", "words", "set", "tags", "plain"]
    /// The test is over: blocks and deinits run no commands any more.
    private(set) var isOver = false

    init(_ scenario: Scenario, isTyped: Bool) {
        self.scenario = scenario
        self.isTyped = isTyped
        ObservationDiagnostics.setHandler { diagnostic in
            switch diagnostic.kind {
            case .refused: break  // an answer (`fails`)
            case .declaredTypes: world.debugReports += 1
            default: world.reports += 1
            }
            world.depthReports += diagnostic.kind == .depth ? 1 : 0
            world.refused = diagnostic.error ?? world.refused
        }
    }

    // MARK: Names

    func named(_ name: String) -> NamedThing {
        guard let named = things.first(where: { $0.name == name }) else {
            fail("no object is called \(name)")
        }
        return named
    }

    func loop(_ name: String) -> NamedLoop {
        guard let loop = loops.first(where: { $0.name == name && $0.loop != nil }) else {
            fail("no loop is called \(name)")
        }
        return loop
    }

    func observation(_ name: String) -> Observation {
        guard let observation = observations.first(where: { $0.name == name }) else {
            fail("no observation is called \(name)")
        }
        return observation
    }

    // MARK: Moments

    func thingEnds(_ named: NamedThing) {
        drain?.thingEnds()
        named.onDeinit.run()
    }

    func thingTold(_ named: NamedThing, _ word: String) {
        guard !isOver else { return }
        if named.thing == nil {
            fail("\(named.name) was told \(word) after its end")
        }
        named.told.append(word)
        named.onTold[word]?.run()
    }

    func watcherEnds(_ observer: Observer) {
        observer.onDrop.run()
    }

    func watcherTold(_ observer: Observer, _ path: String) {
        guard !isOver else { return }
        let isItsOwn = observations.contains {
            $0.observer === observer && $0.isToldOf(path)
        }
        if !isItsOwn {
            fail("an observer was told of a path that is not its own: \(path)")
        }
        observer.told += 1
        // What it calls, no drain calls.
        depth += 1
        observer.onTold.run()
        depth -= 1
    }

    // MARK: The end

    /// Stops, drops and drains everything, and fails the test if anything is
    /// left then.
    func end() {
        isOver = true
        for observation in observations {
            observation.closure.releaseAll()
        }
        endObservations()
        drainAll()
        endThings()
        drainAll()
        checkNothingLeft()
        for loop in loops where loop.loop?.invalidate() == false {
            fail("at the end: the loop \(loop.name) could not be ended")
        }
    }

    private func endObservations() {
        for observation in observations {
            observation.handle?.stop()
            observation.handle = nil
        }
        for observer in observers {
            observer.held = nil
        }
    }

    private func endThings() {
        for named in things {
            named.thing?.endReferences()
            named.held = nil
        }
    }

    /// What nothing changes any more ends after one round.
    private func drainAll() {
        while ([loop] + loops.compactMap(\.loop)).map({ $0.drain() }).contains(where: { $0 > 0 }) {
        }
    }

    private func checkNothingLeft() {
        let left = [
            (thingsAlive, "objects"), (watchersAlive, "observer objects"),
            (bodiesAlive, "blocks"),
            (ObservationCounters.current.observations, "observations"),
        ]
        for (count, what) in left where count > 0 {
            fail("at the end: \(count) \(what) are still held")
        }
    }
}

/// The world of the test that runs in this process.
var world: World {
    guard let current else {
        fail("no test has begun")
    }
    return current
}

/// Only one thread at a time runs, see above.
nonisolated(unsafe) private var current: World?

func beginWorld(_ scenario: Scenario, isTyped: Bool) {
    current = World(scenario, isTyped: isTyped)
}

/// Fails the test unless the name begins with a capital letter, and letters, digits and `_` are all
/// it has.
func checkName(_ name: String) {
    if !isCapital(name) {
        fail("a name begins with a capital letter: \(name)")
    }
    let hasOthers = name.utf8.contains { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            false
        default: true
        }
    }
    if hasOthers {
        fail("a name has letters, digits and _: \(name)")
    }
}

/// A call was refused: fails the test unless `fails` waits for that.
func refuse(_ refusal: Refusal) {
    guard let expectancy = world.expectancy else {
        switch refusal {
        case .error(let error): fail("refused with \(name(of: error)): \(error.message)")
        case .options: fail("refused with options: the compiler refuses it")
        case .pastEnd: fail("refused with past-end: it would stop the program")
        case .busy: fail("refused: it is under way elsewhere, or has ended")
        }
    }
    expectancy.refusal = refusal
}
