// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// How an observing command observes.
enum Form {
    case text, typed, token
    /// Every instance of a class.
    case classLevel
}

/// The class of this name, or nil.
func classNamed(_ name: String) -> Thing.Type? {
    ["Thing": Thing.self, "Sub": Sub.self][name]
}

/// What an observing command says.
struct Request {
    let name: String
    let form: Form
    /// nil: every instance of `type` is observed.
    let root: NamedThing?
    let type: Thing.Type
    /// With a token.
    private(set) var isToken: Bool
    /// The texts of the paths.
    private(set) var paths: [String]
    private(set) var options: ObservationOptions = []
    /// How it compares, as the script says it.
    private(set) var compare: String?
    /// What its block is handed beside the root: of values and records together the record, of
    /// whose only entry the values are.
    private(set) var hands = Hands.nothing
    private(set) var wantsValues = false

    enum Hands {
        case nothing, values, records
    }
    private(set) var loop: DeliveryLoop
    private(set) var by: Observation?
    private(set) var blockOf: Observation?

    /// The same of its first path alone, to which more may be added.
    var ofFirstPath: Request {
        var first = self
        first.paths = [paths[0]]
        first.options.insert(.allowsMorePaths)
        return first
    }

    /// What its block is handed as old and new value beside a record in a call that no change has
    /// caused: of its path as text, since a typed one may hold what it has captured.
    var present: (Thing) -> Value {
        guard wantsValues, let path = paths.first else { return { _ in .unreachable } }
        return { root in
            (try? TextPath(parsing: path)).flatMap { try? root.value(at: $0) }.map(Value.init)
                ?? .unreachable
        }
    }

    init(_ words: Words, _ form: Form) {
        name = words.word[0]
        self.form = form
        checkName(name)
        isToken = form == .token
        if form == .classLevel {
            root = nil
            guard let named = classNamed(words.word[1]) else {
                fail("no class is called \(words.word[1])")
            }
            type = named
        } else {
            let named = world.named(words.word[1])
            root = named
            type = named.living is Sub ? Sub.self : Thing.self
        }
        loop = world.loop
        let rest = words.word.dropFirst(2)
        let colon = rest.firstIndex(of: ":") ?? rest.endIndex
        paths = rest[..<colon].map(quotedText)
        var options = rest[colon...].dropFirst()
        while !options.isEmpty {
            options = options.dropFirst(read(options))
        }
        if form == .classLevel, paths.count != 1 {
            fail("class takes one path, not \(paths.count)")
        }
        if isShared, hands != .nothing {
            fail("a block that is handed values or records is no block value in Swift")
        }
        if form != .classLevel, world.scenario.mentions("also", name) {
            self.options.insert(.allowsMorePaths)
        }
    }

    var comparison: ObservationComparison {
        switch compare {
        case "always": .alwaysDifferent
        case "equal": .equality
        case "identity": .identity
        default: .declared
        }
    }

    /// Whether its block is shared, or stopped as such.
    var isShared: Bool {
        root != nil && (blockOf != nil || world.scenario.usesBlock(of: name))
    }

    /// Answers the number of words that the option takes.
    private mutating func read(_ words: ArraySlice<String>) -> Int {
        let option = words[words.startIndex]
        let argument = words.dropFirst().first
        switch (option, argument) {
        case ("token", _) where form == .classLevel:
            isToken = true
            return 1
        case ("immediate", _):
            options.insert(.immediate)
            return 1
        case ("defer", _):
            options.insert(.keepsOwnChanges)
            return 1
        case ("once", _):
            options.insert(.ignoresRestOfDrain)
            return 1
        case ("initial", _):
            options.insert(.initial)
            return 1
        case ("any-element", _):
            options.insert(.includesIntermediateElements)
            return 1
        case ("net", _):
            options.insert(.skipsReverted)
            return 1
        case ("prior", _):
            options.insert(.prior)
            return 1
        case ("values", _):
            hands = hands == .records ? .records : .values
            wantsValues = true
            return 1
        case ("records", _):
            hands = .records
            return 1
        case ("compare", let how?):
            if !["always", "equal", "identity"].contains(how) {
                fail("compare always, equal or identity: \(how)")
            }
            compare = how
        case ("by", let name?) where !isToken:
            by = world.observation(name)
        case ("block", let name?):
            blockOf = world.observation(name)
        case ("loop", let name?):
            loop = world.loop(name).loop ?? loop
        case ("compare", nil), ("block", nil), ("loop", nil):
            fail("the option \(option) needs a word")
        case ("by", nil) where !isToken:
            fail("the option \(option) needs a word")
        default:
            fail("unknown option: \(option)")
        }
        return 2
    }
}
